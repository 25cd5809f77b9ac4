"""The figures of a simulation as rows of words, for a terminal and for the page alike.

A figure stands with the ends of its 95 % interval; `~` is a place where nothing is surely best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from app.charts.intervals import Estimate
from app.simulation.regions import Place
from app.simulation.storm import Storm
from app.simulation.sweep import Point, costs

Row = tuple[str, ...]
CASE_NAMES: Final[Mapping[str, str]] = {
    "fixed": "fixed",
    "backoff": "backoff",
    "full_backoff": "full backoff",
}


def number(value: float) -> str:
    """A parameter: no digit that says nothing."""
    return f"{value:g}"


def percent(found: Estimate) -> str:
    """A share."""
    low, high = (_whole(100 * end) for end in (found.low, found.high))
    return f"{_whole(100 * found.value)} % ({low} to {high})"


def _whole(value: float) -> str:
    """A percentage in whole numbers, in which only none is 0 and only all is 100."""
    return f"{min(99, max(1, round(value))) if 0 < value < 100 else value:.0f}"


def around(found: Estimate, digits: int = 2) -> str:
    """A mean, and how far its interval reaches to each side."""
    return f"{found.value:.{digits}f} +-{found.high - found.value:.{digits}f}"


def case_rows(storm: Storm) -> Iterator[Row]:
    """The three cases against the stub."""
    heads = ("", "strength", "floor", "runs completed", "attempts", "let through", "blocked")
    columns: list[Row] = [(*heads, "of a step just blocked", "lowest rate")]
    for case, point in storm.cases:
        means = (around(point.mean(field), 1) for field in ("steps", "calls", "blocks", "again"))
        lowest = f"{min(each.lowest for each in point.runs):.2f}"
        under = (CASE_NAMES.get(case.name, case.name), number(case.strength), number(case.floor))
        columns.append((*under, percent(point.completed), *means, lowest))
    yield from zip(*columns, strict=True)


def stub_rows(storm: Storm, floor: float) -> Iterator[Row]:
    """Completion of the stub at one floor: a row for each tolerance, a column for each strength."""
    strengths = storm.given.sweep.strengths[::2]
    yield ("tolerance", *map(number, strengths))
    for tolerance in storm.given.sweep.tolerances:
        points = storm.at(storm.one_cost, floor, tolerance)
        shares = {point.strength: point.completed.value for point in points}
        cells = (f"{_whole(100 * shares[each])} %" for each in strengths)
        yield (number(tolerance), *cells)


def strength_rows(storm: Storm, floor: float, tolerance: float) -> Iterator[Row]:
    """The workload with two costs at one place, strength by strength."""
    yield ("strength", "completed", "steps", "calls", "blocks", "harms", "cost")
    for point in storm.at(storm.two_costs, floor, tolerance):
        yield (number(point.strength), percent(point.completed), *_means(point, storm))


def _means(point: Point, storm: Storm) -> Iterator[str]:
    for field, digits in (("steps", 1), ("calls", 1), ("blocks", 1), ("harms", 2)):
        yield around(point.mean(field), digits)
    yield around(costs(point.runs, storm.given.prices))


def floor_rows(storm: Storm) -> Iterator[Row]:
    """What is best at each floor and tolerance, at the file's price of a harm."""
    found = storm.priced(storm.given.prices.harm)
    yield from _grid("floor", storm, ((number(one.floor), one) for one in found))


def price_rows(storm: Storm, floor: float) -> Iterator[Row]:
    """What is best at each price of a harm and each tolerance, at one floor."""
    found = sorted((one for one in storm.places if one.floor == floor), key=lambda one: one.harm)
    yield from _grid("price of a harm", storm, ((number(one.harm), one) for one in found))


def _grid(head: str, storm: Storm, found: Iterable[tuple[str, Place]]) -> Iterator[Row]:
    yield (head, *(number(tolerance) for tolerance in storm.given.sweep.tolerances))
    rows: dict[str, list[str]] = {}
    for name, place in found:
        rows.setdefault(name, []).append(best(place))
    yield from ((name, *cells) for name, cells in rows.items())


def best(place: Place) -> str:
    """The strength that is surely best at a place, or `~`."""
    words = {"between": number(place.strength), "none": "0", "full": "1", "open": "~"}
    return words[place.winner]


def claim_rows(storm: Storm) -> Iterator[Row]:
    """Each place of the claim at the file's price, with the three costs that make it one."""
    yield ("floor", "tolerance", "strength", "its cost", "cost at 0", "cost at 1")
    for place in storm.priced(storm.given.prices.harm):
        if place.winner == "between":
            where = map(number, (place.floor, place.tolerance, place.strength))
            yield (*where, *map(around, (place.between, place.none, place.full)))
