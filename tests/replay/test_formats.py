"""Session logs of other harnesses, case by case: tests/cases/replay says what is read of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.events import Event
from app.replay.readers import READERS
from tests.replay.files import FORMS, TABLES, read_file, shown, written

CASES = [(table, case) for table, cases in TABLES.items() for case in cases]
NAMED = [f"{table}: {case['name']}" for table, case in CASES]


def called(event: Event) -> tuple[str, str]:
    """A call, as it is known before it runs."""
    return event.scope, json.dumps([event.tool, event.call_id, {**event.arguments}])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", [case for _, case in CASES], ids=NAMED)
def test_a_session_log_is_read_as_it_was_meant(
    case: dict[str, Any], form: str, tmp_path: Path
) -> None:
    lines, counts = read_file(written(tmp_path / "a", case["given"], form))
    expected = case["then"]["events"]
    assert [shown(line, want) for line, want in zip(lines, expected, strict=True)] == expected
    assert counts.format == case["then"]["format"]
    assert counts.calls == sum(line.event.kind == "tool" for line in lines)
    assert dict(counts.unknown) == case["then"].get("unknown", {})
    assert counts.unreadable == case["then"].get("unreadable", 0)


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=NAMED)
def test_each_call_is_asked_for_before_it_ends(case: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path / "a", case["given"])
    ended = [line.event for line in read_file(path)[0] if line.event.kind == "tool"]
    lines, counts = read_file(path, attempts=True)
    asked = [line.event for line in lines if line.event.kind == "attempt"]
    assert counts.calls == len(ended)
    # A tool that the model's host runs is never asked for.
    calls = [called(event) for event in ended if event.tool != "web_search"]
    assert sorted(map(called, asked)) == sorted(calls)


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=NAMED)
def test_events_have_ids_that_are_the_same_next_time_and_of_one_event_each(
    case: dict[str, Any], tmp_path: Path
) -> None:
    path = written(tmp_path / "a", case["given"])
    once = [(line.event.session_id, line.event.event_id) for line in read_file(path)[0]]
    assert len(set(once)) == len(once)
    assert once == [(line.event.session_id, line.event.event_id) for line in read_file(path)[0]]


def test_every_format_has_its_cases() -> None:
    told = {case["then"]["format"] for _, case in CASES}
    assert told | {"neutral", "Claude Code"} == READERS.keys()


def test_a_line_that_somebody_spread_over_many_is_no_session_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"type": "user", "sessionId": "s", "message": {}}, indent=1))
    assert read_file(path)[1].format == ""


def test_a_file_that_nothing_here_wrote_has_no_format(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text(json.dumps({"name": "shop", "messages": [{"role": "user"}]}, indent=2))
    lines, counts = read_file(path)
    assert (lines, counts.format) == ([], "")
    assert counts.unreadable == counts.lines > 0
