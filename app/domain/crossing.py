"""The test boundary: tests and implementation are never writable together (docs/design.md 4).

A controller that has an attempt to judge goes three steps:

    under = the function from a mode's name to what would be in force for the call's scope if the
            session's own mode were that one
    side  = crossing(own=..., movable=..., under=under, call=call, red=..., uses_left=...,
                     written_here=...)
    if side: append `approved` (standing "boundary", ref the configured entry) and `applied` (that
             mode, scope the session); then what is in force is `under(side)`
    decide(in force, call, open_tests(red, written_here))

`own` is the mode of the session's own newest entry, else the start mode. `movable`: that mode is
the default or came by a standing approval; one that a person chose is left only by a person.
`red`: tests are closed, as some target's latest known run is red, or as the notice about a green
that does not count stands (boundary.py). `written_here`: the test files written since the last
crossing into tests; empty outside test_development, so that whoever crossed back for the source
finds none open. `uses_left`: what the standing approval `boundary` has left in this session, 0
where the configuration has none; only crossings into tests use one. A crossing that would not make
the call freer under all that is in force is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from app.domain.calls import Effect, Zone
from app.domain.modes import VERDICTS, Mode, Ruling, Verdict
from app.domain.policy import decide
from app.domain.restrictions import Call, InForce

Side = Literal["test_development", "implementation"]
_IMPLEMENTATION_ZONES: frozenset[Zone] = frozenset({"project", "given", "outside"})


def open_tests(red: bool, written: frozenset[str]) -> frozenset[str] | None:
    """The test files `decide` leaves open: None for all, while nothing closes them."""
    return written if red else None


def crossing(
    *,
    own: str,
    movable: bool,
    under: Callable[[Side], InForce],
    call: Call,
    red: bool,
    uses_left: int,
    written_here: frozenset[str] = frozenset(),
) -> Side | None:
    """The mode an attempt has to cross into, or None where it has to be judged on this side."""
    if not movable:
        return None

    def said(side: Side) -> Verdict:
        return decide(under(side), call, open_tests(red, written_here)).verdict

    match own:
        case "implementation" if not red and uses_left > 0 and _writes_a_test(call):
            return "test_development" if _freer(said("test_development"), said(own)) else None
        case "test_development":
            return "implementation" if _freer(said("implementation"), said(own)) else None
        case _:
            return None


def _writes_a_test(call: Call) -> bool:
    return "write" in call.effects and any(target.zone == "test" for target in call.targets)


def _freer(there: Verdict, here: Verdict) -> bool:
    return VERDICTS.index(there) < VERDICTS.index(here)


def holds_boundary(modes: Mapping[str, Mode]) -> str | None:
    """The key that lets tests and implementation be written together, and how; None: no mode does.

    Of several modes it is that of the first.
    """
    for name, mode in sorted(modes.items()):
        if "test" in mode.writes and _IMPLEMENTATION_ZONES.intersection(mode.writes):
            return f"modes.{name}.writes: mode {name} writes both tests and implementation"
        rulings = sorted(mode.shell.items())
        unbound = [effect for effect, ruling in rulings if _unbound(mode, effect, ruling)]
        if unbound:
            key = f"modes.{name}.shell.{unbound[0]}"
            return f"{key}: mode {name} answers {unbound[0]} with none, whatever it writes"
    return None


def _unbound(mode: Mode, effect: Effect, ruling: Ruling) -> bool:
    """Whether a mode lets pass what may write on either side of the boundary."""
    both = effect in ("write", "git_restore", "unknown_closed")
    return ruling == "none" and (both or (effect == "unknown" and "test" in mode.writes))
