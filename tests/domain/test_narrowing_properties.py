"""Narrowing is safe, not lazy and idempotent, and a judge written from the design agrees.

NAR-03: 2,000 changes of each kind here, 10,000 with `make check-long`.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.modes import Mode
from app.domain.narrowing import direction, narrow
from app.domain.patterns import matches
from app.domain.probes import MOST, grid
from app.domain.restrictions import Call, Policy
from tests.domain.changes import PATTERNS, calls, mode_changes, modes, policies, policy_changes
from tests.domain.glob_oracle import inside
from tests.domain.narrowing_judge import complaints
from tests.domain.narrowing_oracle import adds, frees

PAIRS = settings(max_examples=20 * settings().max_examples)
further = st.lists(calls, min_size=3, max_size=3)


@PAIRS
@given(policy_changes, further)
def test_narrowing_a_policy_is_safe_not_lazy_and_idempotent(
    pair: tuple[Policy, Policy], calls: list[Call]
) -> None:
    assert complaints(narrow, *pair, calls) == []  # type: ignore[arg-type]


@PAIRS
@given(mode_changes, further)
def test_narrowing_a_mode_is_safe_not_lazy_and_idempotent(
    pair: tuple[Mode, Mode], calls: list[Call]
) -> None:
    assert complaints(narrow, *pair, calls) == []  # type: ignore[arg-type]


@settings(max_examples=4 * settings().max_examples)
@given(policy_changes | mode_changes)
def test_a_direction_says_what_the_second_judge_says(
    pair: tuple[Policy, Policy] | tuple[Mode, Mode],
) -> None:
    """But for patterns that were added: of those the grid has a few paths and not all."""
    said = direction(*pair) == "loosen"
    assert said == frees(*pair) or (adds(*pair) and not said)


@given(st.one_of(modes, policies))
def test_no_change_is_no_change(value: Mode | Policy) -> None:
    assert narrow(value, value) == value  # type: ignore[type-var]
    assert direction(value, value) == "neutral"


@given(policies, policies)
def test_a_comparison_never_needs_more_than_the_grid_holds(one: Policy, other: Policy) -> None:
    assert len(grid((one, other))) < MOST


@settings(max_examples=5 * settings().max_examples)
@given(
    st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3).map(tuple),
    st.lists(st.sampled_from(["src", "a", "b", "a.md", "lib", "docs", "qq"]), min_size=1).map(
        "/".join
    ),
)
def test_patterns_are_read_alike_twice(patterns: tuple[str, ...], path: str) -> None:
    assert inside(patterns, path) == matches(patterns, path)
