"""What people decide: apply, approve, revert, dismiss; and what anyone may propose."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from app.api.body import object_in
from app.api.headers import by_name
from app.api.problems import answer as faulty
from app.api.problems import invalid_body, problem
from app.api.schemas import DECIDED, access
from app.api.schemas import body as body_of
from app.api.wiring import Attempted, actor_of, answer, deciding, unavailable, wiring
from app.domain.decisions import Command, Refusal, Verb, Why
from app.domain.entries import EVERYWHERE, Entry
from app.domain.events import Json
from app.domain.limits import limit_of, parsed_limit
from app.domain.modes import Malformed
from app.domain.proposing import Unclear, Wish
from app.domain.views import difference_between, entry_view, in_force_view
from app.harness.base import Fault
from app.harness.neutral import NAME
from app.service.control import Decided, DecisionAnswer
from app.service.writer import Unavailable

router = APIRouter(tags=["decisions"])
Seq = Annotated[int, Path(ge=0, le=2**53)]
SESSION: Final = 128  # characters of a session id
DECISION: Final = {**body_of("Decision", required=False), **access("operator")}
STATUS: dict[Why, int] = {
    "unknown_seq": 404,
    "not_a_proposal": 409,
    "not_applied": 409,
    "wrong_verb": 409,
    "state_missing": 428,
    "state_changed": 409,
    "already_decided": 409,
    "void": 410,
    "no_limit": 422,
    "wrong_role": 403,
    "session_bound": 409,
}


def _one_scope(text: str) -> str:
    """`*`, a session as events name it, or one of a session's agents."""
    session, parted, agent = text.partition("/")
    if len(session) > SESSION or bool(parted) != bool(agent) or (session == EVERYWHERE and parted):
        raise PydanticCustomError("scope", "expected a session, session/agent, or `*` alone")
    return text


def _limit(raw: dict[str, JsonValue] | None) -> dict[str, JsonValue] | None:
    limit = None if raw is None else parsed_limit(raw)
    if isinstance(limit, Malformed):
        raise PydanticCustomError("limit", limit.detail.removeprefix("limit: "))
    return raw


# {"session": true}, {"minutes": 30} or {"calls": 5}
Limited = Annotated[dict[str, JsonValue] | None, AfterValidator(_limit)]


class Decision(BaseModel):
    """The body of a decision: which state the person saw, and why they decide so."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    expected_state: Annotated[str, Field(max_length=64)] | None = None
    reason: Annotated[str, Field(max_length=2_000)] = ""
    limit: Limited = None


class Proposal(BaseModel):
    """What somebody wants for a scope: a mode, a policy, or a return to what was before.

    Its value is {"mode": NAME}, fields of a policy as in {"posture": "ask"}, or {"return": true}.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    scope: Annotated[
        str, Field(min_length=1, max_length=400, pattern=NAME), AfterValidator(_one_scope)
    ]
    action: Literal["mode", "policy"]
    value: dict[str, JsonValue]
    reason: Annotated[str, Field(min_length=1, max_length=2_000)]
    decide: bool = False
    expected_state: Annotated[str, Field(max_length=64)] | None = None
    limit: Limited = None


async def _decide(request: Request, verb: Verb, seq: int, dry_run: bool) -> Response:
    who = await deciding(request, partial(_attempted, request, verb, seq))
    if isinstance(who, Response):
        return who
    body = await object_in(request.receive, by_name(request.scope["headers"]), optional=True)
    if isinstance(body, Fault):
        return faulty(body)
    try:
        decision = Decision.model_validate(body)
    except ValidationError as error:
        return invalid_body(error)
    command = Command(
        verb=verb,
        seq=seq,
        actor=actor_of(who),
        expected_state=decision.expected_state,
        reason=decision.reason,
        limit=limit_of(decision.limit),
    )
    result = await wiring(request).control.command(command, dry_run=dry_run)
    return _answered(request, result, dry_run=dry_run)


async def _attempted(request: Request, verb: Verb, seq: int) -> Attempted:
    """What the caller wants to decide, for the entry that keeps a refusal."""
    entry = await run_in_threadpool(wiring(request).reader.get, seq)
    if entry is None:
        return Attempted(verb=verb)
    return Attempted(verb=verb, scope=entry.scope, action=entry.action, seq=seq)


