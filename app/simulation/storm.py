"""All of a simulation, run once: what text, JSON, charts and the page are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from app.simulation.parameters import Case, Parameters
from app.simulation.regions import Place, falls, places
from app.simulation.sweep import Point, cases, one_cost, two_costs

SEED: Final = "storm"
FEWEST: Final = 60  # runs: thirty in each half, or a normal interval says nothing


@dataclass(frozen=True, kw_only=True)
class Storm:
    """What was run, and what came of it."""

    given: Parameters
    seed: str
    runs: int  # of each point
    cases: tuple[tuple[Case, Point], ...]
    one_cost: tuple[Point, ...]
    two_costs: tuple[Point, ...]

    @cached_property
    def places(self) -> list[Place]:
        """Floors and tolerances at every price of a harm, that of the file too."""
        harms = dict.fromkeys((*self.given.sweep.harms, self.given.prices.harm))
        return places(self.two_costs, self.given.prices, sorted(harms))

    @cached_property
    def monotone(self) -> bool:
        """Whether more strength nowhere completes surely fewer runs of the stub."""
        return next(falls(self.one_cost), None) is None

    def at(self, points: Sequence[Point], floor: float, tolerance: float) -> list[Point]:
        """The points of one floor and tolerance, strength by strength."""
        return [one for one in points if (one.floor, one.tolerance) == (floor, tolerance)]

    def priced(self, harm: float) -> list[Place]:
        """The places at one price of a harm."""
        return [place for place in self.places if place.harm == harm]


def size(given: Parameters) -> int:
    """How many points are run in both sweeps."""
    sweep = given.sweep
    return 2 * len(sweep.floors) * len(sweep.tolerances) * len(sweep.strengths)


def storm(
    given: Parameters,
    seed: str = SEED,
    runs: int | None = None,
    watching: Callable[[Iterator[Point]], Iterator[Point]] = iter,
) -> Storm:
    """Run all of it, `watching` the points of the sweeps pass.

    `runs` of each point, 60 or more and even; None: as many as the file says.
    """
    count = given.sweep.runs if runs is None else runs
    return Storm(
        given=given,
        seed=seed,
        runs=count,
        cases=tuple(cases(given, seed, count)),
        one_cost=tuple(watching(one_cost(given, seed, count))),
        two_costs=tuple(watching(two_costs(given, seed, count))),
    )
