"""The verdict on one call, its reason, and policies as they are written down."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from immutables import Map

from app.domain.events import Json
from app.domain.modes import MODES, Malformed
from app.domain.policy import decide
from app.domain.reasons import reason
from app.domain.restrictions import (
    Call,
    Decision,
    InForce,
    Policy,
    VerdictRule,
    changed,
    policy_json,
    policy_of,
)
from tests.domain.verdict_cases import call_of, cases, in_force_of

DECIDE = cases("decide")


@pytest.mark.parametrize("case", DECIDE)
def test_the_strictest_of_everything_in_force_decides(case: dict[str, Any]) -> None:
    given, then = case["given"], case["then"]
    open_tests = frozenset(given["open_tests"]) if "open_tests" in given else None
    decision = decide(in_force_of(given), call_of(case["when"]), open_tests)
    found = {name: getattr(decision, name) for name in then}
    assert found == {name: tuple(v) if isinstance(v, list) else v for name, v in then.items()}


def test_every_verdict_rule_has_a_case() -> None:
    assert {case.values[0]["then"]["rule"] for case in DECIDE} - {None} == set(
        get_args(VerdictRule)
    ) - {"soft"}  # that one is the governor's


@pytest.mark.parametrize("case", DECIDE)
def test_a_reason_names_its_entry_and_what_was_found(case: dict[str, Any]) -> None:
    decision = decide(in_force_of(case["given"]), call_of(case["when"]), frozenset())
    text = reason(decision, 42)
    assert text.startswith("[floorboss 42] ")
    assert "{" not in text
    assert decision.detail in text


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (
            Decision(
                verdict="deny",
                rule="mode_tool",
                mode="plan",
                detail="Edit",
                by="plan",
                handoff="plan",
            ),
            '[floorboss 7] mode plan has no use for the tool "Edit". '
            "Hand over your plan: end your turn with a fenced block that opens with ```floorboss "
            "plan, or propose a mode with a reason; a person decides.",
        ),
        (
            Decision(
                verdict="ask",
                rule="mode_shell",
                by="implementation",
                detail="python -c x",
                effect="unknown_closed",
            ),
            "[floorboss 7] mode implementation asks a person about commands it cannot vouch for "
            'that name a closed path or run code inline and "python -c x" is one. A person may say '
            "yes to it. A file command is judged better alone, with its paths spelled out.",
        ),
        (
            decide(
                InForce(modes=(MODES["strict"]["plan"],)),
                Call(tool="mcp__github__create", tool_class="mcp", effects=("unknown",)),
            ),
            "[floorboss 7] mode plan denies tools it cannot vouch for and "
            '"mcp__github__create" is one. Hand over your plan: end your turn with a fenced block '
            "that opens with ```floorboss plan, or propose a mode with a reason; a person decides. "
            "Use another tool, or say what you need.",
        ),
        (
            decide(
                InForce(modes=(MODES["default"]["implementation"],)),
                Call(tool="Deploy", tool_class="other", effects=("unknown_closed",)),
            ),
            "[floorboss 7] mode implementation asks a person about tools it cannot vouch for "
            'that name a closed path or code to run and "Deploy" is one. A person may say yes '
            "to it. Use another tool, or say what you need.",
        ),
        (
            Decision(verdict="deny", rule="boundary", detail="tests/a.py"),
            '[floorboss 7] "tests/a.py" is closed: a test run is red, and editing it is no way to '
            "make it green. Change the source until the same run, alone in its line, is green, or "
            "say what is wrong with the test.",
        ),
        (Decision(verdict="none"), "[floorboss 7] nothing stands against this call."),
    ],
    ids=["mode_tool", "mode_shell", "unknown tool", "tool with a path", "boundary", "none"],
)
def test_a_reason_reads_like_a_sentence_with_a_way_out(decision: Decision, text: str) -> None:
    assert reason(decision, 7) == text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[2Kb", '"a\\x1b[2Kb"'),
        ("line\nbreak", '"line\\nbreak"'),
        ("\u202egnp", '"\\u202egnp"'),
        ('say "x"', '"say \\"x\\""'),
        ("\ud800", '"\\ud800"'),
        ("x" * 200, '"' + "x" * 77 + '..."'),
        ("\x00" * 80, '"' + ("\\x00" * 20)[:77] + '..."'),
    ],
    ids=["escape", "newline", "direction", "quote", "surrogate", "long", "long when escaped"],
)
def test_a_quoted_name_is_inert_and_short(name: str, shown: str) -> None:
    text = reason(Decision(verdict="deny", rule="guarded", detail=name), 1)
    assert text.startswith(f"[floorboss 1] {shown} holds settings")


WHOLE = Policy(
    posture="ask",
    verdicts=Map(Bash="ask", WebFetch="deny"),
    shell_denials=("git push",),
    write_paths=("/src/",),
)


@pytest.mark.parametrize("policy", [Policy(), WHOLE, Policy(write_paths=())])
def test_a_policy_is_read_back_as_it_was_written(policy: Policy) -> None:
    assert policy_json(policy_of(policy_json(policy))) == policy_json(policy)


def test_a_difference_replaces_what_it_names_and_keeps_the_rest() -> None:
    policy = changed(WHOLE, {"posture": "read-only"})
    assert isinstance(policy, Policy)
    assert policy_json(policy) == {**policy_json(WHOLE), "posture": "read-only"}


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        ({}, "at least one"),
        ({"posture": "allow"}, "posture is one of"),
        ({"verdicts": {"Bash": "allow"}}, "verdict is one of"),
        ({"verdicts": ["Bash"]}, "object"),
        ({"verdicts": {"Bash": ["deny"]}}, "verdict is one of"),
        ({"verdicts": {f"t{n}": "deny" for n in range(41)}}, "at most 40"),
        ({"shell_denials": "git push"}, "list"),
        ({"shell_denials": [1]}, "texts only"),
        ({"shell_denials": [" "]}, "none of them empty"),
        ({"write_paths": ["!src/"]}, "no negation"),
        ({"write_paths": ["src/[ab]"]}, "names"),
        ({"write_paths": "src/"}, "list"),
        ({"mode": "plan"}, "a policy has"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_policy_that_is_none_is_refused_by_name(difference: dict[str, Json], said: str) -> None:
    answer = changed(WHOLE, difference)
    assert isinstance(answer, Malformed)
    assert said in answer.detail


def test_a_corrupt_row_is_no_policy() -> None:
    with pytest.raises(ValueError, match="stored policy"):
        policy_of({"posture": "allow"})


def test_nothing_in_force_restricts_nothing_but_guarded_paths() -> None:
    call = call_of({"tool": "T", "tool_class": "write", "effects": ["write"]})
    assert decide(InForce(), call).verdict == "none"


def test_a_decision_names_the_mode_and_the_posture_it_was_made_under() -> None:
    call = call_of({"tool": "T", "tool_class": "read", "effects": ["read"]})
    debug, plan = MODES["default"]["debug"], MODES["default"]["plan"]
    in_force = InForce(modes=(debug, plan), policies=(Policy(posture="auto"), Policy()))
    assert decide(in_force, call) == Decision(
        verdict="none", mode="debug", posture="auto", also=("plan",)
    )
