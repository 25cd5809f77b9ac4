"""Whatever an agent attempts, in any order: it never writes tests and implementation together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.calls import Target
from app.domain.crossing import Side, crossing, open_tests
from app.domain.modes import MODES, VERDICTS
from app.domain.policy import decide
from app.domain.restrictions import Call, InForce

MODE = MODES["default"]
SIDES = st.sampled_from(["implementation", "test_development"])
targets = st.sampled_from(
    [Target(path="src/a.py", zone="project"), Target(path="tests/a.py", zone="test")]
)
calls = st.builds(
    Call,
    tool=st.just("T"),
    tool_class=st.sampled_from(["edit", "write", "shell", "read", "mcp"]),
    effects=st.lists(
        st.sampled_from(["read", "write", "git_restore", "unknown", "unknown_closed", "test"]),
        min_size=1,
    ).map(tuple),
    targets=st.lists(targets).map(tuple),
)


def under(side: Side) -> InForce:
    return InForce(modes=(MODE[side],))


@given(SIDES, calls, st.booleans(), st.integers(min_value=0, max_value=2))
def test_a_crossing_frees_the_call_it_was_made_for(
    own: Side, call: Call, red: bool, uses: int
) -> None:
    step = crossing(own=own, movable=True, under=under, call=call, red=red, uses_left=uses)
    if step is not None:
        tests = open_tests(red, frozenset())
        here, there = decide(under(own), call, tests), decide(under(step), call, tests)
        assert step != own
        assert VERDICTS.index(there.verdict) < VERDICTS.index(here.verdict)


@given(SIDES, calls, st.booleans())
def test_a_second_crossing_for_the_same_call_never_follows(
    own: Side, call: Call, red: bool
) -> None:
    step = crossing(own=own, movable=True, under=under, call=call, red=red, uses_left=9)
    if step is not None:
        again = crossing(own=step, movable=True, under=under, call=call, red=red, uses_left=9)
        assert again is None


@given(st.lists(calls, max_size=12), st.booleans())
def test_no_call_that_is_let_pass_writes_tests_and_implementation(
    attempts: list[Call], red: bool
) -> None:
    own: Side = "implementation"
    for call in attempts:
        step = crossing(own=own, movable=True, under=under, call=call, red=red, uses_left=30)
        own = step if step is not None else own
        zones = {target.zone for target in call.targets}
        writes = {"write", "git_restore"} & set(call.effects)
        passed = decide(under(own), call, open_tests(red, frozenset())).verdict == "none"
        if writes and passed:
            assert zones in ({"project"}, {"test"})
            assert not (red and zones == {"test"})
