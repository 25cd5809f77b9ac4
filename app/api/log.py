"""The log, for whoever wants to know: pages, single entries, the chain.

Accept: application/json       {items, next}, newest first
Accept: text/plain             a table, seq first: `curl localhost:8737/controller/log`
Accept: application/x-ndjson   one entry a line
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from app.api.auth import sees_text
from app.api.problems import answer as faulty
from app.api.problems import problem
from app.api.wiring import answer, caller, wiring
from app.domain.entries import Action, Entry, Kind
from app.domain.events import Json
from app.domain.tables import table
from app.domain.views import entry_view
from app.harness.base import Fault
from app.service.archive import Broken, Verified

router = APIRouter(tags=["log"])
PAGE = 1_000  # entries of one page at the most
Seq = Annotated[int | None, Query(ge=0, le=2**53)]


@router.get("/controller/log")
async def log(
    request: Request,
    scope: Annotated[str | None, Query(max_length=400)] = None,
    kind: Kind | None = None,
    action: Action | None = None,
    before: Seq = None,
    after: Seq = None,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 100,
) -> Response:
    """Entries, newest first; with `after` alone oldest first. A session shows its agents too."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    forwards = after is not None and before is None
    entries = await run_in_threadpool(
        wiring(request).reader.page,
        scope=scope,
        agents=scope is not None and "/" not in scope,
        kind=kind,
        action=action,
        before=before,
        after=after,
        limit=limit,
        newest_first=not forwards,
    )
    return _rendered(request, entries, limit, text=sees_text(who))


def _rendered(request: Request, entries: tuple[Entry, ...], limit: int, *, text: bool) -> Response:
    accept = request.headers.get("accept", "*/*")
    if "application/x-ndjson" in accept:
        return StreamingResponse(_lines(entries, text), media_type="application/x-ndjson")
    if "text/plain" in accept or _is_shell(request, accept):
        return Response(table(entries), media_type="text/plain; charset=utf-8")
    items: list[Json] = [entry_view(entry, text=text) for entry in entries]
    last = entries[-1].seq if len(entries) == limit else None
    return answer({"items": items, "next": last})


def _is_shell(request: Request, accept: str) -> bool:
    """A person with curl, who asked for nothing in particular, gets the table."""
    return accept == "*/*" and request.headers.get("user-agent", "").startswith("curl/")


def _lines(entries: Iterable[Entry], text: bool) -> Iterator[str]:
    for entry in entries:
        yield json.dumps(entry_view(entry, text=text), ensure_ascii=False) + "\n"


@router.get("/controller/log/{seq}")
async def entry(request: Request, seq: int) -> Response:
    """One entry, and the entries that refer to it."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    reader, text = wiring(request).reader, sees_text(who)
    found = await run_in_threadpool(reader.get, seq)
    if found is None:
        return problem(404, "unknown_seq", "The log has no entry at this place.")
    referring = await run_in_threadpool(reader.referring_to, seq)
    later: list[Json] = [entry_view(each, text=text) for each in referring]
    return answer({**entry_view(found, text=text), "referred_to_by": later})


@router.get("/controller/verify")
async def verify(request: Request) -> Response:
    """Check the hash chain from the first entry to the head; a cut-off tail needs a checkpoint."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    result = await run_in_threadpool(wiring(request).reader.verify)
    match result:
        case Verified(count=count, head_seq=seq, head_hash=digest):
            return answer({"ok": True, "count": count, "head": seq, "hash": digest})
        case Broken(seq=seq, why=why):
            return answer({"ok": False, "seq": seq, "why": why})


@router.get("/controller/checkpoint")
async def checkpoint(request: Request) -> Response:
    """The head of the chain, to be kept somewhere else."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    head = await run_in_threadpool(wiring(request).reader.checkpoint)
    return answer({"seq": head.seq, "hash": head.hash, "at": head.at})
