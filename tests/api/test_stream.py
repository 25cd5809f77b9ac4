"""The stream of entries: from where the client was, each once, in order, as far as it may see."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.api.stream import PAGE, PING, RETRY, events
from tests.api.running import Running


def parsed(chunk: bytes) -> list[dict[str, Any]]:
    """The events of a piece of the stream: their ids, their kinds and their entries."""
    found = []
    for block in chunk.decode().removesuffix("\n\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        entry = json.loads(fields.pop("data"))
        assert fields == {"id": str(entry["seq"]), "event": entry["kind"]}
        found.append(entry)
    return found


async def taken(running: Running, last: int, count: int, **more: Any) -> list[dict[str, Any]]:
    """So many entries after `last`."""
    found: list[dict[str, Any]] = []
    stream = started(running, last, **more)
    assert await anext(stream) == RETRY
    while len(found) < count:
        found += parsed(await anext(stream))
    await stream.aclose()  # type: ignore[attr-defined]
    return found


def started(running: Running, last: int, **more: Any) -> AsyncIterator[bytes]:
    daemon = running.daemon
    return events(daemon.reader, daemon.bell, last, **{"text": True, **more})


def test_what_is_there_already_comes_in_order_as_the_log_shows_it(running: Running) -> None:
    running.tightened()
    log = running.log()
    assert asyncio.run(taken(running, 0, len(log))) == log
    assert asyncio.run(taken(running, 3, len(log) - 3)) == log[3:]


def test_more_than_a_page_comes_whole(running: Running) -> None:
    running.post("/controller/events", [{"session_id": "s", "kind": "prompt"}] * (2 * PAGE + 1))
    log = running.log()
    assert asyncio.run(taken(running, 0, len(log))) == log


def test_what_is_committed_while_a_client_waits_comes_at_once(running: Running) -> None:
    async def work() -> list[dict[str, Any]]:
        last = running.daemon.reader.head()
        waiting = asyncio.ensure_future(taken(running, last, 1))
        await asyncio.sleep(0.05)  # by now it waits; if not, the entry comes all the same
        await asyncio.to_thread(running.event, "s", tool="Read")
        return await waiting

    assert asyncio.run(work()) == running.log()[-1:]


def test_who_may_not_see_texts_sees_outlines(running: Running) -> None:
    secret = "canary-1b7"
    running.event("s", kind="tool", tool="Bash", arguments={"command": secret}, result=secret)
    shown = asyncio.run(taken(running, 0, 2, text=False))
    assert secret not in json.dumps(shown)
    outlines = running.ask("GET", "/controller/log", role="outline").json()["items"][::-1]
    assert shown == outlines


def test_a_line_break_in_a_text_breaks_no_event(running: Running) -> None:
    text = "a\r\ndata: {}\n\nid: 7\u2028\u0085"
    running.event("s", tool="Bash", arguments={"command": "x"}, result=text)
    entry = asyncio.run(taken(running, 1, 1))[0]
    assert entry["body"]["result"] == text


def test_silence_is_filled_with_comments(running: Running) -> None:
    async def work() -> list[bytes]:
        stream = started(running, running.daemon.reader.head(), quiet=0.001)
        return [await anext(stream) for _ in range(3)]

    assert asyncio.run(work()) == [RETRY, PING, PING]


def test_the_end_of_the_daemon_ends_the_stream_after_what_is_in_the_log(running: Running) -> None:
    async def work() -> list[bytes]:
        stream = started(running, 0)
        first = [await anext(stream)]
        running.daemon.bell.close()
        return first + [chunk async for chunk in stream]

    chunks = asyncio.run(work())
    assert [entry["seq"] for chunk in chunks[1:] for entry in parsed(chunk)] == [1]


@pytest.mark.parametrize("given", ["x", "-1", "1.0", "9" * 17, "1 2"])
def test_an_id_that_is_no_seq_is_refused_without_repeating_it(running: Running, given: str) -> None:
    response = running.ask("GET", "/controller/stream", headers={"Last-Event-ID": given})
    assert response.status_code == 422
    assert response.json()["at"] == "Last-Event-ID"
    assert f"'{given}'" not in response.text


def test_a_wrong_token_opens_no_stream(running: Running) -> None:
    headers = {"Authorization": "Bearer nobody"}
    response = running.ask("GET", "/controller/stream", role="outline", headers=headers)
    assert response.status_code == 401


def ended(running: Running, path: str, **more: Any) -> list[int]:
    """The seqs of a stream of a daemon that ends."""
    running.daemon.bell.close()
    response = running.ask("GET", path, **more)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    body = response.content.removeprefix(RETRY)
    return [entry["seq"] for entry in parsed(body)] if body else []


@pytest.mark.parametrize(
    ("path", "headers", "seqs"),
    [
        ("/controller/stream", {}, []),
        ("/controller/stream?after=0", {}, [1, 2, 3]),
        ("/controller/stream?after=2", {}, [3]),
        ("/controller/stream", {"Last-Event-ID": "1"}, [2, 3]),
        ("/controller/stream?after=0", {"Last-Event-ID": "2"}, [3]),
        ("/controller/stream?after=1", {"Last-Event-ID": ""}, [2, 3]),
        ("/controller/stream?after=99", {}, []),
    ],
)
def test_the_header_is_above_the_address_and_neither_means_from_now_on(
    running: Running, path: str, headers: dict[str, str], seqs: list[int]
) -> None:
    running.post("/controller/events", [{"session_id": "s", "kind": "prompt"}] * 2)
    assert ended(running, path, headers=headers) == seqs
