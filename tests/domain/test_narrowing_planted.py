"""Holes dug on purpose: the judge that the properties ask has to find each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from immutables import Map

from app.domain import policy as verdicts
from app.domain.calls import Target
from app.domain.configuration import POSTURES
from app.domain.crossing import holds_boundary
from app.domain.modes import MODES, RULINGS, VERDICTS, Mode, Verdict
from app.domain.narrowing import Widened, narrow
from app.domain.replacing import replace
from app.domain.restrictions import Call, Policy
from tests.domain.changes import calls, mode_changes, policy_changes
from tests.domain.narrowing_judge import complaints

EDIT = Call(
    tool="Bash",
    tool_class="edit",
    effects=("write",),
    targets=(Target(path="src/a.py", zone="project"),),
)
READ_ONLY = Policy(posture="read-only")
ASKED = replace(READ_ONLY, verdicts=Map[str, Verdict]([("Bash", "ask")]))
MANY = settings(
    max_examples=5_000,
    database=None,
    deadline=None,
    phases=[Phase.generate],  # to find one is enough
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def explicit_verdicts_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool's own verdict stands in the posture's place, as if it said so more exactly."""
    by_tool, by_posture = verdicts._by_tool, verdicts._by_posture

    def instead(policy: Policy, call: Call) -> Iterator[Any]:
        said = tuple(by_tool(policy, call))
        yield from said or by_posture(policy.posture, call)

    monkeypatch.setattr(verdicts, "_by_tool", instead)
    monkeypatch.setattr(verdicts, "_by_posture", lambda posture, call: ())


def of(current: Any, change: Any, *calls: Call, narrow: Any = narrow) -> str:
    return " ".join(complaints(narrow, current, change, calls))


def unsafe(narrow: Any, pair: tuple[Any, Any], calls: list[Call]) -> bool:
    return any(complaint.startswith("not safe") for complaint in complaints(narrow, *pair, calls))


def test_a_tool_asked_about_under_read_only_frees_nothing() -> None:
    assert narrow(READ_ONLY, ASKED) == ASKED
    assert of(READ_ONLY, ASKED, EDIT) == ""


@pytest.mark.usefixtures("explicit_verdicts_win")
def test_a_tool_asked_about_under_read_only_is_found_where_that_would_free_it() -> None:
    assert "not safe: frees" in of(READ_ONLY, ASKED, EDIT)
    assert "decide says 1, the design 2" in of(READ_ONLY, ASKED, EDIT)


@pytest.mark.usefixtures("explicit_verdicts_win")
def test_what_is_generated_reaches_that_hole() -> None:
    drawn = st.tuples(policy_changes, st.lists(calls, min_size=3, max_size=3))
    assert find(drawn, lambda it: unsafe(narrow, *it), settings=MANY)


def by_fields(current: Policy, change: Policy) -> Policy | Widened:
    """Narrowing by looking at one field after the other."""

    def step(policy: Policy, tool: str) -> int:
        return VERDICTS.index(policy.verdicts.get(tool, "none"))

    looks_tighter = (
        POSTURES.index(change.posture) >= POSTURES.index(current.posture)
        and all(step(change, tool) >= step(current, tool) for tool in current.verdicts)
        and set(change.shell_denials) >= set(current.shell_denials)
        and (
            current.write_paths is None
            or (
                change.write_paths is not None
                and all(
                    any(path.startswith(had.rstrip("*")) for had in current.write_paths)
                    for path in change.write_paths
                )
            )
        )
    )
    return change if looks_tighter else Widened(call=EDIT, before="none", after="none")


@pytest.mark.parametrize(
    ("had", "has"),
    [
        ("/src/**", "/src/a/**"),
        ("/src", "/srcfoo/"),
        ("src/", "src/../tests/"),
        ("/src/?", "/src/?b"),
    ],
)
def test_a_pattern_that_only_looks_tighter_is_found(had: str, has: str) -> None:
    one, other = Policy(write_paths=(had,)), Policy(write_paths=(has,))
    assert "not safe: accepts" in of(one, other, narrow=by_fields)
    assert of(one, other) == ""


def test_what_is_generated_reaches_patterns_that_only_look_tighter() -> None:
    drawn = st.tuples(policy_changes, st.just([EDIT]))
    assert find(drawn, lambda it: unsafe(by_fields, *it), settings=MANY)


def by_lists(current: Mode, change: Mode) -> Mode | Widened:
    """Narrowing of modes that forgets the table of rulings."""
    shorter = set(change.tools) <= set(current.tools) and set(change.writes) <= set(current.writes)
    return change if shorter else Widened(call=EDIT, before="none", after="none")


def test_what_is_generated_reaches_rulings_that_nobody_compares() -> None:
    drawn = st.tuples(mode_changes, st.just([EDIT]))
    assert find(drawn, lambda it: unsafe(by_lists, *it), settings=MANY)


@pytest.mark.parametrize("lazy", [READ_ONLY, MODES["default"]["plan"]])
def test_a_judge_that_refuses_everything_is_found(lazy: Policy | Mode) -> None:
    def refuses(current: Any, change: Any) -> Widened:
        return Widened(call=EDIT, before="deny", after="ask", why="adds_write_pattern")

    free = Policy() if isinstance(lazy, Policy) else MODES["default"]["implementation"]
    assert "lazy" in of(free, lazy, narrow=refuses)


@pytest.mark.parametrize("ruling", RULINGS)
def test_a_mode_that_writes_on_both_sides_is_named(ruling: Any) -> None:
    both = replace(MODES["default"]["implementation"], writes=("project", "test"))
    both = replace(both, shell=both.shell.set("write", ruling))
    assert holds_boundary({"both": both}) is not None
