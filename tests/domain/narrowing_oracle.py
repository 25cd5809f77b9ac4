"""A second judge of narrowing, from the design's sentences and without the first one's code.

    said(value, call)             what one value alone says to a call: 0 nothing, 1 ask, 2 deny
    frees(current, change)        whether some call gets a freer verdict
    may_narrow(current, change)   whether a machine may make the change

It shares the values with what it judges and nothing else: no grid, no `decide`, no matching of
patterns. Calls are not chosen as probes are: for a mode every class, up to two effects and up to
two places; for a policy every combination of a tool, what is done, a command and a path, the
paths found by comparing the lists as sets (glob_oracle.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import get_args

from app.domain.calls import Effect, Target, ToolClass, Zone
from app.domain.modes import Mode
from app.domain.restrictions import Call, Policy
from tests.domain.glob_oracle import beyond, inside

Value = Mode | Policy
STRICTNESS = {"none": 0, "ask": 1, "deny": 2}
CLASSES: tuple[ToolClass, ...] = get_args(ToolClass)
EFFECTS: tuple[Effect, ...] = get_args(Effect)
ZONES: tuple[Zone, ...] = get_args(Zone)
WRITES = ("write", "git_restore")
UNKNOWN = ("unknown", "unknown_closed")
HARMLESS = ("read", "talk", "test")
# What a posture says to a call that does more than read, search, talk or test; and, below, to one
# of unknown effect. A shell line does what its effects say.
KNOWN = {"yolo": 0, "auto": 0, "ask": 1, "read-only": 2}
UNVOUCHED = {"yolo": 0, "auto": 1, "ask": 1, "read-only": 2}
QUIET = ("read", "search", "test", "talk", "shell")


def said(value: Value, call: Call) -> int:
    """What one value alone says to a call, guarded paths included."""
    writes = any(effect in WRITES for effect in call.effects)
    if writes and any(target.zone == "guarded" for target in call.targets):
        return 2
    if isinstance(value, Policy):
        return _policy_says(value, call)
    unknown_class = call.tool_class in ("mcp", "other")
    if not unknown_class and call.tool_class not in value.tools:
        return 2
    return max((_ruling(value, effect, call) for effect in call.effects), default=0)


def _ruling(mode: Mode, effect: Effect, call: Call) -> int:
    ruling = mode.shell.get(effect, "deny")
    if ruling in STRICTNESS:
        return STRICTNESS[ruling]
    named = effect in WRITES and len(call.targets) > 0
    if named and all(target.zone in mode.writes for target in call.targets):
        return 0
    return 1 if ruling == "scope_or_ask" else 2


def _policy_says(policy: Policy, call: Call) -> int:
    tool = STRICTNESS[policy.verdicts.get(call.tool, "none")]
    denied = any(_begins(line, denial) for line in call.commands for denial in policy.shell_denials)
    return max(_posture(policy, call), tool, 2 if denied else 0, _places(policy, call))


def _posture(policy: Policy, call: Call) -> int:
    if any(effect in UNKNOWN for effect in call.effects):
        return UNVOUCHED[policy.posture]
    if call.tool_class in QUIET and all(effect in HARMLESS for effect in call.effects):
        return 0
    return KNOWN[policy.posture]


def _begins(line: str, denial: str) -> bool:
    """A denial is a program's name or the first words of a command; folders do not matter."""
    words, first = line.split(), denial.split()
    if not words or len(words) < len(first):
        return False
    programs = words[0].split("/")[-1], first[0].split("/")[-1]
    return programs[0] == programs[1] and words[1 : len(first)] == first[1:]


def _places(policy: Policy, call: Call) -> int:
    """Write paths close all others, and ask where nobody can say what is written."""
    if policy.write_paths is None:
        return 0
    writes = any(effect in WRITES for effect in call.effects)
    if writes and not all(_within(policy.write_paths, target) for target in call.targets):
        return 2
    unsaid = writes and not call.targets
    return 1 if unsaid or any(effect in UNKNOWN for effect in call.effects) else 0


def _within(patterns: tuple[str, ...], target: Target) -> bool:
    return not target.path.startswith("/") and inside(patterns, target.path)


def frees(current: Value, change: Value) -> bool:
    """Whether some call is freer under the change."""
    if isinstance(current, Mode):
        assert isinstance(change, Mode)
        calls = _calls_of_modes(current, change)
    else:
        assert isinstance(change, Policy)
        calls = _calls_of_policies(current, change)
    return any(said(change, call) < said(current, call) for call in calls)


def may_narrow(current: Value, change: Value) -> bool:
    """Whether a machine may make the change."""
    return not adds(current, change) and not frees(current, change)


def adds(current: Value, change: Value) -> bool:
    """Whether a change has a write pattern that was not there; no list at all has every pattern."""
    if isinstance(current, Mode) or isinstance(change, Mode):
        return False
    if change.write_paths is None:
        return current.write_paths is not None
    return any(path not in (current.write_paths or ()) for path in change.write_paths)


def _call(
    tool_class: ToolClass, effects: tuple[Effect, ...], targets: tuple[Target, ...] = (),
    tool: str = "", commands: tuple[str, ...] = (),
) -> Call:  # fmt: skip
    return Call(
        tool=tool, tool_class=tool_class, effects=effects, targets=targets, commands=commands
    )


def _calls_of_modes(current: Mode, change: Mode) -> Iterator[Call]:
    """One class of each kind that the two tell apart, and places by the same rule."""
    classes = {(c in current.tools, c in change.tools, c in ("mcp", "other")): c for c in CLASSES}
    zones = {(z in current.writes, z in change.writes, z == "guarded"): z for z in ZONES}
    places = [Target(path=zone, zone=zone) for zone in zones.values()]
    pairs = [(), *combinations(places, 1), *combinations(places, 2)]
    for kind, effect, targets in product(classes.values(), EFFECTS, pairs):
        yield _call(kind, (effect,), targets)
    for effects, targets in product(combinations(EFFECTS, 2), pairs[: 1 + len(places)]):
        yield _call("other", effects, targets)


def _calls_of_policies(current: Policy, change: Policy) -> Iterator[Call]:
    done: list[tuple[ToolClass, Effect]] = [
        *(("shell", effect) for effect in EFFECTS), ("edit", "write"), ("read", "read"),
        ("web", "read"), ("other", "unknown"),
    ]  # fmt: skip
    tools = {*current.verdicts, *change.verdicts}
    nobody = "x" * (1 + max(map(len, tools), default=0))
    lines = [(), *((line,) for line in {*current.shell_denials, *change.shell_denials})]
    targets = [(), *((target,) for target in _telling(current, change))]
    for tool, (kind, effect), line in product([*sorted(tools), nobody], done, lines):
        for places in targets if effect in WRITES else ((),):
            yield _call(kind, (effect,), places, tool, line)


def _telling(current: Policy, change: Policy) -> Iterator[Target]:
    """Paths that the two lists tell apart, one that neither has, and one in a foreign folder."""
    had, has = current.write_paths or (), change.write_paths or ()
    found = (beyond(has, had), beyond(had, has), beyond(("**",), (*had, *has)))
    yield from (Target(path=path, zone="project") for path in found if path is not None)
    yield Target(path="/foreign", zone="outside")
