"""`GET /controller/stream`: the log as it grows, as server-sent events.

    id: 42                 the entry's seq; sent back as Last-Event-ID it resumes right after it
    event: applied         its kind
    data: {"seq": 42, ...} the entry, as everywhere

Each client reads the log itself, from where it is up to the head, and then waits for the bell. So
it sees what is committed, each entry once and in order, however often it is cut off. A client that
is slow holds one page in memory and is behind; it holds nobody up.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from app.api.auth import sees_text
from app.api.headers import Headers, by_name
from app.api.problems import answer as faulty
from app.api.schemas import access
from app.api.wiring import caller, wiring
from app.domain.entries import Entry
from app.domain.views import entry_view
from app.harness.base import Fault
from app.service.archive import Archive, LogUnavailable
from app.service.bell import Bell

router = APIRouter(tags=["log"])
PAGE: Final = 100  # entries read at once, and held for one client at the most
QUIET: Final = 15.0  # seconds without an entry, after which a comment shows that we are there
RETRY: Final = b"retry: 1000\n\n"  # milliseconds that a browser waits before it comes again
PING: Final = b": nothing new\n\n"
LARGEST: Final = 2**53
BAD_ID: Final = Fault(
    code="invalid_request",
    detail="Last-Event-ID: expected the seq of an entry, a whole number.",
    status=422,
    at="Last-Event-ID",
)
STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Server-sent events: `id` is the seq, `event` the kind, `data` the entry."
        " They go on after `Last-Event-ID`, else after `after`, else from now on.",
        "content": {"text/event-stream": {}},
    }
}


@router.get("/controller/stream", openapi_extra=access("reader"), responses=STREAM)
async def stream(
    request: Request, after: Annotated[int | None, Query(ge=0, le=LARGEST)] = None
) -> Response:
    """Entries as they are committed; a client that was cut off resumes where it was."""
    who = caller(request, "reader")
    if isinstance(who, Fault):
        return faulty(who)
    last = resumed(by_name(request.scope["headers"]))
    if isinstance(last, Fault):
        return faulty(last)
    parts = wiring(request)
    if last is None:
        last = after if after is not None else await run_in_threadpool(parts.reader.head)
    return StreamingResponse(
        events(parts.reader, parts.bell, last, text=sees_text(who)),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},  # a proxy that collects would hold entries back
    )


def resumed(headers: Headers) -> int | Fault | None:
    """Where the client was; browsers send it with the first address, so it is above `after`."""
    given = [value.strip() for value in headers.get(b"last-event-id", ())]
    if not any(given):
        return None
    if len(given) > 1 or not given[0].isdigit() or len(given[0]) > 16:
        return BAD_ID
    return int(given[0])


async def events(
    reader: Archive, bell: Bell, last: int, *, text: bool, quiet: float = QUIET
) -> AsyncIterator[bytes]:
    """Every entry after `last`, for ever; ends when the daemon does or the log cannot be read."""
    yield RETRY
    while True:
        rung = bell.next()  # before the log is read: what is committed meanwhile rings it
        read = partial(reader.page, after=last, limit=PAGE, newest_first=False)
        try:
            page = await run_in_threadpool(read)
        except LogUnavailable:
            return  # the client comes again, with the last id that it has
        if page:
            last = page[-1].seq
            yield b"".join(_event(entry, text) for entry in page)
        elif bell.closed:
            return
        elif not await _heard(rung, quiet):
            yield PING


async def _heard(rung: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await rung.wait()
    return rung.is_set()


def _event(entry: Entry, text: bool) -> bytes:
    data = json.dumps(entry_view(entry, text=text), ensure_ascii=False)  # escapes line breaks
    return f"id: {entry.seq}\nevent: {entry.kind}\ndata: {data}\n\n".encode()
