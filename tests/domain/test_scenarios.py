"""The corpus of scenarios: what must fire in time and what must stay quiet, in `default`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from app.domain.profiles import THRESHOLDS
from tests.domain.scenarios import Fired, run, scenarios

# What the corpus calls a counter, in the names of our rules.
RULES: Final[Mapping[str, frozenset[str]]] = {
    "repeated": frozenset({"repeated", "same_error"}),
    "scope": frozenset({"context"}),
    "success_rate": frozenset({"success_rate", "streak", "review"}),
}
# Scenarios whose first firing belongs to a rule that the corpus accepts beside the expected one.
BESIDE: Final = frozenset({"edf-02-edit-check-edit", "n2-f03-go-two-fix-ping-pong"})
COUNTED: Final = frozenset(
    {
        "repeated",
        "edit_failures",
        "test_failure",
        "denials",
        "timeouts",
        "scope",
        "blocked_storm",
    }
)
FIRES: Final = [case for case in scenarios() if case["kind"] == "should_fire"]
QUIET: Final = [case for case in scenarios() if case["kind"] == "should_not_fire"]
IN_DEFAULT: Final = [case for case in FIRES if case["id"] != "rev-01-green-then-stop"]


def _rules(counter: str) -> frozenset[str]:
    return RULES.get(counter, frozenset({counter}))


def _in_time(case: dict[str, Any]) -> list[Fired]:
    return [fired for fired in run(case["events"]) if fired.turn <= case["expect"]["by_turn"]]


def _right(case: dict[str, Any]) -> bool:
    """The expected counter in time, with the expected mode."""
    expect = case["expect"]
    return any(
        fired.trip.rule in _rules(expect["counter"])
        and expect["to_mode"] in (None, fired.trip.target)
        for fired in _in_time(case)
    )


@pytest.mark.parametrize("case", IN_DEFAULT, ids=lambda case: case["id"])
def test_a_stuck_agent_is_noticed_in_time(case: dict[str, Any]) -> None:
    expect = case["expect"]
    accepted = _rules(expect["counter"]).union(*map(_rules, expect.get("also", [])))
    assert {fired.trip.rule for fired in _in_time(case)} & accepted, case["why"]


@pytest.mark.parametrize("case", QUIET, ids=lambda case: case["id"])
def test_honest_work_changes_no_mode(case: dict[str, Any]) -> None:
    changes = [fired for fired in run(case["events"]) if fired.trip.target is not None]
    assert changes == [], case["why"]


def test_the_right_counter_asks_for_the_right_mode_in_all_but_two_scenarios() -> None:
    counted = [case for case in FIRES if case["expect"]["counter"] in COUNTED]
    missed = {case["id"] for case in counted if not _right(case)}
    assert missed == BESIDE


def test_once_per_excursion_is_once() -> None:
    for case in FIRES:
        most = case["expect"].get("max_fires")
        if most is not None:
            rules = _rules(case["expect"]["counter"])
            assert sum(fired.trip.rule in rules for fired in run(case["events"])) == most


def test_one_agent_in_a_loop_leaves_its_siblings_alone() -> None:
    (case,) = [case for case in FIRES if case["id"] == "n2-f10-subagent-grep-loop"]
    agents = {case["events"][fired.turn - 1].get("agent_id") for fired in run(case["events"])}
    assert agents == {"explore-7"}


def test_a_green_end_is_a_notice_in_default_and_the_review_mode_in_strict() -> None:
    (case,) = [case for case in FIRES if case["id"] == "rev-01-green-then-stop"]
    assert [(f.trip.rule, f.trip.target) for f in run(case["events"])] == [("review", None)]
    review_only = {**THRESHOLDS["strict"], "test_failure.reds": 0}
    strict = list(run(case["events"], review_only))
    assert [(f.trip.rule, f.trip.target) for f in strict] == [("review", "review")]
