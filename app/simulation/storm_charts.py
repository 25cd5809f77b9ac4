"""A simulation as charts: the stub, the workload with two costs, where which strength is best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from app.charts.chart import Axis, Chart, HeatMap, Lines, Panel, Point, Series
from app.charts.intervals import Estimate
from app.simulation import sweep
from app.simulation.regions import Place
from app.simulation.report import cost_words
from app.simulation.storm import Storm
from app.simulation.tables import number

ROOM: Final = 5  # empty places of the axis of strengths, for the legend
SCALE: Final = 0.4  # of a cost; what lies beyond it is as dark or as light as that


def charts(storm: Storm) -> dict[str, Chart]:
    """Every chart, by the name of its file."""
    return {
        "storm-one-cost": one_cost(storm),
        "storm-two-costs": two_costs(storm),
        "storm-regions": regions(storm),
    }


def one_cost(storm: Storm) -> Chart:
    """Completion and attempts of the stub, for each tolerance that the file shows."""
    return Chart(
        title=f"One cost{': more backoff is nowhere surely worse' if storm.monotone else ''}",
        subtitle=(
            "One call is the goal and nothing is harmful. The tool fails while the rate is above"
            f" its tolerance. {_shown(storm)}"
        ),
        panels=(
            _by_strength(storm, storm.one_cost, "completed", "runs completed, %", 100),
            _by_strength(storm, storm.one_cost, "steps", "attempts a run"),
        ),
        columns=2,
    )


def two_costs(storm: Storm) -> Chart:
    """Both costs by strength, their sum, and the attempts that it took."""
    return Chart(
        title="Two costs: what each strength loses, and what it lets through",
        subtitle=f"{cost_words(storm.given.prices)}. {_shown(storm)}",
        panels=(
            _by_strength(storm, storm.two_costs, "completed", "runs completed, %", 100),
            _by_strength(storm, storm.two_costs, "harms", "harmful calls let through a run"),
            _by_strength(storm, storm.two_costs, "cost", "cost of a run"),
            _by_strength(storm, storm.two_costs, "steps", "attempts a run"),
        ),
        columns=2,
    )


def regions(storm: Storm) -> Chart:
    """The places where a strength between wins, and where it does not."""
    return Chart(
        title="Where a strength between 0 and 1 is best, and where it is not",
        subtitle=(
            "Shown is what the best strength between costs less than the better one of 0 and 1:"
            " above 0 it wins, below 0 an end does. Hatched: no 95 % interval lies below those of"
            f" both others. {storm.runs} runs a point; half of them pick the strength, half judge."
        ),
        panels=(_floors(storm), _prices(storm)),
    )


def _shown(storm: Storm) -> str:
    floor = storm.given.shown.floor
    return f"Floor {floor:g}, {storm.runs} runs a point; bands are 95 % intervals."


def _by_strength(
    storm: Storm, points: Sequence[sweep.Point], field: str, label: str, scale: float = 1
) -> Panel:
    shown = storm.given.shown
    series = (
        Series(
            name=f"tolerance {number(tolerance)}",
            points=tuple(
                _drawn(one, storm, field, scale) for one in storm.at(points, shown.floor, tolerance)
            ),
        )
        for tolerance in shown.tolerances
    )
    return Panel(
        title=label, x=_strengths(storm), y=Axis(label=label), content=Lines(series=tuple(series))
    )


def _strengths(storm: Storm) -> Axis:
    words = (
        number(each) if not at % 2 else "" for at, each in enumerate(storm.given.sweep.strengths)
    )
    return Axis(label="strength of the backoff", ticks=(*words, *([""] * ROOM)))


def _drawn(one: sweep.Point, storm: Storm, field: str, scale: float) -> Point:
    found = _estimate(one, storm, field)
    value, low, high = (scale * each for each in (found.value, found.low, found.high))
    return Point(x=storm.given.sweep.strengths.index(one.strength), y=value, low=low, high=high)


def _estimate(one: sweep.Point, storm: Storm, field: str) -> Estimate:
    match field:
        case "completed":
            return one.completed
        case "cost":
            return sweep.costs(one.runs, storm.given.prices)
        case _:
            return one.mean(field)


def _floors(storm: Storm) -> Panel:
    found = storm.priced(storm.given.prices.harm)
    rows = [[one for one in found if one.floor == floor] for floor in storm.given.sweep.floors]
    words = map(number, storm.given.sweep.floors)
    return _map(
        storm, f"by floor, where a harm costs {storm.given.prices.harm:g}", "floor", words, rows
    )


def _prices(storm: Storm) -> Panel:
    floor = storm.given.shown.floor
    harms = sorted({one.harm for one in storm.places})
    rows = [[one for one in storm.priced(harm) if one.floor == floor] for harm in harms]
    return _map(
        storm,
        f"by what a harm costs, at floor {floor:g}",
        "price of a harm",
        map(number, harms),
        rows,
    )


def _map(
    storm: Storm, title: str, label: str, words: Iterable[str], rows: Sequence[Sequence[Place]]
) -> Panel:
    tolerances = tuple(map(number, storm.given.sweep.tolerances))
    return Panel(
        title=title,
        x=Axis(label="tolerance of the tool: the highest rate at which it works", ticks=tolerances),
        y=Axis(label=label, ticks=tuple(words)),
        content=HeatMap(
            rows=tuple(tuple(_cells(row)) for row in rows),
            label="cost saved",
            low=-SCALE,
            high=SCALE,
        ),
    )


def _cells(row: Sequence[Place]) -> Iterator[float | None]:
    for place in row:
        yield None if place.winner == "open" else place.saved
