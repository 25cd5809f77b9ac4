"""Narrowing, defined over verdicts and not over fields (docs/design.md 4).

A value is narrower than another where no probe call gets a freer verdict. Comparing fields is not
enough: an explicit `ask` for one tool looks stricter than nothing and frees it where the posture
denied it. Machines may only narrow; and of write patterns they may take away, never add, as no
finite grid can show that an added pattern frees nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar

from app.domain.calls import Target
from app.domain.entries import Direction
from app.domain.modes import VERDICTS, Mode, Verdict
from app.domain.patterns import zone_inside
from app.domain.policy import verdict
from app.domain.probes import grid, paths_around, unnamed
from app.domain.restrictions import Call, InForce, Policy

Value: TypeAlias = Mode | Policy | None  # None: a notice or a signal, which restricts nothing
_V = TypeVar("_V", Mode, Policy)
REMEMBERED = 1_024  # comparisons; a daemon meets a few dozen of them again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class Widened:
    """A change that was refused, and the call that shows why."""

    call: Call
    before: Verdict
    after: Verdict
    why: Literal["freer", "adds_write_pattern", "lifts_soft_rule"] = "freer"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    call: Call
    before: Verdict
    after: Verdict

    @property
    def steps(self) -> int:
        """How many verdicts stricter the call becomes; below 0: freer."""
        return VERDICTS.index(self.after) - VERDICTS.index(self.before)


@lru_cache(maxsize=REMEMBERED)
def direction(current: Value | InForce, new: Value | InForce) -> Direction:
    """What replacing one value by another does to the verdicts over the probe grid."""
    before, after = whole(current), whole(new)
    steps = [change.steps for change in _changes(before, after)]
    if any(step < 0 for step in steps) or lifted_by(after) - lifted_by(before):
        return "loosen"
    return "tighten" if any(steps) or lifted_by(before) - lifted_by(after) else "neutral"


def narrow(current: _V, change: _V) -> _V | Widened:
    """The whole new value, where it gives no probe call a freer verdict; else the call it frees."""
    if current == change:
        return change
    added = _added_pattern(current, change) or _lifting(current, change)
    if added is not None:
        return added
    for found in _changes(whole(current), whole(change)):
        if found.steps < 0:
            return Widened(call=found.call, before=found.before, after=found.after)
    return change


@lru_cache(maxsize=REMEMBERED)
def automatic(own: Value, new: Value, before: InForce, after: InForce) -> bool:
    """Whether a machine may make this change at once.

    It must narrow the value that its own scope has, and make at least one call stricter under all
    that is in force for the scope, before and after.
    """
    match own, new:
        case Mode(), Mode():
            narrower = not isinstance(narrow(own, new), Widened)
        case Policy(), Policy():
            narrower = not isinstance(narrow(own, new), Widened)
        case _:
            narrower = False
    return narrower and any(change.steps > 0 for change in _changes(before, after))


def whole(value: Value | InForce) -> InForce:
    """A value as if nothing else were in force."""
    match value:
        case Mode():
            return InForce(modes=(value,))
        case Policy():
            return InForce(policies=(value,))
        case InForce():
            return value
        case None:
            return InForce()


def lifted_by(held: InForce) -> frozenset[str]:
    """The soft rules that all policies in force lift; no probe call meets one by itself."""
    lists = [frozenset(policy.lifted) for policy in held.policies]
    return frozenset.intersection(*lists) if lists else frozenset()


def _lifting(current: Mode | Policy, change: Mode | Policy) -> Widened | None:
    """A soft rule that the change lifts: a person's to do, whatever else it closes."""
    if lifted_by(whole(change)) <= lifted_by(whole(current)):
        return None
    call = Call(tool=unnamed(()), tool_class="other", effects=("unknown",))
    return Widened(call=call, before="ask", after="none", why="lifts_soft_rule")


def _changes(before: InForce, after: InForce) -> Iterator[_Change]:
    for call in grid((*after.policies, *before.policies)):
        yield _Change(call=call, before=verdict(before, call), after=verdict(after, call))


def _added_pattern(current: Mode | Policy, change: Mode | Policy) -> Widened | None:
    """The first write pattern that the change adds; no list at all is a pattern for everything."""
    if not (isinstance(current, Policy) and isinstance(change, Policy)):
        return None
    had, has = current.write_paths, change.write_paths
    added: Sequence[str] = [path for path in (has or ()) if had is None or path not in had]
    if has is None and had is not None:
        added = ("**",)
    if not added:
        return None
    path = paths_around(added[0])[0]
    call = Call(
        tool=unnamed((current, change)),
        tool_class="write",
        effects=("write",),
        targets=(Target(path=path, zone=zone_inside(path)),),
    )
    return Widened(
        call=call,
        before=verdict(whole(current), call),
        after=verdict(whole(change), call),
        why="adds_write_pattern",
    )
