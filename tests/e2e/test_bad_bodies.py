"""Whatever is sent, the next good event on the same connection is stored, and nothing else is."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.process import Process

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "bad_bodies.json").read_text()
)
CHUNK = b"x" * (1 << 20)
GROWTH = 20 << 20  # bytes; a request may hold 16 MiB until it is refused


def content(given: dict[str, Any]) -> bytes:
    match given:
        case {"text": str(text)}:
            return text.encode()
        case {"hex": str(digits)}:
            return bytes.fromhex(digits)
        case {"repeat": [str(before), str(unit), int(times), str(after)]}:
            return f"{before}{unit * times}{after}".encode()
        case _:
            raise AssertionError(given)


def send_bad(
    process: Process, connection: http.client.HTTPConnection, case: dict[str, Any]
) -> None:
    given, then = case["given"], case["then"]
    headers = {**process.harness, "Content-Type": given.get("type", "application/json")}
    headers |= given.get("headers", {})
    if not headers["Content-Type"]:
        del headers["Content-Type"]
    connection.request("POST", "/controller/events", content(given), headers)
    response = connection.getresponse()
    problem = json.loads(response.read())
    assert response.status == then["status"], problem
    assert response.headers["Content-Type"] == "application/problem+json"
    assert problem["type"] == f"/problems/{then['code']}" if "code" in then else problem["type"]


def send_good(process: Process, connection: http.client.HTTPConnection, name: str) -> None:
    event = {"session_id": "good", "kind": "prompt", "event_id": name}
    status, answer = process.ask("POST", "/controller/events", event, connection=connection)
    assert (status, answer["results"][0]["duplicate"]) == (201, False)


def stored(process: Process) -> list[str]:
    return [entry["body"]["event_id"] for entry in process.log("&scope=good")]


def test_a_good_event_after_each_bad_body_on_one_connection_is_stored_once(
    process: Process,
) -> None:
    with closing(process.connection()) as connection:
        connection.connect()
        socket = connection.sock
        for case in CASES:
            send_bad(process, connection, case)
            send_good(process, connection, case["name"])
            assert connection.sock is socket, f"{case['name']}: the connection was closed"
    assert stored(process) == [case["name"] for case in CASES]
    assert process.log("&scope=bad") == []
    assert process.ask("GET", "/controller/verify")[1]["ok"]
    assert "unhandled" not in (process.folder / "stderr").read_text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_bad_body_on_a_fresh_connection_stores_nothing(
    shared: Process, case: dict[str, Any]
) -> None:
    before = shared.ask("GET", "/controller/checkpoint")
    with closing(shared.connection()) as connection:
        send_bad(shared, connection, case)
    assert shared.ask("GET", "/controller/checkpoint") == before


EVENT = {"session_id": "edge", "tool": "Read"}
LARGEST = (1 << 20) - len(json.dumps({**EVENT, "result": ""}))


@pytest.mark.parametrize(
    "event",
    [
        {**EVENT, "result": "a" * LARGEST},
        {**EVENT, "arguments": {"a": json.loads("[" * 62 + "]" * 62)}},
        {**EVENT, "result": "\u0000 \u001b[2K \u202e \ud83d\ude00"},
        {**EVENT, "duration_ms": 2**53 - 1},
        {**EVENT, "session_id": "a" * 128},
    ],
    ids=["1 MiB", "64 levels", "any text", "2^53 - 1", "128 characters"],
)
def test_what_is_just_within_a_limit_is_stored(shared: Process, event: dict[str, Any]) -> None:
    status, answer = shared.ask("POST", "/controller/events", event)
    assert status == 201, answer


def chunks(times: int) -> Iterator[bytes]:
    yield b'{"session_id": "'
    for _ in range(times):
        yield CHUNK


@pytest.mark.parametrize("path", ["/controller/events", "/controller/decide"])
@pytest.mark.parametrize("declared", [True, False])
def test_two_hundred_megabytes_are_refused_and_not_held(
    shared: Process, path: str, declared: bool
) -> None:
    connection = shared.connection()
    send_good(shared, connection, f"before {path} {declared}")
    before = shared.memory()
    headers = {**shared.harness, "Content-Type": "application/json"}
    if declared:
        headers["Content-Length"] = str(16 + 200 * len(CHUNK))
    held = before

    def watched() -> Iterator[bytes]:
        nonlocal held
        for number, chunk in enumerate(chunks(200)):
            yield chunk
            if number % 10 == 0:
                held = max(held, shared.memory())

    connection.request("POST", path, watched(), headers, encode_chunked=not declared)
    response = connection.getresponse()
    problem = json.loads(response.read())
    assert (response.status, problem["type"]) == (413, "/problems/too_large")
    assert max(held, shared.memory()) - before < GROWTH
    send_good(shared, connection, f"after {path} {declared}")
    connection.close()


@pytest.mark.parametrize("start", [b"GET /", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_head_without_end_is_refused_and_not_held(shared: Process, start: bytes) -> None:
    before = shared.memory()
    with socket.create_connection(("127.0.0.1", shared.port), timeout=10) as client:
        with suppress(OSError):  # it is closed while we still send
            client.sendall(start)
            for _ in range(50):
                client.sendall(CHUNK)
        answer = b""
        with suppress(OSError):  # what was still under way makes it a reset
            answer = client.recv(64)
    assert answer[:13] in (b"", b"HTTP/1.1 431 ")
    assert shared.memory() - before < GROWTH
    with closing(shared.connection()) as connection:
        send_good(shared, connection, f"after a head {len(start)}")


def test_a_long_head_and_many_requests_at_once_are_served(shared: Process) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 50_000 + b"\r\n\r\n"
    with socket.create_connection(("127.0.0.1", shared.port), timeout=10) as client:
        client.sendall(head * 20)
        answers = b""
        while answers.count(b"HTTP/1.1 200") < 20:
            answers += client.recv(65_536)
    assert b" 431 " not in answers
