"""The verdict on one call: the strictest of everything that is in force for it (docs/design.md 4).

    guarded        a path that no mode may write
    mode           tool classes, then what it says to each effect of the call
    boundary       test files that are closed: a test run is red, or a green one does not count
    policy         posture, per-tool verdicts, shell denials, write paths

Each of these finds something or nothing; the strictest finding decides, and of equal ones the
first in this order, narrowest scope first. Nothing in here can outrank a stricter finding, so a
value that finds more than another can never make a call freer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.domain.calls import Effect, Target, ToolClass
from app.domain.configuration import POSTURES, Posture
from app.domain.modes import UNKNOWN_CLASSES, VERDICTS, Mode, Ruling, Verdict
from app.domain.patterns import matches
from app.domain.restrictions import Call, Decision, InForce, Policy, VerdictRule

_STRICTEST: Verdict = VERDICTS[-1]
_WRITING: frozenset[Effect] = frozenset({"write", "git_restore"})  # effects that name targets
_UNVOUCHED: frozenset[Effect] = frozenset({"unknown", "unknown_closed"})
# What the postures leave alone: these tool classes, and shell lines, when they only do this.
_QUIET_CLASSES: frozenset[ToolClass] = frozenset({"read", "search", "test", "talk", "shell"})
_QUIET_EFFECTS: frozenset[Effect] = frozenset({"read", "talk", "test"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    verdict: Verdict
    rule: VerdictRule
    detail: str = ""
    mode: Mode | None = None
    effect: Effect | None = None


def decide(in_force: InForce, call: Call, open_tests: frozenset[str] | None = None) -> Decision:
    """The strictest finding about one call.

    `open_tests`: None while no target is red, else the only test files that may be written.
    """
    found = _found(in_force, call, open_tests)
    names = tuple(mode.name for mode in in_force.modes)
    posture = _strictest(in_force.policies)
    if found is None:
        return Decision(verdict="none", mode="".join(names[:1]), posture=posture, also=names[1:])
    return Decision(
        verdict=found.verdict,
        rule=found.rule,
        mode=names[0] if names else "",
        posture=posture,
        detail=found.detail,
        by=found.mode.name if found.mode else "",
        handoff=found.mode.handoff if found.mode else None,
        effect=found.effect,
        also=names[1:],
        command=found.effect not in _UNVOUCHED or runs_commands(call),
    )


def verdict(in_force: InForce, call: Call, open_tests: frozenset[str] | None = None) -> Verdict:
    """The verdict alone, for comparisons over many calls."""
    found = _found(in_force, call, open_tests)
    return "none" if found is None else found.verdict


def _found(in_force: InForce, call: Call, open_tests: frozenset[str] | None) -> _Finding | None:
    """The strictest finding, of equal ones the first; after a denial none can be stricter."""
    strictest = None
    for finding in _findings(in_force, call, open_tests):
        if finding.verdict == _STRICTEST:
            return finding
        strictest = strictest or finding  # all others are `ask`
    return strictest


def _strictest(policies: tuple[Policy, ...]) -> Posture:
    return max((policy.posture for policy in policies), key=POSTURES.index, default=POSTURES[0])


def _findings(
    in_force: InForce, call: Call, open_tests: frozenset[str] | None
) -> Iterator[_Finding]:
    yield from _guarded(call)
    for mode in in_force.modes:
        yield from _by_class(mode, call)
    # Named first where the modes would let a test be written, and never left out: a mode that
    # writes nothing may still ask where the boundary denies.
    named_first = all(mode.writes for mode in in_force.modes)
    if named_first:
        yield from _boundary(call, open_tests)
    for mode in in_force.modes:
        for effect in call.effects:
            yield from _by_effect(mode, call, effect)
    if not named_first:
        yield from _boundary(call, open_tests)
    for policy in in_force.policies:
        yield from _by_posture(policy.posture, call)
        yield from _by_tool(policy, call)
        yield from _by_denial(policy, call)
        yield from _by_paths(policy, call)


def _written(call: Call) -> tuple[Target, ...]:
    """The targets, where the call is known to write them."""
    return call.targets if _WRITING.intersection(call.effects) else ()


def _guarded(call: Call) -> Iterator[_Finding]:
    for target in _written(call):
        if target.zone == "guarded":
            yield _Finding(verdict="deny", rule="guarded", detail=target.path)


def _by_class(mode: Mode, call: Call) -> Iterator[_Finding]:
    if call.tool_class not in mode.tools and call.tool_class not in UNKNOWN_CLASSES:
        yield _Finding(verdict="deny", rule="mode_tool", detail=call.tool, mode=mode)


def _boundary(call: Call, open_tests: frozenset[str] | None) -> Iterator[_Finding]:
    for target in _written(call) if open_tests is not None else ():
        if target.zone == "test" and target.path not in (open_tests or ()):
            yield _Finding(verdict="deny", rule="boundary", detail=target.path)


def _by_effect(mode: Mode, call: Call, effect: Effect) -> Iterator[_Finding]:
    outside = next((target for target in call.targets if target.zone not in mode.writes), None)
    inside = effect in _WRITING and bool(call.targets) and outside is None
    verdict = _ruled(mode.shell.get(effect, "deny"), inside)
    if verdict == "none":
        return
    first = outside or next(iter(call.targets), None)
    named = first.path if first and effect in _WRITING else call.part or call.tool
    yield _Finding(
        verdict=verdict,
        rule="mode_write" if effect == "write" else "mode_shell",
        detail=named,
        mode=mode,
        effect=effect,
    )


def _ruled(ruling: Ruling, inside: bool) -> Verdict:
    """What a ruling comes to, given whether all targets are named and inside the write scope."""
    match ruling:
        case "scope_or_ask":
            return "none" if inside else "ask"
        case "scope_or_deny":
            return "none" if inside else "deny"
        case _:
            return ruling


def runs_commands(call: Call) -> bool:
    """Whether a call is about commands, and not about a tool that has arguments of its own."""
    return bool(call.part) or call.tool_class in ("shell", "test")


def quiet(call: Call) -> bool:
    """Whether a call only reads, searches, talks or runs tests, by its class and its effects."""
    return call.tool_class in _QUIET_CLASSES and _QUIET_EFFECTS.issuperset(call.effects)


def _by_posture(posture: Posture, call: Call) -> Iterator[_Finding]:
    unvouched = next((effect for effect in call.effects if effect in _UNVOUCHED), None)
    detail = call.part or call.tool
    match posture:
        case "auto" if unvouched:
            yield _Finding(verdict="ask", rule="posture", detail=detail, effect=unvouched)
        case "ask" if not quiet(call):
            yield _Finding(verdict="ask", rule="posture", detail=detail)
        case "read-only" if not quiet(call):
            yield _Finding(verdict="deny", rule="posture", detail=detail)
        case _:
            pass


def _by_tool(policy: Policy, call: Call) -> Iterator[_Finding]:
    verdict = policy.verdicts.get(call.tool, "none")
    if verdict != "none":
        yield _Finding(verdict=verdict, rule="tool_verdict", detail=call.tool)


def _by_denial(policy: Policy, call: Call) -> Iterator[_Finding]:
    for command in call.commands:
        for denial in policy.shell_denials:
            if starts(command, denial):
                yield _Finding(verdict="deny", rule="shell_denial", detail=denial)


def starts(command: str, denial: str) -> bool:
    """Whether a command's first words are those of the denial; a program's folder is ignored."""
    words, denied = _by_name(command), _by_name(denial)
    return bool(denied) and words[: len(denied)] == denied


def _by_name(command: str) -> tuple[str, ...]:
    program, *rest = command.split() or [""]
    return (program.rpartition("/")[2], *rest) if program else ()


def _by_paths(policy: Policy, call: Call) -> Iterator[_Finding]:
    """Write paths close every other path, and put to a person what may write nobody knows where."""
    if policy.write_paths is None:
        return
    for target in _written(call):
        if target.path.startswith("/") or not matches(policy.write_paths, target.path):
            yield _Finding(verdict="deny", rule="mode_write", detail=target.path, effect="write")
    if _unplaced(call):
        yield _Finding(verdict="ask", rule="mode_write", detail=call.part or call.tool)


def _unplaced(call: Call) -> bool:
    effects = set(call.effects)
    return bool(effects & _UNVOUCHED) or (bool(effects & _WRITING) and not call.targets)
