"""A simulation for people, in lines of at most 80 columns, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Final

from app.charts.intervals import Estimate
from app.domain.events import Json
from app.simulation import tables
from app.simulation.agent import Run
from app.simulation.parameters import Prices
from app.simulation.regions import Place
from app.simulation.storm import Storm
from app.simulation.sweep import Point, costs

MEANS: Final = tuple(field for field in Run._fields if field not in ("completed", "lowest"))
INTERVALS: Final = "Intervals are 95 %: Wilson's for shares, mean +-1.96 s/sqrt(n) for means."


def lines(storm: Storm) -> Iterator[str]:
    """All that a terminal is told."""
    yield f'{storm.runs} runs of each point, seed "{storm.seed}". {INTERVALS}'
    yield ""
    yield "ONE COST. " + stub_case(storm)
    yield ""
    yield from _columns(tables.case_rows(storm))
    yield ""
    yield stub_sentence(storm)
    yield ""
    yield "TWO COSTS. " + workload_sentence(storm)
    yield ""
    yield from _grids(storm)
    yield ""
    yield from claim_lines(storm)


def _grids(storm: Storm) -> Iterator[str]:
    floor = storm.given.shown.floor
    yield "Which strength costs least, its interval below those of both others at 0,"
    yield "between, and 1 (~: none does); columns are tolerances of the tool."
    yield ""
    yield from _columns(tables.floor_rows(storm))
    yield ""
    lost = storm.given.prices.lost
    yield f"At floor {floor:g}, for other prices of a harm (a lost goal costs {lost:g}):"
    yield ""
    yield from _columns(tables.price_rows(storm, floor))


def claim_lines(storm: Storm) -> Iterator[str]:
    """The places where a strength between is surely best, or that there is none."""
    rows = [*tables.claim_rows(storm)]
    places = storm.priced(storm.given.prices.harm)
    where = f"where a harm costs {storm.given.prices.harm:g}"
    if len(rows) == 1:
        yield f"No strength between is surely best {where}."
        return
    yield f"A strength between is surely best in {len(rows) - 1} of {len(places)} places {where}:"
    yield ""
    yield from _columns(rows)


def stub_case(storm: Storm) -> str:
    """What the three cases meet."""
    given = storm.given
    return (
        f"One call is the goal, {given.stub.budget} attempts at most. Its tool fails while the rate"
        f" is above {given.tolerance:g}; at rest the rate is {given.base_rate:g}."
    )


def stub_sentence(storm: Storm) -> str:
    """What the stub cannot show."""
    count = len(storm.one_cost)
    if storm.monotone:
        return (
            f"Swept over {count} points, more strength nowhere completes surely fewer runs: nothing"
            " is harmful there, so full backoff costs nothing. The stub alone cannot show that"
            " less can be better."
        )
    return (
        f"Swept over {count} points, more strength somewhere completes surely fewer runs; with so"
        " many points a chance finding of a seed is likely, so try another."
    )


def workload_sentence(storm: Storm) -> str:
    """What is run, and what it costs."""
    given, prices = storm.given.two_costs, storm.given.prices
    return (
        f"{given.needed} calls in a row are the only way to the goal, {given.budget} attempts at"
        f" most. Before each comes a harmful one with a chance of {given.harmful_share:g}, which is"
        f" tried {given.harmful_tries} times. The rule cannot tell them apart."
        f" {cost_words(prices)}."
    )


def cost_words(prices: Prices) -> str:
    """What a run costs."""
    harms = f"{prices.harm:g} x (harmful calls let through)"
    return f"Cost = {prices.lost:g} x (goal not reached) + {harms}"


def _columns(rows: Iterable[tables.Row]) -> Iterator[str]:
    held = [*rows]
    widths = [max(map(len, column)) for column in zip(*held, strict=True)]
    for row in held:
        cells = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join((f"{row[0]:<{widths[0]}}", *cells)).rstrip()


def as_json(storm: Storm) -> dict[str, Json]:
    """All figures: parameters, cases, every point of both sweeps, every place judged."""
    return {
        "seed": storm.seed,
        "runs": storm.runs,
        "parameters": asdict(storm.given),
        "cases": [{"name": case.name, **_point(point)} for case, point in storm.cases],
        "one_cost": {
            "monotone": storm.monotone,
            "points": [_point(point) for point in storm.one_cost],
        },
        "two_costs": {
            "points": [
                {**_point(point), "cost": _estimate(costs(point.runs, storm.given.prices))}
                for point in storm.two_costs
            ],
            "places": [_place(place) for place in storm.places],
        },
    }


def _point(point: Point) -> dict[str, Json]:
    means: dict[str, Json] = {field: _estimate(point.mean(field)) for field in MEANS}
    return {
        "strength": point.strength,
        "floor": point.floor,
        "tolerance": point.tolerance,
        "completed": _estimate(point.completed),
        **means,
        "lowest_rate": min(each.lowest for each in point.runs),
    }


def _place(place: Place) -> dict[str, Json]:
    return {
        "floor": place.floor,
        "tolerance": place.tolerance,
        "harm": place.harm,
        "strength": place.strength,
        "winner": place.winner,
        "saved": place.saved,
        "cost": {
            "between": _estimate(place.between),
            "none": _estimate(place.none),
            "full": _estimate(place.full),
        },
    }


def _estimate(found: Estimate) -> dict[str, Json]:
    return {"value": found.value, "low": found.low, "high": found.high}
