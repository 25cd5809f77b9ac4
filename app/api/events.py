"""Events in, verdicts out: what a harness calls.

Both routes read their bodies themselves: the limits and the strictness of the own-route contract
come before any framework's parser, and a fault stores nothing. `report` is all that there is to
reporting events; the route below and hotpath.py only hand it their request.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from app.api.body import events_in, named_session, object_in
from app.api.headers import Headers, by_name
from app.api.problems import answer as faulty
from app.api.problems import problem
from app.api.schemas import EVENTS_BODY, EVENTS_RESULT, VERDICT, access, body
from app.api.wiring import (
    JsonAnswer,
    Wiring,
    answer,
    caller,
    compact,
    sender,
    unavailable,
    wiring,
)
from app.classification.edge import changes_nothing
from app.domain.decisions import Refusal, refused
from app.domain.events import Event, Json
from app.domain.views import entry_view
from app.harness.base import Fault
from app.harness.neutral import event as neutral_event
from app.service.control import CutOff, Stored
from app.service.intake import Answer, Arrival, Conflict
from app.service.tokens import Principal
from app.service.writer import Unavailable

router = APIRouter(tags=["harness"])


@router.post(
    "/controller/events",
    status_code=201,
    openapi_extra={**EVENTS_BODY, **access("harness")},
    responses=EVENTS_RESULT,
)
async def events(request: Request) -> Response:
    """Report what an agent did: one event, an array, or NDJSON; all of a request or nothing."""
    return await report(wiring(request), request.scope, request.receive)


async def report(parts: Wiring, scope: Scope, receive: Receive) -> Response:
    """Take the events of one request, whoever routed it here."""
    headers = by_name(scope["headers"])
    who = sender(parts, headers, "harness")
    if isinstance(who, Fault):
        return faulty(who)
    reported = await _reported(scope["query_string"], headers, receive)
    if isinstance(reported, Fault):
        return faulty(reported)
    slower = parts.limits.refusal(who.name, len(reported))
    if slower is not None:
        return slower
    result = await parts.control.ingest([Arrival(event=event) for event in reported])
    match result:
        case Stored(answers=answers):
            return JsonAnswer(
                f'{{"results":[{",".join(map(result_json, answers))}]}}'.encode(), 201
            )
        case Conflict():
            return await conflict(parts, result, who)
        case CutOff(stored=stored, cause=cause):
            return unavailable(cause, stored=stored)


@router.post(
    "/controller/decide",
    openapi_extra={**body("Event"), **access("harness")},
    responses=VERDICT,
)
async def decide(request: Request) -> Response:
    """Ask for the verdict on one call before it runs; it is logged before the answer leaves."""
    who = caller(request, "harness")
    if isinstance(who, Fault):
        return faulty(who)
    attempt = await _attempt(request)
    if isinstance(attempt, Fault):
        return faulty(attempt)
    parts = wiring(request)
    slower = parts.limits.refusal(who.name, 1)
    if slower is not None:
        return slower
    result = await parts.control.verdict(Arrival(event=attempt))
    match result:
        case Answer():
            return answer(_verdict(result))
        case Conflict():
            return await conflict(parts, result, who)
        case Unavailable(cause=cause):
            return answer(_unlogged(parts, attempt, cause))


async def _reported(query: bytes, headers: Headers, receive: Receive) -> tuple[Event, ...] | Fault:
    session = named_session(query, headers)
    if isinstance(session, Fault):
        return session
    return await events_in(receive, headers, session)


async def _attempt(request: Request) -> Event | Fault:
    headers = by_name(request.scope["headers"])
    session = named_session(request.scope["query_string"], headers)
    if isinstance(session, Fault):
        return session
    said = await object_in(request.receive, headers)
    if isinstance(said, Fault):
        return said
    attempt = neutral_event({**said, "kind": "attempt"}, session=session)
    return attempt if isinstance(attempt, Fault) else replace(attempt, outcome="unknown")


def result_json(result: Answer) -> str:
    """What came of one event, as JSON; where it changed nothing, as mostly, only `seq` is new."""
    if result.fired or result.also or result.verdict is not None:
        return compact(_result(result))
    return f'{{"seq":{result.seq}{_unchanged(result.duplicate, result.mode, result.posture)}'


@lru_cache(maxsize=256)
def _unchanged(duplicate: bool, mode: str, posture: str) -> str:
    said = _result(Answer(seq=0, duplicate=duplicate, mode=mode, posture=posture))
    return compact(said).removeprefix('{"seq":0')


def _result(result: Answer) -> Json:
    said: dict[str, Json] = {
        "seq": result.seq,
        "duplicate": result.duplicate,
        "mode": result.mode,
        "posture": result.posture,
        "fired": [entry_view(entry, text=True) for entry in result.fired],
    }
    if result.also:
        said["also"] = [*result.also]
    if result.verdict is not None:
        said |= {"verdict": result.verdict, "rule": result.rule, "reason": result.reason}
    if result.ends_turn:
        said["ends_turn"] = True
    return said


def _verdict(result: Answer) -> Json:
    return {
        "seq": result.seq,
        "verdict": result.verdict,
        "rule": result.rule,
        "reason": result.reason,
        "mode": result.mode,
        "posture": result.posture,
        "also": [*result.also],
        "duplicate": result.duplicate,
        **({"would": result.would} if result.would else {}),
        **({"ends_turn": True} if result.ends_turn else {}),
    }


def _unlogged(parts: Wiring, attempt: Event, cause: str) -> Json:
    """What cannot be logged does not happen: deny what may change something, say no more."""
    book = parts.control.writer.book
    enforcing = parts.control.configuration.enforcement == "enforce"
    denied = enforcing and not changes_nothing(attempt, book.session(attempt.scope))
    reason = f"[floorboss -] the log cannot be written ({cause}); only reading goes on"
    return {
        "seq": None,
        "verdict": "deny" if denied else "none",
        "rule": "log_unavailable" if denied else None,
        "reason": reason if denied else None,
        "mode": None,
        "posture": None,
        "also": [],
        "duplicate": False,
    }


async def conflict(parts: Wiring, found: Conflict, who: Principal) -> Response:
    """The answer to a request that cannot be stored; one about a bound session is logged."""
    if found.code == "session_bound":
        refusal = Refusal(
            why="session_bound",
            detail=found.detail,
            scope=found.session,
            action="session",
            seq=0,
        )
        await parts.control.refuse(refused(refusal, f"harness:{who.name}", "events"))
    detail = f"Event {found.index}, counted from 0: {found.detail}."
    return problem(409, found.code, detail, index=found.index, stored=found.stored)
