"""The neutral event: what is taken, what is refused, and what a refusal says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from app.domain.events import Coverage, Event, EventKind, Json, Outcome, TestCounts, Usage
from app.harness.base import Fault
from app.harness.neutral import SCHEMA, event

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "neutral_events.json").read_text(encoding="utf-8")
)
CALL: dict[str, Json] = {"session_id": "s", "tool": "Bash"}


def outcome_of(case: dict[str, Any]) -> str:
    value = case["when"]
    if "given" in case:
        name, length = case["given"]["long"]
        value = {**value, name: "a" * length}
    match event(value):
        case Fault() as fault:
            assert fault.status == 422
            return fault.at
        case Event():
            return "taken"


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_each_field_has_its_bounds_and_a_fault_names_the_field(case: dict[str, Any]) -> None:
    assert outcome_of(case) == case["then"]


def test_every_field_of_the_event_can_be_reported() -> None:
    value: Json = {
        "event_id": "e",
        "harness": "mine",
        "session_id": "s",
        "agent_id": "a",
        "parent_agent_id": "p",
        "turn_id": "t",
        "batch_id": "b",
        "call_id": "c",
        "kind": "tool",
        "tool": "Bash",
        "arguments": {"command": "pytest"},
        "outcome": "error",
        "denied_by": "harness",
        "rule": "r",
        "exit_code": 1,
        "result": "1 failed",
        "duration_ms": 5,
        "context_tokens": 6,
        "context_limit": 7,
        "usage": {"input_tokens": 1, "output_tokens": 2, "cost": 0.5, "seconds": 3},
        "tests": {"passed": 1, "failed": 1, "errors": 0, "skipped": None},
        "coverage": {"percent": 80.5, "required": 90, "uncovered": ["a.py"]},
        "occurred_at": "2026-11-30T14:02:11.4829Z",
        "cwd": "/home/dev",
        "permission_mode": "default",
    }
    assert event(value) == Event(
        event_id="e",
        harness="mine",
        session_id="s",
        agent_id="a",
        parent_agent_id="p",
        turn_id="t",
        batch_id="b",
        call_id="c",
        kind="tool",
        tool="Bash",
        arguments={"command": "pytest"},
        outcome="error",
        denied_by="harness",
        rule="r",
        exit_code=1,
        result="1 failed",
        duration_ms=5,
        context_tokens=6,
        context_limit=7,
        usage=Usage(input_tokens=1, output_tokens=2, cost=0.5, seconds=3),
        tests=TestCounts(passed=1, failed=1, errors=0),
        coverage=Coverage(percent=80.5, required=90, uncovered=("a.py",)),
        occurred_at="2026-11-30T14:02:11.482Z",
        cwd="/home/dev",
        permission_mode="default",
    )


def test_the_schema_names_the_fields_of_the_event_and_two_older_words() -> None:
    older = {"success", "cumulative_tokens"}
    fields = set(Event.__dataclass_fields__)
    assert set(SCHEMA.json_schema()["properties"]) == fields | older


def test_null_says_nothing() -> None:
    nothing: dict[str, Json] = dict.fromkeys(Event.__dataclass_fields__)
    assert event({**nothing, **CALL}) == event(CALL)


def test_an_event_without_an_outcome_is_unknown() -> None:
    assert event(CALL) == Event(session_id="s", tool="Bash", outcome="unknown")


@pytest.mark.parametrize("kind", get_args(EventKind))
def test_every_kind_is_known(kind: str) -> None:
    taken = event({**CALL, "kind": kind})
    assert isinstance(taken, Event)
    assert taken.kind == kind


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_every_outcome_is_known(outcome: str) -> None:
    taken = event({**CALL, "outcome": outcome})
    assert isinstance(taken, Event)
    assert taken.outcome == outcome


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-11-30T14:02:11.482Z", "2026-11-30T14:02:11.482Z"),
        ("2026-11-30t14:02:11z", "2026-11-30T14:02:11.000Z"),
        ("2026-11-30 15:02:11+01:00", "2026-11-30T14:02:11.000Z"),
        ("2026-11-30T23:02:11.999999999-09:30", "2026-12-01T08:32:11.999Z"),
    ],
)
def test_times_become_utc_with_milliseconds(text: str, utc: str) -> None:
    taken = event({**CALL, "occurred_at": text})
    assert isinstance(taken, Event)
    assert taken.occurred_at == utc


@pytest.mark.parametrize(
    ("success", "outcome"), [(True, "ok"), (False, "error"), (None, "unknown")]
)
def test_a_line_of_the_seed_prototype_is_taken(success: bool | None, outcome: str) -> None:
    line: Json = {
        "tool": "Bash",
        "arguments": {"command": "ls"},
        "success": success,
        "result": "a",
        "duration_ms": 3,
        "cumulative_tokens": 900,
    }
    taken = event(line, session="from-the-query")
    assert isinstance(taken, Event)
    assert (taken.session_id, taken.outcome, taken.context_tokens) == (
        "from-the-query",
        outcome,
        900,
    )


def test_the_session_of_the_request_stands_in_and_does_not_overrule() -> None:
    taken = event(CALL, session="other")
    assert isinstance(taken, Event)
    assert taken.session_id == "s"


def test_the_session_of_the_request_is_checked_alike() -> None:
    fault = event({"tool": "Bash"}, session="a/b")
    assert isinstance(fault, Fault)
    assert fault.at == "session_id"


@pytest.mark.parametrize(
    ("field", "near"),
    [("sesion_id", "session_id"), ("sessionId", "session_id"), ("args", "arguments")],
)
def test_an_unknown_field_is_refused_with_the_nearest_known_one(field: str, near: str) -> None:
    fault = event({**CALL, field: "x"})
    assert isinstance(fault, Fault)
    assert (fault.code, fault.status) == ("unknown_field", 422)
    assert f"`{near}`" in fault.detail


def test_an_unknown_field_further_in_is_refused_too() -> None:
    fault = event({**CALL, "tests": {"fail": 1}})
    assert isinstance(fault, Fault)
    assert (fault.code, fault.at) == ("unknown_field", "tests")
    assert "`failed`" in fault.detail


def test_fields_of_the_senders_own_are_dropped() -> None:
    assert event({**CALL, "x_trace": {"a": [1]}}) == event(CALL)


@pytest.mark.parametrize(
    "value",
    [
        {**CALL, "canary-8f1c": 1},
        {**CALL, "tests": {"canary-8f1c": 1}},
        {**CALL, "outcome": "canary-8f1c"},
        {**CALL, "duration_ms": "canary-8f1c"},
        {**CALL, "occurred_at": "canary-8f1c"},
        {**CALL, "tool": "canary-8f1c\n"},
        {**CALL, "result": ["canary-8f1c"]},
    ],
)
def test_a_fault_never_repeats_the_input(value: Json) -> None:
    fault = event(value)
    assert isinstance(fault, Fault)
    assert "8f1c" not in fault.detail + fault.at


def test_a_huge_unknown_field_is_named_as_quickly_as_a_short_one() -> None:
    fault = event({**CALL, "q" * 1_000_000: 1})
    assert isinstance(fault, Fault)
    assert len(fault.detail) < 200
