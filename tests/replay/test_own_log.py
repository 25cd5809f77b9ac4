"""Our own log: what a daemon prints is read as what it was told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.replay.lines import Line
from tests.api.running import Running
from tests.replay.files import read_file

EVENTS: list[dict[str, Any]] = [
    {"session_id": "s", "kind": "prompt", "arguments": {"prompt": "Make it pass"}, "cwd": "/shop"},
    {"session_id": "s", "tool": "Bash", "arguments": {"command": "make"}, "outcome": "error"},
    {"session_id": "s", "tool": "Read", "agent_id": "a1", "call_id": "c1", "outcome": "ok"},
    {"session_id": "s", "kind": "turn", "usage": {"output_tokens": 5, "cost": 0.5}},
    {"session_id": "s", "kind": "compact"},
    {"session_id": "s", "kind": "session_end"},
]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    daemon = Running(tmp_path / "state")
    daemon.ask("POST", "/controller/events", [{**event, "harness": "shop"} for event in EVENTS])
    yield daemon
    daemon.daemon.close()


def told(line: Line) -> dict[str, object]:
    event = line.event
    names = ("session_id", "agent_id", "kind", "tool", "call_id", "outcome", "harness", "usage")
    return {name: getattr(event, name) for name in names} | {"arguments": {**event.arguments}}


def printed(running: Running, path: Path, accept: str, query: str = "") -> list[Line]:
    answer = running.ask(
        "GET", f"/controller/log{query}", role="operator", headers={"Accept": accept}
    )
    path.write_bytes(answer.content)
    lines, counts = read_file(path)
    assert (counts.format, counts.unreadable, counts.unknown.total()) == ("floorboss log", 0, 0)
    return lines


@pytest.mark.parametrize("accept", ["application/x-ndjson", "application/json"])
@pytest.mark.parametrize("query", ["", "?after=0"], ids=["newest first", "oldest first"])
def test_a_log_is_read_as_what_the_daemon_was_told(
    running: Running, tmp_path: Path, accept: str, query: str
) -> None:
    lines = printed(running, tmp_path / "log", accept, query)
    sent = tmp_path / "sent"
    sent.write_text("".join(json.dumps({**event, "harness": "shop"}) + "\n" for event in EVENTS))
    assert [told(line) for line in lines] == [told(line) for line in read_file(sent)[0]]


def test_a_log_without_text_is_read_all_the_same(running: Running, tmp_path: Path) -> None:
    answer = running.ask(
        "GET", "/controller/log", role="outline", headers={"Accept": "application/x-ndjson"}
    )
    path = tmp_path / "log"
    path.write_bytes(answer.content)
    lines, counts = read_file(path)
    assert [line.event.kind for line in lines] == [event.get("kind", "tool") for event in EVENTS]
    assert (counts.unreadable, {**lines[1].event.arguments}) == (0, {})
