"""The log, for whoever wants to know: pages, single entries, the chain.

Accept: application/json       {items, next}, newest first
Accept: text/plain             a table, seq first, for people
Accept: application/x-ndjson   one entry a line
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from app.api.auth import sees_text
from app.api.problems import answer as faulty
from app.api.problems import problem
from app.api.schemas import access
from app.api.wiring import answer, caller, wiring
from app.domain.entries import Action, Entry, Kind
from app.domain.events import Json
from app.domain.observations import whole_of
from app.domain.tables import table
from app.domain.views import artifact_view, entry_view
from app.harness.base import Fault
from app.service.archive import Broken, Verified
from app.service.writer import Unavailable

router = APIRouter(tags=["log"])
PAGE = 1_000  # entries of one page at the most
FORMS: Final = ("application/json", "text/plain", "application/x-ndjson")
LOG: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "`items`, and `next`: what `before` is for the next page (`after`, where"
        " that was given alone); null where there is none.",
        "content": {"text/plain": {}, "application/x-ndjson": {}},
    }
}
Seq = Annotated[int | None, Query(ge=0, le=2**53)]


@router.get("/controller/log", openapi_extra=access("reader"), responses=LOG)
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
    match _wanted(request.headers):
        case "application/x-ndjson":
            return StreamingResponse(_lines(entries, text), media_type="application/x-ndjson")
        case "text/plain":
            return Response(table(entries), media_type="text/plain; charset=utf-8")
        case _:
            return _page(entries, limit, text)


def _page(entries: tuple[Entry, ...], limit: int, text: bool) -> Response:
    """One JSON document with an entry a line, so that it can be read and parsed alike."""
    items = ",\n".join(line.rstrip("\n") for line in _lines(entries, text))
    last = entries[-1].seq if len(entries) == limit else "null"
    return Response(f'{{"items":[\n{items}\n],"next":{last}}}\n', media_type="application/json")


def _wanted(headers: Mapping[str, str]) -> str:
    """The form that `Accept` likes best; JSON where it names none of them."""
    accept = headers.get("accept", "*/*")
    liked = sorted(map(_preference, accept.split(",")), key=lambda each: -each[1])
    return next((name for name, q in liked if name in FORMS and q > 0), FORMS[0])


def _preference(part: str) -> tuple[str, float]:
    """One media type of `Accept` with its quality; what cannot be read is liked least."""
    name, _, rest = part.partition(";")
    quality = re.search(r"q=([01](?:\.[0-9]{0,3})?)", rest)
    return name.strip().lower(), float(quality[1]) if quality else 1.0


def _lines(entries: Iterable[Entry], text: bool) -> Iterator[str]:
    for entry in entries:
        yield json.dumps(entry_view(entry, text=text), ensure_ascii=False) + "\n"


@router.get("/controller/log/{seq}", openapi_extra=access("reader"))
async def entry(request: Request, seq: Annotated[int, Path(ge=0, le=2**53)]) -> Response:
    """One entry, and the entries that refer to it."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    reader, text = wiring(request).reader, sees_text(who)
    found = await run_in_threadpool(reader.get, seq)
    if found is None:
        return problem(
            404,
            "unknown_seq",
            "The log has no entry at this place; `floorboss log` lists the newest.",
        )
    referring = await run_in_threadpool(reader.referring_to, seq)
    later: list[Json] = [entry_view(each, text=text) for each in referring]
    shown: dict[str, Json] = {**entry_view(found, text=text), "referred_to_by": later}
    handed = await _handed(request, found, text=text)
    return answer({**shown, **({"artifact": handed} if handed else {})})


async def _handed(request: Request, entry: Entry, *, text: bool) -> Json:
    """What an agent handed over for the way back that an entry is; None: nothing, or it is none."""
    tightening = whole_of(entry.body, "return") if entry.kind == "proposed" else None
    if tightening is None:
        return None
    loaded = await wiring(request).control.session(entry.scope)
    if isinstance(loaded, Unavailable):
        return None
    return artifact_view(loaded[0], entry.scope, tightening, text=text)


@router.get("/controller/verify", openapi_extra=access("reader"))
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


@router.get("/controller/checkpoint", openapi_extra=access("reader"))
async def checkpoint(request: Request) -> Response:
    """The head of the chain, to be kept somewhere else."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    head = await run_in_threadpool(wiring(request).reader.checkpoint)
    return answer({"seq": head.seq, "hash": head.hash, "at": head.at})
