"""Events that make each rule trip, and no other rule before it: one function a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from app.domain.entries import Entry
from tests.domain.floor import Floor

Trip = Callable[[Floor, str], tuple[Entry, ...]]


def _last(floor: Floor, calls: int, one: Callable[[int], tuple[Entry, ...]]) -> tuple[Entry, ...]:
    """What the last of some calls led to."""
    entries: tuple[Entry, ...] = ()
    for at in range(calls):
        entries = one(at)
    return entries


def repeated(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """The same failing call three times."""
    return floor.failing("make", 3, scope)


def same_error(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Five different calls that fail alike."""
    return _last(
        floor,
        5,
        lambda at: floor.call(f"e{at}", scope, outcome="error", failed=True, error="E"),
    )


def no_progress(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Six calls, and each of them once more with the answer it had."""
    return _last(floor, 12, lambda at: floor.call(f"n{at % 6}", scope, digest=f"n{at % 6}"))


def edit_failures(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Four failed edits of one file."""
    return _last(floor, 4, lambda at: _edit(floor, scope, at, "error"))


def _edit(floor: Floor, scope: str, at: int, outcome: str) -> tuple[Entry, ...]:
    return floor.call(
        f"edit {at}",
        scope,
        **{"class": "edit"},
        outcome=outcome,
        failed=outcome == "error",
        changed_state=outcome == "ok",
        path="a.py",
        edit=f"a.py {at}",
    )


def _run(floor: Floor, scope: str, result: str) -> tuple[Entry, ...]:
    return floor.call(
        "pytest",
        scope,
        **{"class": "test"},
        outcome="ok" if result == "green" else "error",
        failed=result == "red",
        test={"runner": "pytest", "target": "pytest", "result": result, "failed": 2},
    )


def test_failure(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Five red runs of one target, something edited before each."""

    def one(at: int) -> tuple[Entry, ...]:
        _edit(floor, scope, at, "ok")
        return _run(floor, scope, "red")

    return _last(floor, 5, one)


def one_red(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """One red run."""
    return _run(floor, scope, "red")


def timeouts(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Three timeouts."""
    return _last(
        floor,
        3,
        lambda at: floor.call(f"t{at}", scope, outcome="timeout", failed=True, timed_out=True),
    )


def denials(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """One call denied three times."""
    return _last(floor, 3, lambda at: floor.call("rm", scope, outcome="denied"))


def many_denials(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Seven of twenty calls denied."""
    return _last(
        floor,
        20,
        lambda at: floor.call(f"d{at}", scope, outcome="denied" if at % 3 == 1 else "ok"),
    )


def severe(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Eight of ten calls fail, each in its own way."""
    return _last(
        floor,
        10,
        lambda at: floor.call(
            f"s{at}", scope, outcome="ok" if at < 2 else "error", failed=at >= 2, error=f"E{at}"
        ),
    )


def low(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Six of ten calls fail."""
    return _last(
        floor,
        10,
        lambda at: floor.call(
            f"l{at}", scope, outcome="ok" if at < 4 else "error", failed=at >= 4, error=f"E{at}"
        ),
    )


def streak(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """Thirty different calls that work."""
    return _last(floor, 30, lambda at: floor.call(f"c{at}", scope))


def context(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """A window nine tenths full."""
    return floor.call("read", scope, context_tokens=900, context_limit=1000)


def review(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """An edit, a green run, and the turn ends."""
    _edit(floor, scope, 0, "ok")
    _run(floor, scope, "green")
    return floor.reports(scope, "turn", kind="turn")


def coverage(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """A coverage report below what is required."""
    return floor.call("cover", scope, coverage={"percent": 70, "required": 80})


def blocked_storm(floor: Floor, scope: str) -> tuple[Entry, ...]:
    """A hook of somebody else blocks three calls under one rule."""
    return _last(
        floor,
        3,
        lambda at: floor.call(f"b{at}", scope, outcome="blocked", rule="foreign_hook"),
    )


TRIPS: Final[Mapping[str, Trip]] = {
    "repeated": repeated,
    "same_error": same_error,
    "no_progress": no_progress,
    "edit_failures": edit_failures,
    "test_failure": test_failure,
    "test_failure at once": one_red,
    "timeouts": timeouts,
    "denials": denials,
    "denials by share": many_denials,
    "success_rate severe": severe,
    "success_rate low": low,
    "streak": streak,
    "context": context,
    "review": review,
    "coverage": coverage,
    "blocked_storm": blocked_storm,
}
