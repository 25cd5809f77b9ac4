"""A hook of Claude Code beside one durable commit of one row, turn by turn.

Every attempt is a call of its own, judged and committed before it is answered. The two are asked
one after the other, so that whatever else the disk has to do slows both alike.
"""

from __future__ import annotations

import json
import socket
import statistics
import time
from contextlib import closing
from pathlib import Path
from random import Random

from app.store.connections import WRITER_PRAGMAS, connect
from app.store.migrate import upgrade
from bench.load import SESSIONS
from bench.servers import Server
from bench.store import committed


def attempt(draw: Random, number: int) -> bytes:
    """What Claude Code posts before it runs a command."""
    value = {
        "session_id": f"hooked-{number % SESSIONS:03d}",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-project/bench.jsonl",
        "cwd": "/home/dev/project",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {
            "command": f"pytest -q tests/unit/test_{draw.randrange(40)}.py --maxfail=1",
            "description": "run the unit tests for the module under change",
        },
        "tool_use_id": f"toolu_{draw.getrandbits(96):024x}",
    }
    return json.dumps(value, separators=(",", ":")).encode()


def medians(server: Server, path: Path, turns: int, seed: int) -> dict[str, float]:
    """Milliseconds of a hook and of a commit into a log at `path`, each at 50 per cent."""
    upgrade(path)
    draw = Random(seed)
    with (
        closing(connect(path, "rw", WRITER_PRAGMAS)) as connection,
        socket.create_connection(("127.0.0.1", server.port)) as hooks,
    ):
        commits = committed(connection, 1, float("inf"))
        pairs = [(_answered(hooks, server, draw, turn), next(commits)) for turn in range(turns)]
    hook, commit = map(statistics.median, zip(*pairs, strict=True))
    return {"hook_ms": 1e3 * hook, "commit_ms": 1e3 * commit}


def _answered(hooks: socket.socket, server: Server, draw: Random, turn: int) -> float:
    """Seconds until an attempt has its whole answer."""
    body = attempt(draw, turn)
    head = (
        f"POST /hooks/claude-code HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Authorization: Bearer {server.token}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    start = time.perf_counter()
    hooks.sendall(head.encode() + body)
    answer = _answer(hooks)
    seconds = time.perf_counter() - start
    if not answer.startswith(b"HTTP/1.1 200 "):
        raise SystemExit(f"the hook was answered {answer[:200]!r}")
    return seconds


def _answer(hooks: socket.socket) -> bytes:
    received = b""
    while not _whole(received):
        if not (piece := hooks.recv(65_536)):
            raise SystemExit("the daemon closed the connection of the hooks")
        received += piece
    return received


def _whole(received: bytes) -> bool:
    """Whether an answer is as long as its head says."""
    head, end, body = received.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].partition(b"\r")[0]
    return bool(end) and len(body) >= int(length)
