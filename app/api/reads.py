"""What is in force, as derived from the log: overrides, sessions, modes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from app.api.auth import sees_text
from app.api.problems import answer as faulty
from app.api.problems import problem
from app.api.schemas import access
from app.api.wiring import answer, caller, unavailable, wiring
from app.domain.artifacts import schema
from app.domain.entries import EVERYWHERE
from app.domain.events import Json
from app.domain.modes import Mode, definition
from app.domain.state import Session
from app.domain.views import (
    entry_view,
    in_force_view,
    interventions,
    last_handoff,
    overrides_of,
    session_row,
    session_view,
)
from app.harness.base import Fault
from app.service.writer import Unavailable

router = APIRouter(tags=["state"])
Scope = Annotated[str, Query(min_length=1, max_length=400)]


@router.get("/controller/overrides", openapi_extra=access("reader"))
async def overrides(request: Request, scope: Scope = EVERYWHERE) -> Response:
    """The newest applied entry of each action in exactly this scope, and what judges its calls."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    parts = wiring(request)
    loaded = await parts.control.session(scope)
    if isinstance(loaded, Unavailable):
        return unavailable(loaded.cause)
    book, _ = loaded
    seqs = [override.seq for override in overrides_of(book, scope)]
    entries = [await run_in_threadpool(parts.reader.get, seq) for seq in seqs]
    shown: dict[str, Json] = {
        entry.action: entry_view(entry, text=sees_text(who)) for entry in entries if entry
    }
    return answer({**in_force_view(book, scope, parts.control.configuration), "overrides": shown})


@router.get("/controller/sessions", openapi_extra=access("reader"))
async def sessions(
    request: Request,
    before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """Sessions by their newest entry, newest first; `interventions` adds up those listed."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    parts = wiring(request)
    rows = await run_in_threadpool(parts.reader.sessions, limit, before)
    items: list[Json] = []
    found: list[Session] = []
    for row in rows:
        loaded = await parts.control.session(row.session)
        if isinstance(loaded, Unavailable):
            return unavailable(loaded.cause)
        items.append(session_row(*loaded, parts.control.configuration))
        found.append(loaded[1])
    after = rows[-1].last_seq if len(rows) == limit else None
    return answer({"items": items, "next": after, "interventions": interventions(found)})


@router.get("/controller/sessions/{scope:path}", openapi_extra=access("reader"))
async def session(request: Request, scope: Annotated[str, Path(max_length=400)]) -> Response:
    """One session or agent: mode, posture, signals with thresholds, proposals, last handoff."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    parts = wiring(request)
    loaded = await parts.control.session(scope)
    if isinstance(loaded, Unavailable):
        return unavailable(loaded.cause)
    book, found = loaded
    if not found.last_seq and scope != EVERYWHERE:
        return problem(
            404,
            "unknown_scope",
            "The log knows no such session; `floorboss status` lists those it knows.",
        )
    view = session_view(book, scope, parts.control.configuration)
    if sees_text(who):
        view["root"] = found.root
        view["handoff"] = last_handoff(book, scope)
    return answer(view)


@router.get("/controller/modes", openapi_extra=access("reader"))
async def modes(request: Request) -> Response:
    """The modes: what each permits, for a harness that publishes tool sets."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    known = wiring(request).control.configuration.modes
    return answer({"items": [_mode(known[name]) for name in sorted(known)]})


@router.get("/controller/modes/{name}", openapi_extra=access("reader"))
async def mode(request: Request, name: str) -> Response:
    """One mode."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    found = wiring(request).control.configuration.modes.get(name)
    if found is None:
        return problem(404, "unknown_mode", "There is no such mode; see /controller/modes.")
    return answer(_mode(found))


def _mode(found: Mode) -> Json:
    return {"mode": found.name, **definition(found), "output": schema(found)}