@router.post("/controller/apply/{seq}", openapi_extra=DECISION, responses=DECIDED)
async def apply(request: Request, seq: Seq, dry_run: bool = False) -> Response:
    """Put a proposal in force that tightens or changes nothing."""
    return await _decide(request, "apply", seq, dry_run)


@router.post("/controller/approve/{seq}", openapi_extra=DECISION, responses=DECIDED)
async def approve(request: Request, seq: Seq, dry_run: bool = False) -> Response:
    """Say yes to a proposal that loosens, or to the way back from a tightening."""
    return await _decide(request, "approve", seq, dry_run)


@router.post("/controller/revert/{seq}", openapi_extra=DECISION, responses=DECIDED)
async def revert(request: Request, seq: Seq, dry_run: bool = False) -> Response:
    """Take an applied entry back; what lay beneath is in force again."""
    return await _decide(request, "revert", seq, dry_run)


@router.post("/controller/dismiss/{seq}", openapi_extra=DECISION, responses=DECIDED)
async def dismiss(request: Request, seq: Seq, dry_run: bool = False) -> Response:
    """Say no to a proposal; no `expected_state` is needed."""
    return await _decide(request, "dismiss", seq, dry_run)


@router.post(
    "/controller/propose",
    status_code=201,
    openapi_extra={**body_of("Proposal"), **access("harness")},
    responses={200: {"description": "The open proposal that this one repeats; or a dry run."}},
)
async def propose(request: Request, dry_run: bool = False) -> Response:
    """Ask for a mode, a policy or a return; an operator may decide it in the same call."""
    who = await deciding(request, Attempted(verb="propose"), needs="harness")
    if isinstance(who, Response):
        return who
    body = await object_in(request.receive, by_name(request.scope["headers"]))
    if isinstance(body, Fault):
        return faulty(body)
    try:
        wanted = Proposal.model_validate(body)
    except ValidationError as error:
        return invalid_body(error)
    if wanted.decide:
        attempted = Attempted(verb="propose and decide", scope=wanted.scope, action=wanted.action)
        allowed = await deciding(request, attempted)
        if isinstance(allowed, Response):
            return allowed
    result = await wiring(request).control.wish(_wish(wanted, actor_of(who)), dry_run=dry_run)
    return _answered(request, result, dry_run=dry_run, status=201)


def _wish(wanted: Proposal, actor: str) -> Wish:
    return Wish(
        scope=wanted.scope,
        action=wanted.action,
        value=wanted.value,
        reason=wanted.reason,
        actor=actor,
        decide=wanted.decide,
        expected_state=wanted.expected_state,
        limit=limit_of(wanted.limit),
    )


def _answered(
    request: Request, result: DecisionAnswer, *, dry_run: bool, status: int = 200
) -> Response:
    configuration = wiring(request).control.configuration
    match result:
        case Decided(scope=scope, book=book):
            held = in_force_view(book, scope, book.configuration(configuration))
            if dry_run:
                return answer(
                    {
                        "in_force": held,
                        "expected_state": result.state,
                        "difference": difference_between(result.before, book, scope, configuration),
                    }
                )
            return answer(
                {
                    "summary": _said(result.entries, held),
                    **({"seq": result.seq, "repeated": result.repeated} if result.seq else {}),
                    "entries": [entry_view(entry, text=True) for entry in result.entries],
                    "in_force": held,
                },
                status if result.entries else 200,
            )
        case Refusal(why=why):
            return problem(
                STATUS[why],
                why,
                f"{result.detail}.",
                state=result.state or None,
                freer=result.freer,
            )
        case Unclear(detail=detail):
            return problem(422, "invalid_request", f"{detail}.")
        case Unavailable(cause=cause):
            return unavailable(cause)


def _said(entries: tuple[Entry, ...], held: dict[str, Json]) -> str:
    """What happened and what is in force now, in words, wherever a person decides."""
    scope = "all sessions" if held["scope"] == EVERYWHERE else str(held["scope"])
    also = held["also"] if isinstance(held["also"], list) else []
    more = f", also judged under {', '.join(map(str, also))}" if also else ""
    done = "; ".join(f"{entry.seq} {entry.kind}" for entry in entries) or "nothing new was written"
    return f"{done}. In force for {scope}: mode {held['mode']}, posture {held['posture']}{more}."
