"""Which way each setting is no freer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.profiles import MEANINGS
from app.domain.standing import WAYS as WAYS_OUT
from app.domain.strictness import LEFT, WAYS, no_freer
from tests.domain.values import mode

CASES = json.loads((Path(__file__).parents[1] / "cases" / "strictness.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[f"{c['setting']} {c['why']}" for c in CASES])
def test_a_setting_holds_at_once_only_where_it_is_known_to_be_no_freer(
    case: dict[str, Any],
) -> None:
    assert no_freer(case["setting"], case["given"], case["when"]) is case["then"]


@pytest.mark.parametrize(
    ("setting", "given", "when", "expected"),
    [
        ("modes.debug", mode("debug", handoff=None), mode("debug"), False),
        ("modes.plan", mode("plan", handoff=None), mode("plan"), False),
        ("modes.review", mode("review", handoff=None), mode("review"), True),
    ],
)
def test_a_mode_that_a_standing_approval_leaves_asks_for_nothing_new(
    setting: str, given: Any, when: Any, expected: bool
) -> None:
    assert no_freer(setting, given, when) is expected


def test_the_modes_that_standing_approvals_leave_are_those_of_their_table() -> None:
    assert {way.leaves for way in WAYS_OUT} == LEFT


def test_every_threshold_of_the_table_exists() -> None:
    assert WAYS.keys() <= MEANINGS.keys()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, mode(), True),
        (mode(), mode(), True),
        (mode(), mode(shell={"unknown": "ask"}), True),
        (mode(), mode(shell={"unknown_closed": "none"}), False),
        (mode(), mode(writes=["project"]), True),
        (mode(), mode(writes=["project", "given", "temporary", "outside"]), False),
        (mode(), mode(tools=["read", "shell"]), True),
        (mode("plan"), mode("plan", tools=["read", "edit", "shell"]), False),
        (mode("plan"), mode("plan", tools=["read"], writes=["temporary"]), True),
        (mode("debug"), mode("debug", handoff=None), False),
        (mode("debug"), mode("debug", handoff="plan"), False),
        (mode(), mode(handoff="plan"), True),
        (mode("debug"), mode("debug", output=["failing"]), False),
        (mode("plan", output=["goal"]), mode("plan", output=["goal", "risks"]), True),
        (mode(), None, False),
    ],
)
def test_a_mode_holds_at_once_where_no_call_is_freer_and_nothing_less_is_handed_over(
    old: Any, new: Any, expected: bool
) -> None:
    assert no_freer("modes.some", old, new) is expected
