"""A load generator on loopback: keep-alive connections, one request at a time on each.

It runs in a process of its own and counts only 2xx answers; whatever else comes is an error.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import cast

import uvloop

TOOLS = ("Bash", "Edit", "Read", "Grep", "Glob", "Write", "WebFetch", "mcp__db__query")
OUTCOMES = ("ok",) * 7 + ("error", "error", "denied", "blocked", "timeout")
SESSIONS = 64


def event(draw: random.Random, number: int, sessions: int = SESSIONS) -> bytes:
    """One event of about 520 bytes, with an id of its own."""
    outcome = draw.choice(OUTCOMES)
    passed = "ok: 12 matches in 4 files"
    failed = "FAILED tests/test_api.py::test_create - assert 500 == 201"
    value = {
        "event_id": f"{draw.getrandbits(128):032x}",
        "session_id": f"bench-{number % sessions:03d}",
        "harness": "custom",
        "tool": draw.choice(TOOLS),
        "arguments": {
            "command": f"pytest -q tests/unit/test_{draw.randrange(40)}.py --maxfail=1",
            "description": "run the unit tests for the module under change",
        },
        "cwd": f"/home/dev/project-{draw.randrange(9)}",
        "outcome": outcome,
        "result": f"{passed if outcome == 'ok' else failed} {'x' * 60}",
        "duration_ms": draw.randrange(5, 40_000),
        "context_tokens": number * 700 % 150_000,
        "occurred_at": "2026-11-30T12:00:00.000Z",
    }
    return json.dumps(value, separators=(",", ":")).encode()


def bodies(draw: random.Random, batch: int, sessions: int) -> Iterator[bytes]:
    """Bodies of requests without end; a `batch` of several events as lines."""
    for first in itertools.count(batch, batch):
        yield b"\n".join(event(draw, first + each, sessions) for each in range(batch))


@dataclass(slots=True)
class Counted:
    """What came back."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0


class Connection(asyncio.Protocol):
    """Sends the next request as soon as the answer to the last one is whole."""

    def __init__(self, following: Callable[[], bytes | None], counted: Counted) -> None:
        self._following, self._counted = following, counted
        self._buffer = bytearray()
        self._sent = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are of a class of its own
        self._next()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._buffer.lower().find(b"content-length:", 0, head)
        length = int(self._buffer[at + 15 : self._buffer.find(b"\r", at)])
        if len(self._buffer) < head + 4 + length:
            return
        if self._buffer[9:10] == b"2":
            self._counted.seconds.append(time.perf_counter() - self._sent)
        else:
            self._counted.errors += 1
        self._buffer.clear()
        self._next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self._counted.errors += 1
            self.done.set_result(None)

    def _next(self) -> None:
        request = self._following()
        if request is None:
            self.done.set_result(None)
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)


async def load(
    port: int, token: str, connections: int, seconds: float, kind: str, posted: Iterator[bytes]
) -> Counted:
    """Post over so many connections until the time is up or all is `posted`."""
    counted, end = Counted(), time.perf_counter() + seconds
    head = (
        f"POST /controller/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: {kind}\r\n"
    )

    def following() -> bytes | None:
        body = None if time.perf_counter() >= end else next(posted, None)
        if body is None:
            return None
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(lambda: Connection(following, counted), "127.0.0.1", port)
        for _ in range(connections)
    ]
    await asyncio.gather(*(protocol.done for _, protocol in made))
    return counted


def main() -> None:
    """Print acknowledged requests, errors, and the times at 50 and 99 per cent, as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int)
    parser.add_argument("--token", default="none")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--requests", type=int, help="How many at most.")
    given = parser.parse_args()
    kind = "application/json" if given.batch == 1 else "application/x-ndjson"
    endless = bodies(random.Random(given.seed), given.batch, given.sessions)
    posted = itertools.islice(endless, given.requests)
    counted = uvloop.run(
        load(given.port, given.token, given.connections, given.seconds, kind, posted)
    )
    times = sorted(counted.seconds)
    print(
        json.dumps(
            {
                "acknowledged": len(times),
                "errors": counted.errors,
                "p50_ms": round(1e3 * times[len(times) // 2], 3) if times else None,
                "p99_ms": round(1e3 * times[int(len(times) * 0.99)], 3) if times else None,
            }
        )
    )


if __name__ == "__main__":
    main()
