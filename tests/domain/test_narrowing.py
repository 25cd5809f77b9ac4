"""Narrowing over verdicts: directions, what a machine may do, and what it may do at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.domain.calls import Target
from app.domain.modes import MODES, Mode
from app.domain.narrowing import Widened, automatic, direction, narrow
from app.domain.policy import decide
from app.domain.restrictions import Call, InForce, Policy
from tests.domain.verdict_cases import cases, value_of

DEFAULT = MODES["default"]
A_TEST = Target(path="tests/a.py", zone="test")


@pytest.mark.parametrize("case", cases("narrowing"))
def test_a_change_is_judged_by_the_verdicts_it_gives(case: dict[str, Any]) -> None:
    current, change = value_of(case["given"]["current"]), value_of(case["when"]["change"])
    assert direction(current, change) == case["then"]["direction"]
    answer = narrow(current, change)  # type: ignore[type-var]
    said = answer.why if isinstance(answer, Widened) else "accepted"
    assert said == case["then"]["narrow"]


def test_an_accepted_change_is_the_whole_new_value() -> None:
    plan = DEFAULT["plan"]
    assert narrow(DEFAULT["debug"], plan) is plan


def test_a_refusal_shows_a_call_that_would_become_freer() -> None:
    refused = narrow(DEFAULT["plan"], DEFAULT["debug"])
    assert isinstance(refused, Widened)
    assert refused.call.effects == ("test",)
    assert (refused.before, refused.after) == ("deny", "none")


def test_a_notice_restricts_nothing_and_has_no_direction() -> None:
    assert direction(None, None) == "neutral"


def test_the_value_beneath_a_tightening_loosens() -> None:
    assert direction(InForce(modes=(DEFAULT["plan"],)), DEFAULT["implementation"]) == "loosen"


def under(*modes: Mode, posture: Policy | None = None) -> InForce:
    return InForce(modes=modes, policies=(posture or Policy(),))


@pytest.mark.parametrize(
    ("own", "new", "others", "expected"),
    [
        ("implementation", "plan", (), True),
        ("implementation", "debug", (), True),
        ("plan", "debug", (), False),
        ("plan", "plan", (), False),
        ("plan", "review", (), False),
        ("debug", "plan", (), True),
        ("implementation", "test_development", (), False),
        ("implementation", "debug", ("plan",), False),
        ("implementation", "plan", ("debug",), True),
    ],
)
def test_a_mode_changes_by_itself_only_where_it_narrows_and_something_gets_stricter(
    own: str, new: str, others: tuple[str, ...], expected: bool
) -> None:
    above = tuple(DEFAULT[name] for name in others)
    before, after = under(DEFAULT[own], *above), under(DEFAULT[new], *above)
    assert automatic(DEFAULT[own], DEFAULT[new], before, after) is expected


@pytest.mark.parametrize(
    ("mode", "posture", "expected"),
    [
        ("implementation", "auto", True),
        ("implementation", "read-only", True),
        ("plan", "auto", False),
        ("plan", "ask", True),
        ("plan", "read-only", True),
    ],
)
def test_a_posture_changes_by_itself_only_where_it_is_felt(
    mode: str, posture: Any, expected: bool
) -> None:
    own, new = Policy(), Policy(posture=posture)
    before = under(DEFAULT[mode], posture=own)
    after = under(DEFAULT[mode], posture=new)
    assert automatic(own, new, before, after) is expected


def test_a_machine_never_adds_a_write_pattern_by_itself() -> None:
    own, new = Policy(), Policy(write_paths=("/src/",))
    before, after = under(posture=own), under(posture=new)
    assert direction(own, new) == "tighten"
    assert not automatic(own, new, before, after)


def test_a_mode_and_a_policy_do_not_compare() -> None:
    debug = DEFAULT["debug"]
    assert not automatic(Policy(), debug, under(DEFAULT["implementation"]), under(debug))


def test_one_ruling_is_enough_to_loosen_a_mode() -> None:
    debug = DEFAULT["debug"]
    freer = replace(debug, shell=debug.shell.set("git_record", "ask"))
    assert direction(debug, freer) == "loosen"
    assert direction(freer, debug) == "tighten"


def test_a_mode_that_writes_nothing_is_no_way_around_red_tests() -> None:
    """What is stricter while all is green is stricter while a test is red."""
    asking = replace(
        DEFAULT["test_development"],
        shell=DEFAULT["test_development"].shell.set("write", "scope_or_ask"),
    )
    closed = replace(asking, writes=())
    assert narrow(asking, closed) is closed
    edit = Call(tool="Edit", tool_class="edit", effects=("write",), targets=(A_TEST,))
    assert decide(under(asking), edit, frozenset()).verdict == "deny"
    assert decide(under(closed), edit, frozenset()).verdict == "deny"
