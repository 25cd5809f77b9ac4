"""What a change frees and closes, as a person reads it: a table, and what must always hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from app.domain.differences import PARTS, Item, difference, difference_view, redefined
from app.domain.modes import MODES, VERDICTS, Mode, Verdict
from app.domain.patterns import matches
from app.domain.policy import decide
from app.domain.probes import grid
from app.domain.restrictions import Call, InForce, Policy, changed
from tests.domain.changes import mode_changes, policies, policy_changes

CASES = json.loads((Path(__file__).parents[1] / "cases" / "differences.json").read_text())
DEFAULT = MODES["default"]


def held(given: dict[str, Any]) -> InForce:
    fields = {name: value for name, value in given.items() if name != "mode"}
    policy = changed(Policy(), fields) if fields else Policy()
    assert isinstance(policy, Policy)
    return InForce(modes=(DEFAULT[given.get("mode", "implementation")],), policies=(policy,))


def line(item: Item) -> str:
    sign = "+" if item.freer else "-"
    return f"{sign} {PARTS[item.kind]}: {item.what}: {item.before} -> {item.after}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_difference_is_told_by_tools_paths_and_commands(case: dict[str, Any]) -> None:
    assert [*map(line, difference(held(case["given"]), held(case["when"])))] == case["then"]


def test_an_answer_carries_it_by_direction_and_part() -> None:
    before, after = held({"mode": "plan"}), held({"mode": "debug", "posture": "ask"})
    shown: Any = difference_view(difference(before, after))
    assert shown["freer"]["tools"] == [
        {
            "kind": "class",
            "name": "test",
            "what": "test runners",
            "before": "deny",
            "after": "none",
        }
    ]
    assert [item["name"] for item in shown["freer"]["commands"]] == ["test"]
    assert shown["freer"]["paths"] == []
    assert [item["name"] for item in shown["stricter"]["tools"]] == [
        "web", "subagent", "mcp", "other",
    ]  # fmt: skip
    assert (shown["stricter"]["paths"], shown["stricter"]["commands"]) == ([], [])


def about(item: Item, call: Call) -> bool:
    """Whether an item names something of this call, read from its words and not by its code."""
    words: dict[str, tuple[str, ...]] = {
        "class": (call.tool_class,),
        "tool": (call.tool,),
        "effect": call.effects,
        "unvouched": call.effects if call.tool_class not in ("shell", "test") else (),
        "command": call.commands,
        "zone": tuple(target.zone for target in call.targets),
    }
    if item.kind == "pattern":
        return any(matches([item.name], target.path) for target in call.targets)
    return item.name in words[item.kind]


def step(before: Verdict, after: Verdict) -> int:
    return VERDICTS.index(after) - VERDICTS.index(before)


def whole_and_true(before: InForce, after: InForce) -> None:
    """Every probe that changes is told in its direction, and every item is about one of them."""
    changes = [
        (call, decide(before, call).verdict, decide(after, call).verdict)
        for call in grid((*after.policies, *before.policies))
    ]
    items = difference(before, after)
    for call, was, now in changes:
        alike = [i for i in items if step(was, now) * step(i.before, i.after) > 0]
        assert was == now or any(about(item, call) for item in alike), (call, was, now)
    for item in items:
        assert any(
            (was, now) == (item.before, item.after) and about(item, call)
            for call, was, now in changes
        ), item
    assert len(items) == len({line(item) for item in items})


@settings(max_examples=300)
@given(mode_changes, policies)
def test_no_change_of_a_mode_is_left_out_and_none_made_up(
    pair: tuple[Mode, Mode], policy: Policy
) -> None:
    one, other = (InForce(modes=(mode,), policies=(policy,)) for mode in pair)
    whole_and_true(one, other)


@settings(max_examples=300)
@given(policy_changes, mode_changes)
def test_no_change_of_a_policy_is_left_out_and_none_made_up(
    pair: tuple[Policy, Policy], modes: tuple[Mode, Mode]
) -> None:
    one, other = (InForce(modes=modes[:1], policies=(policy,)) for policy in pair)
    whole_and_true(one, other)


@settings(max_examples=200)
@given(policy_changes, mode_changes)
def test_the_way_back_is_the_same_list_in_the_other_direction(
    pair: tuple[Policy, Policy], modes: tuple[Mode, Mode]
) -> None:
    one = InForce(modes=modes[:1], policies=pair[:1])
    other = InForce(modes=modes[1:], policies=pair[1:])
    there = {(i.kind, i.name, i.before, i.after, i.places) for i in difference(one, other)}
    back = {(i.kind, i.name, i.after, i.before, i.places) for i in difference(other, one)}
    assert there == back


@pytest.mark.parametrize("before", DEFAULT)
@pytest.mark.parametrize("after", DEFAULT)
def test_between_the_modes_that_ship_a_list_stays_short(before: str, after: str) -> None:
    items = difference(held({"mode": before}), held({"mode": after}))
    assert len(items) <= 14  # commands and tools nobody can vouch for are told apart


def test_modes_that_are_defined_anew_are_told_by_name_each_by_itself() -> None:
    old = {name: DEFAULT[name] for name in ("debug", "implementation", "plan")}
    shell = DEFAULT["debug"].shell.set("unknown", "ask")
    asking = replace(DEFAULT["debug"], shell=shell)
    new = {**old, "debug": asking, "mine": DEFAULT["review"]}
    assert [*map(line, redefined(old, new))] == [
        "+ commands: commands nobody can vouch for (in mode debug): deny -> ask",
        "+ tools: tools nobody can vouch for (in mode debug): deny -> ask",
    ]
    shown: Any = difference_view(redefined(old, new))
    assert [item["mode"] for item in shown["freer"]["tools"]] == ["debug"]
    assert redefined(old, {**old, "mine": DEFAULT["review"]}) == ()
