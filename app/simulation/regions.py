"""Where a strength between 0 and 1 is better than both, and where it is not.

The first half of a point's runs picks the best strength between, the second half judges it: the
best of nine would look better than it is in the runs that picked it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import fmean
from typing import Literal, TypeAlias

from app.charts.intervals import Estimate
from app.simulation.parameters import Prices
from app.simulation.sweep import Point, cost, costs

Winner: TypeAlias = Literal["between", "none", "full", "open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One floor, tolerance and price; the best strength between there, and what each costs."""

    floor: float
    tolerance: float
    harm: float  # price
    strength: float  # the best one between, picked by the other half of the runs
    between: Estimate  # mean costs of a run
    none: Estimate  # strength 0
    full: Estimate  # strength 1

    @property
    def winner(self) -> Winner:
        """What is better than both others, its whole 95 % interval below theirs; else `open`."""
        costs: dict[Winner, Estimate] = {
            "between": self.between,
            "none": self.none,
            "full": self.full,
        }
        for name, one in costs.items():
            if all(one.below(other) for key, other in costs.items() if key != name):
                return name
        return "open"

    @property
    def saved(self) -> float:
        """What the strength between costs less than the better end; below 0: costs more."""
        return min(self.none.value, self.full.value) - self.between.value


def places(points: Iterable[Point], prices: Prices, harms: Iterable[float]) -> list[Place]:
    """Every floor and tolerance of a sweep at every price of a harm."""
    groups = [[*found] for _, found in groupby(points, lambda one: (one.floor, one.tolerance))]
    return [_place(group, replace(prices, harm=harm), harm) for group in groups for harm in harms]


def _place(points: Sequence[Point], prices: Prices, harm: float) -> Place:
    ordered = sorted(points, key=lambda point: point.strength)
    best = min(ordered[1:-1], key=lambda point: _picked(point, prices))
    between, none, full = (_judged(point, prices) for point in (best, ordered[0], ordered[-1]))
    return Place(
        floor=best.floor,
        tolerance=best.tolerance,
        harm=harm,
        strength=best.strength,
        between=between,
        none=none,
        full=full,
    )


def _picked(point: Point, prices: Prices) -> float:
    return fmean(cost(each, prices) for each in point.runs[: len(point.runs) // 2])


def _judged(point: Point, prices: Prices) -> Estimate:
    return costs(point.runs[len(point.runs) // 2 :], prices)


def falls(points: Iterable[Point]) -> Iterator[tuple[Point, Point]]:
    """Neighbouring strengths of which the stronger completes surely less: intervals apart."""
    for _, found in groupby(points, lambda one: (one.floor, one.tolerance)):
        group = [*found]
        for weaker, stronger in pairwise(group):
            if stronger.completed.below(weaker.completed):
                yield weaker, stronger
