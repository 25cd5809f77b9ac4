"""Bodies: their type, size and time, and what is taken from them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from starlette.types import Message, Receive

from app.api.body import (
    EVENT,
    EVENTS,
    JSON,
    NDJSON,
    OFF_LOOP,
    REQUEST,
    events_in,
    events_of,
    media_type,
    named_session,
    object_in,
    read_body,
)
from app.api.headers import Headers
from app.domain.events import Event
from app.harness.base import Fault
from app.service.tokens import Tokens
from tests.api.small_app import SmallApp, ask

CALL = b'{"session_id": "s", "tool": "Bash"}'
AS_JSON: Headers = {b"content-type": [b"application/json"]}
AS_LINES: Headers = {b"content-type": [b"application/x-ndjson"]}


def in_chunks(chunks: Iterable[bytes]) -> Receive:
    """A client that sends `chunks` and then the end of the body."""
    left = iter(chunks)

    async def receive() -> Message:
        chunk = next(left, None)
        if chunk is None:
            return {"type": "http.request", "body": b"", "more_body": False}
        return {"type": "http.request", "body": chunk, "more_body": True}

    return receive


async def stalled() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("a stalled client sends nothing")


async def hung_up() -> Message:
    return {"type": "http.disconnect"}


def outcome(taken: object) -> tuple[int, str]:
    return (taken.status, taken.code) if isinstance(taken, Fault) else (201, "")


def padded(size: int) -> bytes:
    """One event of exactly `size` bytes, without blanks."""
    head, tail = b'{"session_id":"s","tool":"Bash","result":"', b'"}'
    return head + b"x" * (size - len(head) - len(tail)) + tail


@pytest.mark.parametrize(
    "value",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
        " application/json ",
        "application/x-ndjson",
        "application/x-ndjson; charset=utf-8",
    ],
)
def test_json_in_utf8_is_a_media_type_that_is_taken(value: str) -> None:
    assert media_type({b"content-type": [value.encode()]}, (JSON, NDJSON)) in (JSON, NDJSON)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
        "application/json; charset=utf-8; x=y",
        "application/json;",
        "application/json, text/plain",
        "application/jsonx",
        "application/problem+json",
        "application/vnd.api+json",
        "application/ndjson",
        "application/\u00e9",
    ],
)
def test_any_other_media_type_is_refused(value: str) -> None:
    refused = media_type({b"content-type": [value.encode("latin-1")]}, (JSON, NDJSON))
    assert outcome(refused) == (415, "media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {b"content-type": [b"application/json"] * 2},
        {**AS_JSON, b"content-encoding": [b"gzip"]},
        {**AS_JSON, b"content-encoding": [b"identity", b"br"]},
    ],
)
def test_no_type_two_types_and_compression_are_refused(headers: Headers) -> None:
    assert outcome(media_type(headers, (JSON,))) == (415, "media_type")


def test_lines_are_refused_where_one_object_is_expected() -> None:
    assert outcome(media_type(AS_LINES, (JSON,))) == (415, "media_type")


def test_a_body_is_put_together_from_its_chunks() -> None:
    assert asyncio.run(read_body(in_chunks([b"ab", b"", b"c"]), 3, {})) == b"abc"


def test_a_body_that_comes_late_and_in_pieces_is_whole() -> None:
    pieces: asyncio.Queue[Message] = asyncio.Queue()

    async def client() -> None:
        for chunk in (b"ab", b"", b"c"):
            await asyncio.sleep(0.001)
            pieces.put_nowait({"type": "http.request", "body": chunk, "more_body": chunk != b"c"})

    async def read() -> bytes | Fault:
        async with asyncio.TaskGroup() as both:
            both.create_task(client())
            taken = both.create_task(read_body(pieces.get, 3, {}))
        return taken.result()

    assert asyncio.run(read()) == b"abc"


def test_a_body_that_stops_midway_is_given_up() -> None:
    pieces = iter([{"type": "http.request", "body": b"a", "more_body": True}])

    async def receive() -> Message:
        return next(pieces, None) or await stalled()

    assert outcome(asyncio.run(read_body(receive, 10, {}, seconds=0.001))) == (408, "too_slow")


def test_a_body_without_end_is_given_up_at_the_limit() -> None:
    sent = 0

    def forever() -> Iterable[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b"x" * 1000

    assert outcome(asyncio.run(read_body(in_chunks(forever()), 5_000, {}))) == (413, "too_large")
    assert sent == 6


@pytest.mark.parametrize("length", [b"5001", b"200000000", b"9" * 5000])
def test_a_body_that_is_declared_too_large_is_not_awaited(length: bytes) -> None:
    headers = {b"content-length": [length]}
    assert outcome(asyncio.run(read_body(hung_up, 5_000, headers))) == (413, "too_large")


@pytest.mark.parametrize("length", [b"", b"-1", b"x", b"0"])
def test_a_length_that_says_nothing_does_not_replace_counting(length: bytes) -> None:
    headers = {b"content-length": [length]}
    assert outcome(asyncio.run(read_body(in_chunks([b"abcd"]), 3, headers))) == (413, "too_large")


def test_a_body_that_does_not_come_is_given_up() -> None:
    assert outcome(asyncio.run(read_body(stalled, 10, {}, seconds=0.001))) == (408, "too_slow")


def test_a_connection_that_closes_midway_is_a_fault() -> None:
    assert outcome(asyncio.run(read_body(hung_up, 10, {}))) == (400, "cut_off")


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b"", JSON, (400, "empty_body")),
        (b" \n", JSON, (400, "empty_body")),
        (b"", NDJSON, (400, "empty_body")),
        (b"\n\n", NDJSON, (400, "empty_body")),
        (b"[]", JSON, (422, "no_events")),
        (b" [ ] ", JSON, (422, "no_events")),
        (b"{}", JSON, (422, "invalid_event")),
        (b"null", JSON, (422, "invalid_event")),
        (b"7", JSON, (422, "invalid_event")),
        (b"[[]]", JSON, (422, "invalid_event")),
        (b"[]", NDJSON, (422, "invalid_event")),
        (CALL + b"\n" + CALL, JSON, (400, "bad_json")),
        (b"[" + CALL + b"," + CALL, JSON, (400, "bad_json")),
        (CALL + b"\n{", NDJSON, (400, "bad_json")),
        (b"[" + CALL + b", NaN]", JSON, (400, "non_finite_number")),
    ],
)
def test_what_holds_no_whole_event_is_refused(
    body: bytes, kind: str, expected: tuple[int, str]
) -> None:
    assert outcome(events_of(body, kind)) == expected


@pytest.mark.parametrize(
    ("body", "kind", "count"),
    [
        (CALL, JSON, 1),
        (b"\n " + CALL + b"\n", JSON, 1),
        (b"[" + CALL + b"]", JSON, 1),
        (b"[" + CALL + b"," + CALL + b"]", JSON, 2),
        (CALL, NDJSON, 1),
        (CALL + b"\n\n" + CALL + b"\r\n", NDJSON, 2),
    ],
)
def test_an_object_an_array_and_lines_are_events(body: bytes, kind: str, count: int) -> None:
    assert events_of(body, kind) == (Event(session_id="s", tool="Bash"),) * count


@pytest.mark.parametrize(
    ("kind", "ends", "comma"), [(JSON, (b"[", b"]"), b","), (NDJSON, (b"", b""), b"\n")]
)
def test_one_bad_event_spoils_the_batch_and_is_named_by_its_index(
    kind: str, ends: tuple[bytes, bytes], comma: bytes
) -> None:
    items = [CALL] * 500
    items[321] = b'{"session_id": "s", "tool": "Bash", "duration_ms": -1}'
    fault = events_of(ends[0] + comma.join(items) + ends[1], kind)
    assert isinstance(fault, Fault)
    assert (fault.status, fault.at) == (422, "[321].duration_ms")
    assert "Event 321" in fault.detail


def test_the_session_of_the_request_reaches_every_event() -> None:
    line = b'{"tool": "Bash", "success": false}'
    taken = events_of(line + b"\n" + line, NDJSON, "from-the-query")
    assert taken == (Event(session_id="from-the-query", tool="Bash", outcome="error"),) * 2


@pytest.mark.parametrize("wrap", [(b"", b""), (b"[", b"]")])
def test_an_event_has_the_same_depth_alone_and_in_an_array(wrap: tuple[bytes, bytes]) -> None:
    def nested(levels: int) -> bytes:
        inner = b"[" * (levels - 2) + b"]" * (levels - 2)
        event = b'{"session_id": "s", "tool": "Bash", "arguments": {"a": %b}}' % inner
        return wrap[0] + event + wrap[1]

    assert outcome(events_of(nested(64), JSON)) == (201, "")
    assert outcome(events_of(nested(65), JSON)) == (400, "too_deep")


@pytest.mark.parametrize(
    ("kind", "ends"), [(JSON, (b"", b"")), (JSON, (b"[", b"]")), (NDJSON, (b"", b""))]
)
def test_an_event_may_have_one_mebibyte_and_not_a_byte_more(
    kind: str, ends: tuple[bytes, bytes]
) -> None:
    def sent(size: int) -> bytes:
        return ends[0] + padded(size) + ends[1]

    assert outcome(events_of(sent(EVENT), kind)) == (201, "")
    assert outcome(events_of(sent(EVENT + 1), kind)) == (413, "too_large")


@pytest.mark.parametrize(
    ("kind", "ends", "comma"), [(JSON, (b"[", b"]"), b","), (NDJSON, (b"", b"\n"), b"\n")]
)
def test_a_request_may_hold_so_many_events_and_no_more(
    kind: str, ends: tuple[bytes, bytes], comma: bytes
) -> None:
    def sent(count: int) -> bytes:
        return ends[0] + comma.join([CALL] * count) + ends[1]

    assert outcome(events_of(sent(EVENTS), kind)) == (201, "")
    assert outcome(events_of(sent(EVENTS + 1), kind)) == (413, "too_large")


@pytest.mark.parametrize("size", [OFF_LOOP, OFF_LOOP + 1])
def test_a_large_body_gives_the_same_events_as_a_small_one(size: int) -> None:
    events = asyncio.run(events_in(in_chunks([padded(size)]), AS_JSON))
    assert isinstance(events, tuple)
    assert [event.session_id for event in events] == ["s"]


def test_a_request_larger_than_the_limit_is_refused_while_it_comes() -> None:
    chunks = (b" " * 65_536 for _ in range(REQUEST // 65_536 + 1))
    assert outcome(asyncio.run(events_in(in_chunks(chunks), AS_JSON))) == (413, "too_large")


@pytest.mark.parametrize(
    ("body", "headers", "optional", "expected"),
    [
        (b'{"a": 1}', AS_JSON, False, (201, "")),
        (b"[]", AS_JSON, False, (422, "invalid_request")),
        (b"", AS_JSON, False, (400, "empty_body")),
        (b"", {}, False, (415, "media_type")),
        (b"", {}, True, (201, "")),
        (b"{}", {}, True, (415, "media_type")),
        (b"{}", AS_JSON, True, (201, "")),
        (b"{}", AS_LINES, True, (415, "media_type")),
        (b'{"a": 1, "a": 2}', AS_JSON, True, (400, "duplicate_key")),
    ],
)
def test_one_object_is_taken_where_one_is_expected(
    body: bytes, headers: Headers, optional: bool, expected: tuple[int, str]
) -> None:
    taken = asyncio.run(object_in(in_chunks([body]), headers, optional=optional))
    assert outcome(taken) == expected


@pytest.mark.parametrize(
    ("query", "header", "session"),
    [
        (b"", None, None),
        (b"session=a%20b", None, "a b"),
        (b"x=1&session=%D1%81", None, "\u0441"),
        (b"", b"s", "s"),
        (b"", "\u0441".encode(), "\u0441"),
        (b"session=s", b"s", "s"),
        (b"session=", None, ""),
    ],
)
def test_a_request_can_name_its_session(
    query: bytes, header: bytes | None, session: str | None
) -> None:
    headers: Headers = {} if header is None else {b"x-session-id": [header]}
    assert named_session(query, headers) == session


@pytest.mark.parametrize(
    ("query", "header", "expected"),
    [
        (b"session=a&session=b", b"a", (422, "invalid_event")),
        (b"session=a", b"b", (422, "invalid_event")),
        (b"session=%FF", b"a", (400, "bad_unicode")),
        (b"session=a", b"\xff", (400, "bad_unicode")),
        (b"session=\xff", b"a", (400, "bad_unicode")),
    ],
)
def test_a_request_that_names_two_sessions_or_none_that_can_be_read_is_refused(
    query: bytes, header: bytes, expected: tuple[int, str]
) -> None:
    assert outcome(named_session(query, {b"x-session-id": [header]})) == expected


def test_a_good_event_after_each_hostile_body_is_stored(tmp_path: Path) -> None:
    small = SmallApp(Tokens(tmp_path))
    app = small.build()
    text = small.tokens.ensure_harness().read_text().strip()
    headers = {"Authorization": f"Bearer {text}", "Content-Type": "application/json"}
    hostile = [
        b"",
        b"NaN",
        b"\xff",
        b'"\\ud800"',
        b"[" * 100_000,
        b"1" * 5_000,
        b'"' + b'\\"' * 20_000,
        b'{"session_id": "s", "tool": "Bash", "duration_ms": 9223372036854775808}',
        b'{"session_id": "s", "tool": "Bash", "arguments": {"a": NaN}}',
        b'{"session_id": "s", "session_id": "s", "tool": "Bash"}',
        padded(EVENT + 1),
    ]
    for body in hostile:
        got = ask(app, "POST", "/controller/events", headers=headers, content=body)
        assert got.status_code in (400, 413, 422)
        assert got.headers["content-type"] == "application/problem+json"
        good = ask(app, "POST", "/controller/events", headers=headers, content=CALL)
        assert good.status_code == 201
    assert len(small.stored) == len(hostile)


def test_a_line_of_the_seed_prototype_is_taken_with_its_session_in_the_query(
    tmp_path: Path,
) -> None:
    small = SmallApp(Tokens(tmp_path))
    text = small.tokens.ensure_harness().read_text().strip()
    got = ask(
        small.build(),
        "POST",
        "/controller/events?session=prototype",
        headers={"Authorization": f"Bearer {text}", "Content-Type": "application/json"},
        content=json.dumps({"tool": "Bash", "success": True, "cumulative_tokens": 7}).encode(),
    )
    assert got.status_code == 201
    assert small.stored == [
        Event(session_id="prototype", tool="Bash", outcome="ok", context_tokens=7)
    ]
