"""Session files of Claude Code, case by case: tests/cases/claude_code.json says what is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from app.domain.escalation import pressing
from app.domain.reasons import reason
from app.domain.restrictions import Decision, VerdictRule
from app.replay.claude_outcomes import Result, ending
from app.replay.lines import Counts, Line
from app.replay.pairing import REMEMBERED, Recent
from app.replay.readers import read

CASES = Path(__file__).parents[1] / "cases"
FILES = json.loads((CASES / "claude_code.json").read_text())


def shown(line: Line, wanted: dict[str, Any]) -> dict[str, Any]:
    """What the case speaks of, as the reader says it."""
    said = {name: getattr(line.event, name) for name in wanted if name != "line"}
    return {**said, "line": line.line_no} if "line" in wanted else said


@pytest.mark.parametrize("case", FILES, ids=[case["given"] for case in FILES])
def test_a_session_file_is_read_as_it_was_meant(case: dict[str, Any]) -> None:
    counts = Counts()
    lines = list(read(CASES / "claude_code" / case["given"], counts))
    expected = case["then"]["events"]
    assert [shown(line, want) for line, want in zip(lines, expected, strict=True)] == expected
    assert counts.calls == case["then"]["calls"]
    assert dict(counts.unknown) == case["then"]["unknown"]
    assert counts.unreadable == case["then"]["unreadable"]


def test_every_fixture_has_its_case() -> None:
    fixtures = {path.name for path in (CASES / "claude_code").iterdir()}
    assert fixtures == {case["given"] for case in FILES}


def test_a_call_tells_when_where_and_with_what_it_ran() -> None:
    event = next(read(CASES / "claude_code" / "outcomes.jsonl", Counts())).event
    assert event.harness == "claude_code"
    assert event.arguments == {"command": "echo interrupted"}
    assert event.cwd == "/home/ada/shop"
    assert event.occurred_at == "2026-11-30T09:00:02.000Z"  # of the result, not of the request


@pytest.mark.parametrize("rule", get_args(VerdictRule))
@pytest.mark.parametrize("before", ["", "PreToolUse:Bash hook error: [floorboss hook]: "])
def test_a_block_of_ours_is_known_by_its_reason(rule: VerdictRule, before: str) -> None:
    decision = Decision(
        verdict="deny",
        rule=rule,
        by="plan",
        detail='the policy "posture" is closed: a test run is red, mode plan',
        effect="unknown",
        handoff="plan",
    )
    said = ending(Result(tool="Bash", text=before + reason(decision, 7), failed=True))
    assert (said.outcome, said.denied_by, said.rule) == ("blocked", "controller", rule)
    pressed = pressing(reason(decision, 7), {"escalated": 2, "ends_turn": 5})
    again = ending(Result(tool="Bash", text=before + pressed, failed=True))
    assert again == said


def test_a_block_by_the_notice_that_closes_tests_is_one_of_the_boundary() -> None:
    decision = Decision(verdict="deny", rule="boundary", detail="tests/a.py", notice=5)
    said = ending(Result(tool="Edit", text=reason(decision, 7), failed=True))
    assert (said.outcome, said.denied_by, said.rule) == ("blocked", "controller", "boundary")


def test_what_is_remembered_of_a_file_is_bounded() -> None:
    recent = Recent()
    assert [recent.repeats(str(number)) for number in range(REMEMBERED + 1)] == (
        [False] * (REMEMBERED + 1)
    )
    assert recent.repeats(str(REMEMBERED))
    assert not recent.repeats("0")  # the oldest made room
    assert not recent.repeats(None)
    assert not recent.repeats(None)
