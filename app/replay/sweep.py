"""A sweep: one threshold over several values, and what each value makes of the same sessions.

SWEEPS            the values that are tried
inert(...)        whether a value can change nothing, so that nobody needs to try it
swept(...)        the threshold at each value, compared with how it stands now
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.comparisons import CHECKS
from app.domain.strictness import COMPARED, WAYS, Way
from app.replay.comparison import Difference, difference
from app.replay.fires import Fire

# Around the defaults of docs/detection.md 2; for what is off by default, around the seeds' numbers
# or, where no seed names one, round numbers of a long turn.
SWEEPS: Final[Mapping[str, tuple[float, ...]]] = MappingProxyType(
    {
        "repeated.failed": (2, 3, 4, 5, 6),
        "repeated.ok": (3, 4, 5, 6, 8),
        "repeated.poll_failed": (4, 5, 7, 10),
        "repeated.poll": (5, 10, 15, 20),
        "repeated.drain": (8, 15, 25),
        "repeated.poll_seconds": (2, 5, 10, 20),
        "repeated.dead": (4, 8, 16),
        "repeated.dead_minutes": (15, 45, 90),
        "same_error.count": (3, 4, 5, 6, 8),
        "same_error.again": (4, 5, 6, 8, 10),
        "no_progress.stale": (4, 5, 6, 8, 10),
        "no_progress.calls": (8, 11, 15, 20),
        "edit_failures.count": (2, 3, 4, 5, 6),
        "test_failure.reds": (1, 2, 3, 5, 7, 10),
        "test_failure.names": (3, 4, 5, 7),
        "test_failure.builds": (3, 4, 5, 7, 10),
        "test_failure.errors": (3, 4, 5, 7),
        "timeouts.count": (2, 3, 4, 5),
        "denials.same": (2, 3, 4, 5),
        "denials.mark": (3, 4, 5, 6),
        "denials.dense": (3, 4, 5, 6),
        "denials.rate": (0.2, 0.3, 0.4, 0.5),
        "denials.count": (5, 10, 15),
        "success_rate.low": (0.3, 0.4, 0.5, 0.6, 0.7),
        "success_rate.severe": (0.1, 0.2, 0.3, 0.4, 0.5),
        "success_rate.distinct": (3, 5, 7),
        "streak.clean": (15, 20, 30, 50),
        "context.share": (0.6, 0.7, 0.8, 0.9, 0.95),
        "review.green": (0, 1),
        "review.to_mode": (0, 1),
        "coverage.gap": (0, 1),
        "blocked_storm.same": (2, 3, 4, 5),
        "blocked_storm.any": (3, 4, 5, 7, 10),
        "escalation.blocks": (2, 3, 4, 5),
        "escalation.further": (3, 5, 7, 10),
        "error_streak.count": (3, 5, 8, 10),
        "cost.cap": (5, 10, 20, 50),
        "cost.share": (0.5, 0.8, 0.9, 1),
        "tokens_written.count": (20_000, 50_000, 100_000),
        "turn_seconds.count": (600, 1_800, 3_600),
    }
)
# Those that are a share of another number: without that one they mean nothing.
SHARES: Final = {check.threshold: check.share_of for check in CHECKS if check.share_of is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One value: the rule's firings under it, and what of all rules differs from now."""

    value: float
    fires: tuple[Fire, ...]
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One threshold at each value, the smallest first; `now` is the value it has, 0 for off."""

    threshold: str
    now: float
    steps: tuple[Step, ...]

    @property
    def rule(self) -> str:
        """The rule whose firings are counted."""
        return rule_of(self.threshold)

    @property
    def silent(self) -> bool:
        """Whether nothing fires at any value and no other rule is touched."""
        return not any(step.fires or step.difference.rules for step in self.steps)


def rule_of(threshold: str) -> str:
    """The rule that a threshold belongs to."""
    return threshold.partition(".")[0]


def values_of(threshold: str, now: float) -> tuple[float, ...]:
    """The values that are tried, with the one in force among them."""
    return tuple(sorted({*SWEEPS[threshold], now}))


def inert(threshold: str, value: float, now: Mapping[str, float], fired: Set[str]) -> bool:
    """Whether a value changes nothing: a rule that never fired (`fired`) is met no sooner."""
    stands = now.get(threshold, 0)
    if value == stands:
        return True
    if rule_of(threshold) in fired:
        return False
    if threshold in SHARES:
        return not now.get(SHARES[threshold], 0)
    way = _way(threshold)
    # A switch moves nothing nearer: it decides what comes of it, and that may be nothing.
    return way != "switch" and COMPARED[way](value, stands)


def _way(threshold: str) -> Way:
    """How it is met sooner; a check that only asks is met like any other."""
    way = WAYS.get(threshold, "lower")
    return "lower" if way == "asks" else way


def swept(
    threshold: str,
    now: Mapping[str, float],
    fires: Sequence[Fire],
    run: Callable[[float], Sequence[Fire]],
) -> Sweep:
    """The sweep of one threshold; `fires` is what fires now, `run` what fires at a value."""
    fired = {fire.rule for fire in fires}
    stands = now.get(threshold, 0)
    found = {
        value: fires if inert(threshold, value, now, fired) else run(value)
        for value in _soonest_first(threshold, values_of(threshold, stands))
    }
    return Sweep(
        threshold=threshold,
        now=stands,
        steps=tuple(_step(threshold, value, fires, found[value]) for value in sorted(found)),
    )


def _soonest_first(threshold: str, values: Sequence[float]) -> Sequence[float]:
    """What does not fire where it is easiest to trip needs no run where it is harder."""
    return values[::-1] if _way(threshold) == "higher" else values


def _step(threshold: str, value: float, before: Sequence[Fire], after: Sequence[Fire]) -> Step:
    return Step(
        value=value,
        fires=tuple(fire for fire in after if fire.rule == rule_of(threshold)),
        difference=difference(before, after),
    )
