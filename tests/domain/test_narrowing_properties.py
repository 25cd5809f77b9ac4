"""Narrowing is safe, not lazy and idempotent, and a judge written from the design agrees."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from immutables import Map

from app.domain.calls import Target
from app.domain.configuration import POSTURES
from app.domain.modes import EFFECTS, RULINGS, TOOL_CLASSES, VERDICTS, ZONES, Mode
from app.domain.narrowing import Widened, direction, narrow
from app.domain.patterns import zone_inside
from app.domain.policy import decide
from app.domain.probes import MOST, grid
from app.domain.restrictions import Call, InForce, Policy
from tests.domain.narrowing_oracle import frees, may_narrow

PAIRS = settings(max_examples=500)

modes = st.builds(
    Mode,
    name=st.just("m"),
    tools=st.lists(st.sampled_from(TOOL_CLASSES), unique=True).map(tuple),
    writes=st.lists(st.sampled_from(ZONES), unique=True).map(tuple),
    shell=st.dictionaries(st.sampled_from(EFFECTS), st.sampled_from(RULINGS)).map(Map),
)
FOLDERS = ("/src/", "/src/a/", "/src/a/b/", "/docs/", "/lib/")
policies = st.builds(
    Policy,
    posture=st.sampled_from(POSTURES),
    verdicts=st.dictionaries(
        st.sampled_from(["Bash", "Edit", "Web"]), st.sampled_from(VERDICTS)
    ).map(Map),
    shell_denials=st.lists(
        st.sampled_from(["git", "git push", "git push origin", "rm", "rm -rf"]), max_size=3
    ).map(tuple),
    write_paths=st.none() | st.lists(st.sampled_from(FOLDERS), max_size=3).map(tuple),
)
# Half of the pairs are close together, else nearly every change would loosen something.
near_modes = st.tuples(modes, modes) | modes.map(lambda mode: (mode, mode))


@st.composite
def near_policies(draw: st.DrawFn) -> tuple[Policy, Policy]:
    one, other = draw(policies), draw(policies)
    kept = draw(st.sets(st.sampled_from(["posture", "verdicts", "shell_denials", "write_paths"])))
    mixed = {name: getattr(one if name in kept else other, name) for name in Policy.__slots__}
    return one, Policy(**mixed)


calls = st.builds(
    Call,
    tool=st.sampled_from(["Bash", "Edit", "Web", "Other"]),
    tool_class=st.sampled_from(TOOL_CLASSES),
    effects=st.lists(st.sampled_from(EFFECTS), min_size=1, max_size=3).map(tuple),
    targets=st.lists(
        st.sampled_from(["src/x", "src/a/x", "src/a/b/x", "docs/x", "lib/x", "tests/x", "y"]).map(
            lambda path: Target(path=path, zone=zone_inside(path))
        ),
        max_size=2,
    ).map(tuple),
    commands=st.lists(
        st.sampled_from(["git", "git pull", "git push x", "git push origin m", "rm a", "rm -rf b"]),
        max_size=2,
    ).map(tuple),
)


def step(value: Mode | Policy, call: Call) -> int:
    modes = (value,) if isinstance(value, Mode) else ()
    policies = (value,) if isinstance(value, Policy) else ()
    return VERDICTS.index(decide(InForce(modes=modes, policies=policies), call).verdict)


@PAIRS
@given(near_modes, calls)
def test_no_call_becomes_freer_by_a_narrower_mode(pair: tuple[Mode, Mode], call: Call) -> None:
    if not isinstance(narrow(*pair), Widened):
        assert step(pair[1], call) >= step(pair[0], call)


@PAIRS
@given(near_policies(), calls)
def test_no_call_becomes_freer_by_a_narrower_policy(
    pair: tuple[Policy, Policy], call: Call
) -> None:
    if not isinstance(narrow(*pair), Widened):
        assert step(pair[1], call) >= step(pair[0], call)


@PAIRS
@given(near_modes)
def test_the_second_judge_agrees_about_modes(pair: tuple[Mode, Mode]) -> None:
    assert isinstance(narrow(*pair), Widened) == (not may_narrow(*pair))
    assert (direction(*pair) == "loosen") == frees(*pair)


@PAIRS
@given(near_policies())
def test_the_second_judge_agrees_about_policies(pair: tuple[Policy, Policy]) -> None:
    assert isinstance(narrow(*pair), Widened) == (not may_narrow(*pair))
    assert (direction(*pair) == "loosen") == frees(*pair)


@given(near_policies())
def test_narrowing_is_not_lazy(pair: tuple[Policy, Policy]) -> None:
    current, change = pair
    answer = narrow(current, change)
    assert answer == change or (isinstance(answer, Widened) and not may_narrow(current, change))


@given(st.one_of(modes, policies))
def test_narrowing_twice_is_narrowing_once(value: Mode | Policy) -> None:
    assert narrow(value, value) == value  # type: ignore[type-var]
    assert direction(value, value) == "neutral"


@given(policies, policies)
def test_a_refusal_for_freedom_shows_it(current: Policy, change: Policy) -> None:
    answer = narrow(current, change)
    if isinstance(answer, Widened) and answer.why == "freer":
        assert step(change, answer.call) < step(current, answer.call)
        assert VERDICTS.index(answer.after) < VERDICTS.index(answer.before)


@given(policies, policies)
def test_a_comparison_never_needs_more_than_the_grid_holds(one: Policy, other: Policy) -> None:
    assert len(grid((one, other))) < MOST
