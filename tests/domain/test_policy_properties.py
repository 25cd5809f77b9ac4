"""Verdicts for any call under anything: more in force never frees a call."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from app.domain.calls import Target
from app.domain.configuration import POSTURES
from app.domain.modes import EFFECTS, MODES, TOOL_CLASSES, VERDICTS, ZONES
from app.domain.policy import decide
from app.domain.reasons import reason
from app.domain.restrictions import Call, InForce, Policy, changed, policy_json, policy_of

modes = st.sampled_from([mode for table in MODES.values() for mode in table.values()])
policies = st.builds(
    Policy,
    posture=st.sampled_from(POSTURES),
    verdicts=st.dictionaries(st.sampled_from(["A", "B"]), st.sampled_from(VERDICTS)).map(Map),
    shell_denials=st.lists(st.sampled_from(["git", "git push", "rm"]), max_size=5).map(tuple),
    write_paths=st.none()
    | st.lists(st.sampled_from(["/src/", "docs/", "*.md"]), max_size=5).map(tuple),
)
in_forces = st.builds(
    InForce, modes=st.lists(modes).map(tuple), policies=st.lists(policies).map(tuple)
)
targets = st.builds(
    Target,
    path=st.sampled_from(["src/a.py", "tests/a.py", ".git/config", "/tmp/x"]),
    zone=st.sampled_from(ZONES),
)
calls = st.builds(
    Call,
    tool=st.sampled_from(["A", "B", "C"]),
    tool_class=st.sampled_from(TOOL_CLASSES),
    effects=st.lists(st.sampled_from(EFFECTS), min_size=1).map(tuple),
    targets=st.lists(targets).map(tuple),
    commands=st.lists(st.sampled_from(["git push x", "ls", "rm a"])).map(tuple),
)
opens = st.none() | st.frozensets(st.sampled_from(["tests/a.py"]))


def step(in_force: InForce, call: Call, open_tests: frozenset[str] | None = None) -> int:
    return VERDICTS.index(decide(in_force, call, open_tests).verdict)


@given(in_forces, in_forces, calls, opens)
def test_more_in_force_never_frees_a_call(
    one: InForce, other: InForce, call: Call, open_tests: frozenset[str] | None
) -> None:
    both = InForce(modes=one.modes + other.modes, policies=one.policies + other.policies)
    alone = (step(one, call, open_tests), step(other, call, open_tests))
    assert step(both, call, open_tests) == max(alone)


@given(in_forces, calls, opens)
def test_a_red_target_never_frees_a_call(
    in_force: InForce, call: Call, open_tests: frozenset[str] | None
) -> None:
    assert step(in_force, call, open_tests) >= step(in_force, call)


@given(in_forces, calls)
def test_a_guarded_path_is_never_written(in_force: InForce, call: Call) -> None:
    guarded = any(target.zone == "guarded" for target in call.targets)
    if guarded and {"write", "git_restore"} & set(call.effects):
        assert decide(in_force, call).rule == "guarded"


@given(in_forces, calls, opens)
def test_only_a_verdict_of_none_has_no_rule(
    in_force: InForce, call: Call, open_tests: frozenset[str] | None
) -> None:
    decision = decide(in_force, call, open_tests)
    assert (decision.rule is None) == (decision.verdict == "none")


@given(in_forces, calls, st.text(max_size=300))
def test_a_reason_is_one_printable_line(in_force: InForce, call: Call, name: str) -> None:
    named = Call(tool=name, tool_class=call.tool_class, effects=call.effects, part=name)
    assert reason(decide(in_force, named), 1).isprintable()


@given(policies)
def test_any_policy_is_read_back(policy: Policy) -> None:
    assert policy_json(policy_of(policy_json(policy))) == policy_json(policy)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["posture", "verdicts", "shell_denials", "write_paths", "mode"])


@given(st.dictionaries(FIELDS, json_values))
def test_no_json_makes_parsing_raise(raw: dict[str, object]) -> None:
    changed(Policy(), raw)  # type: ignore[arg-type]
