"""A request's body on the own routes: its type, its size, its time, and the events in it.

Content-Type  application/json or application/x-ndjson, in UTF-8      else 415
size          16 MiB a request, 10,000 events in it, 1 MiB an event   else 413
time          10 s from the first byte awaited to the last            else 408
content       strict JSON (harness/strict_json.py)                    else 400
              neutral events (harness/neutral.py), all or none        else 422
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast
from urllib.parse import parse_qsl

from starlette.types import Message, Receive

from app.api.headers import Headers
from app.domain.events import Event, Json
from app.harness.base import Fault
from app.harness.neutral import event, invalid
from app.harness.strict_json import DEPTH, EMPTY, lines, parse

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
MEDIA_TYPE: Final = re.compile(r"([a-z/-]+)[ \t]*(?:;[ \t]*charset=(?:utf-8|\"utf-8\")[ \t]*)?")

REQUEST: Final = 16 << 20  # bytes
EVENT: Final = 1 << 20  # bytes
EVENTS: Final = 10_000  # a request
SECONDS: Final = 10.0
OFF_LOOP: Final = 256 << 10  # bytes; a larger body is parsed in a thread, others are served on

TOO_SLOW: Final = Fault(code="too_slow", detail="The body did not come in time.", status=408)
CUT_OFF: Final = Fault(code="cut_off", detail="The connection closed before the body was whole.")
ENCODED: Final = Fault(
    code="media_type", detail="Send the body as it is, without Content-Encoding.", status=415
)
EVENT_TOO_LARGE: Final = Fault(
    code="too_large", detail=f"An event is larger than {EVENT:,} bytes.", status=413
)
TOO_MANY: Final = Fault(
    code="too_large", detail=f"A request holds at most {EVENTS:,} events.", status=413
)
NO_EVENTS: Final = invalid("", "expected at least one event", code="no_events")
TWO_SESSIONS: Final = invalid("session", "expected one session, in the query or in a header")


async def events_in(
    receive: Receive, headers: Headers, session: str | None = None
) -> tuple[Event, ...] | Fault:
    """The events of a request, one at least; `session` stands in for a missing session_id."""
    kind = media_type(headers, (JSON, NDJSON))
    if isinstance(kind, Fault):
        return kind
    body = await read_body(receive, REQUEST, headers)
    if isinstance(body, Fault):
        return body
    if len(body) > OFF_LOOP:
        return await asyncio.to_thread(events_of, body, kind, session)
    return events_of(body, kind, session)


async def object_in(
    receive: Receive, headers: Headers, *, optional: bool = False
) -> dict[str, Json] | Fault:
    """The one JSON object of a request; with `optional`, no body at all is an empty one."""
    kind = media_type(headers, (JSON,))
    absent = optional and b"content-type" not in headers
    if isinstance(kind, Fault) and not absent:
        return kind
    body = await read_body(receive, EVENT, headers)
    if isinstance(body, Fault):
        return body
    if absent:
        return kind if isinstance(kind, Fault) and body else {}
    value = parse(body)
    if isinstance(value, Fault | dict):
        return value
    return invalid("", "expected an object", code="invalid_request")


async def read_body(
    receive: Receive, limit: int, headers: Headers, seconds: float = SECONDS
) -> bytes | Fault:
    """The whole body, of at most `limit` bytes, awaited for at most `seconds`.

    What is too large is refused from its declared length, or else with the byte that exceeds it.
    """
    if max(map(_declared, headers.get(b"content-length", ())), default=0) > limit:
        return _too_large(limit)
    first = at_once(receive)
    if first is not None and not first.get("more_body", False):
        return await _collect(receive, limit, first)  # waits for nothing
    try:
        async with asyncio.timeout(seconds):
            return await _collect(receive, limit, first)
    except TimeoutError:
        return TOO_SLOW


def at_once(receive: Receive) -> Message | None:
    """The next message if it is there already, as most bodies are; None: it must be awaited.

    A timer for each request would cost more than reading it.
    """
    waiting = receive().__await__()
    try:
        next(waiting)
    except StopIteration as done:
        return cast(Message, done.value)
    waiting.close()
    return None


def media_type(headers: Headers, allowed: Sequence[str]) -> str | Fault:
    """The body's media type, one of `allowed`, in UTF-8 and not compressed."""
    encodings = headers.get(b"content-encoding", ())
    if encodings and any(value.strip().lower() != b"identity" for value in encodings):
        return ENCODED
    given = headers.get(b"content-type", ())
    found = _media_type(given[0]) if len(given) == 1 else None
    if found is None or found not in allowed:
        expected = " or ".join(allowed)
        return Fault(
            code="media_type", detail=f"Send {expected}, in UTF-8, as Content-Type.", status=415
        )
    return found


