"""Many runs of one point, and all points of a sweep.

cases(...)      the three governors against the stub
one_cost(...)   strength x floor x tolerance against the stub
two_costs(...)  the same against the workload where some calls are harmful
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, repeat

from app.charts.intervals import Estimate, mean, share
from app.simulation.agent import Run, World, run, world
from app.simulation.parameters import Case, Parameters, Prices, Workload, rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One place of a sweep, and what became of its runs."""

    strength: float
    floor: float
    tolerance: float
    runs: tuple[Run, ...]

    @property
    def completed(self) -> Estimate:
        """The share of runs that reached their goal."""
        return share(sum(each.completed for each in self.runs), len(self.runs))

    def mean(self, field: str) -> Estimate:
        """The mean of a count over all runs; `field` is one of Run."""
        return mean([float(getattr(each, field)) for each in self.runs])


def cost(each: Run, prices: Prices) -> float:
    """What a run cost."""
    return prices.lost * (not each.completed) + prices.harm * each.harms


def costs(runs: Iterable[Run], prices: Prices) -> Estimate:
    """The mean cost of some runs."""
    return mean([cost(each, prices) for each in runs])


def worlds(workload: Workload, seed: str, runs: int) -> tuple[World, ...]:
    """What all points of a sweep have before them."""
    return tuple(world(workload, seed, number) for number in range(runs))


def cases(given: Parameters, seed: str, runs: int) -> Iterator[tuple[Case, Point]]:
    """The three cases."""
    before = worlds(given.stub, seed, runs)
    for case in given.cases:
        yield case, _point(given, before, case.strength, case.floor, given.tolerance)


def one_cost(given: Parameters, seed: str, runs: int) -> Iterator[Point]:
    """The sweep of the stub."""
    return _swept(given, worlds(given.stub, seed, runs))


def two_costs(given: Parameters, seed: str, runs: int) -> Iterator[Point]:
    """The sweep of the workload with a cost on both sides."""
    return _swept(given, worlds(given.two_costs, seed, runs))


def _swept(given: Parameters, before: Sequence[World]) -> Iterator[Point]:
    known: dict[tuple[float, float], Point] = {}  # the point with the floor before
    sweep = given.sweep
    for floor, tolerance, strength in product(
        sorted(sweep.floors), sweep.tolerances, sweep.strengths
    ):
        place = (tolerance, strength)
        known[place] = _point(given, before, strength, floor, tolerance, known.get(place))
        yield known[place]


def _point(
    given: Parameters,
    before: Sequence[World],
    strength: float,
    floor: float,
    tolerance: float,
    lower: Point | None = None,
) -> Point:
    """One point; of `lower`, whose floor is lower, runs that never met this floor are kept."""
    under = rule(given, strength, floor)
    known = repeat(None) if lower is None else lower.runs
    runs = tuple(
        same if same is not None and same.lowest >= floor else run(under, tolerance, each)
        for each, same in zip(before, known, strict=False)
    )
    return Point(strength=strength, floor=floor, tolerance=tolerance, runs=runs)