@lru_cache(maxsize=64)  # each client sends the same one every time
def _media_type(value: bytes) -> str | None:
    found = MEDIA_TYPE.fullmatch(value.decode("latin-1").strip().lower())
    return found[1] if found else None


def named_session(query: bytes, headers: Headers) -> str | Fault | None:
    """The session that `?session=` or the header X-Session-Id names; None: neither does."""
    named = headers.get(b"x-session-id", ())
    if not query and not named:
        return None
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict")
        said = [value for name, value in pairs if name == "session"]
        said += [value.decode("utf-8") for value in named]
    except ValueError:
        return replace(TWO_SESSIONS, code="bad_unicode", status=400)
    match sorted(set(said)):
        case []:
            return None
        case [session]:
            return session
        case _:
            return TWO_SESSIONS


def events_of(body: bytes, kind: str, session: str | None = None) -> tuple[Event, ...] | Fault:
    """The events in a body of media type `kind`: an object, an array, or one a line."""
    if not body.strip():
        return EMPTY
    if kind == NDJSON:
        return _batch(_values_of_lines(body), session)
    if body.lstrip().startswith(b"["):
        return _batch(_values_of_array(body), session)
    if len(body) > EVENT:
        return EVENT_TOO_LARGE
    value = parse(body)
    single = value if isinstance(value, Fault) else event(value, session=session)
    return single if isinstance(single, Fault) else (single,)


async def _collect(receive: Receive, limit: int, first: Message | None) -> bytes | Fault:
    chunks: list[bytes] = []
    size = 0
    message = first or await receive()
    while True:
        if message["type"] == "http.disconnect":
            return CUT_OFF
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            return _too_large(limit)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)
        message = await receive()


def _values_of_lines(body: bytes) -> tuple[Json, ...] | Fault:
    if body.strip().count(b"\n") >= EVENTS:
        return TOO_MANY
    if len(body) > EVENT and any(len(line) > EVENT for line in body.split(b"\n")):
        return EVENT_TOO_LARGE
    return lines(body)


def _values_of_array(body: bytes) -> tuple[Json, ...] | Fault:
    values = parse(body, DEPTH + 1)  # the array is not a level of the event
    if isinstance(values, Fault):
        return values
    assert isinstance(values, list)
    if len(values) > EVENTS:
        return TOO_MANY
    if len(body) > EVENT and any(_size(value) > EVENT for value in values):
        return EVENT_TOO_LARGE
    return tuple(values)


def _batch(values: tuple[Json, ...] | Fault, session: str | None) -> tuple[Event, ...] | Fault:
    if isinstance(values, Fault):
        return values
    events: list[Event] = []
    for index, value in enumerate(values):
        taken = event(value, session=session)
        if isinstance(taken, Fault):
            return _at_index(taken, index)
        events.append(taken)
    return tuple(events) or NO_EVENTS


def _at_index(fault: Fault, index: int) -> Fault:
    at = f"[{index}].{fault.at}" if fault.at else f"[{index}]"
    return replace(fault, at=at, detail=f"Event {index}, counted from 0: {fault.detail}")


def _size(value: Json) -> int:
    """Bytes of the value as it would be sent without blanks."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def _declared(length: bytes) -> int:
    """The declared length as far as it matters; what is no number is the server's to refuse."""
    return int(length[:20]) if length.isdigit() else 0


def _too_large(limit: int) -> Fault:
    return Fault(code="too_large", detail=f"The body is larger than {limit:,} bytes.", status=413)
