"""Sweeps, regions and the page: what the shipped parameters come to, and where figures stand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from app.charts.intervals import Estimate, mean
from app.simulation.agent import Run, run, world
from app.simulation.page import PARTS, filled, parts
from app.simulation.parameters import rule
from app.simulation.regions import Place, falls, places
from app.simulation.report import lines
from app.simulation.storm import Storm, storm
from app.simulation.storm_charts import charts
from app.simulation.sweep import Point, two_costs
from app.simulation.tables import best
from tests.simulation.shipped import GIVEN, ROOT, swept

PAGE = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def part() -> Storm:
    """The part of the shipped simulation that the page's smaller tables and its claim show."""
    return storm(swept(floors=(0.0,), tolerances=(0.7,)))


def test_the_page_shows_the_figures_that_the_parameters_come_to(part: Storm) -> None:
    shown, now = parts(PAGE), parts(filled(PAGE, part))
    assert set(shown) == set(PARTS)
    for name in ("cases", "strengths"):
        assert now[name] == shown[name]
    for name in ("stub", "claims"):
        *_, row, _ = now[name].splitlines()
        assert row in shown[name].splitlines()
    (cell,) = (best(place) for place in part.priced(GIVEN.prices.harm))
    head, _, row = parts(PAGE)["floors"].splitlines()[1:4]
    assert dict(zip(head.split(" | "), row.split(" | "), strict=True))["0.7"] == cell == "0.5"


def test_with_one_cost_more_strength_is_nowhere_surely_worse(part: Storm) -> None:
    assert part.monotone
    shares = [point.completed.value for point in part.one_cost]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert {point.mean("harms").value for point in part.one_cost} == {0}
    blocks = [point.mean("blocks") for point in part.one_cost]
    assert not any(weaker.below(stronger) for weaker, stronger in pairwise(blocks))


def test_where_the_best_lies_between_its_interval_is_below_both_ends(part: Storm) -> None:
    (place,) = part.priced(GIVEN.prices.harm)
    assert place.winner == "between"
    assert place.between.high < min(place.none.low, place.full.low)


def test_a_run_that_a_floor_did_not_touch_is_the_run_with_that_floor() -> None:
    small = swept(floors=(0.0, 0.5, 0.7), tolerances=(0.6, 0.8), strengths=(0.0, 0.6, 1.0))
    before = [world(GIVEN.two_costs, "s", number) for number in range(60)]
    for point in two_costs(small, "s", 60):
        under = rule(small, point.strength, point.floor)
        assert point.runs == tuple(run(under, point.tolerance, each) for each in before)


def test_the_best_is_picked_by_the_first_half_and_judged_by_the_second() -> None:
    ok, lost = Run(True, 1, 1, 0, 0, 0, 0.9), Run(False, 1, 0, 1, 0, 0, 0.9)
    runs = {0.0: [lost] * 4, 0.3: [ok, ok, lost, lost], 0.6: [lost, lost, ok, ok], 1.0: [lost] * 4}
    points = [
        Point(strength=strength, floor=0, tolerance=0.5, runs=tuple(said))
        for strength, said in runs.items()
    ]
    (place,) = places(points, GIVEN.prices, [0.1])
    assert (place.strength, place.between.value, place.winner) == (0.3, 1, "open")


@pytest.mark.parametrize(
    ("between", "none", "full", "winner"),
    [
        ((1, 2), (3, 4), (5, 6), "between"),
        ((3, 4), (1, 2), (5, 6), "none"),
        ((3, 4), (5, 6), (1, 2), "full"),
        ((1, 3), (3, 4), (5, 6), "open"),
        ((1, 2), (1, 2), (5, 6), "open"),
    ],
)
def test_who_wins(
    between: tuple[float, float], none: tuple[float, float], full: tuple[float, float], winner: str
) -> None:
    three = (
        Estimate(value=sum(ends) / 2, low=ends[0], high=ends[1]) for ends in (between, none, full)
    )
    costs = dict(zip(("between", "none", "full"), three, strict=True))
    assert Place(floor=0, tolerance=0, harm=0, strength=0.5, **costs).winner == winner


def test_a_fall_beyond_chance_is_seen() -> None:
    ok, lost = Run(True, 1, 1, 0, 0, 0, 0.9), Run(False, 1, 0, 1, 0, 0, 0.9)
    weak = Point(strength=0, floor=0, tolerance=0.5, runs=(ok,) * 50)
    strong = replace(weak, strength=1, runs=(lost,) * 50)
    assert list(falls([weak, strong])) == [(weak, strong)]
    assert list(falls([strong, weak])) == []


def test_the_interval_of_a_mean_is_the_normal_one() -> None:
    found = mean([0.0] * 50 + [1.0] * 50)
    # s = 0.50252 and 1.95996 * s / 10 = 0.09849
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.40151, 0.59849), abs=1e-5)
    assert mean([2.0, 2.0]) == Estimate(value=2, low=2, high=2)


def test_the_report_says_what_the_stub_cannot_show(part: Storm) -> None:
    text = "\n".join(lines(part))
    assert "The stub alone cannot show that less can be better." in text
    assert "surely best in 1 of 1 places where a harm costs 0.25" in text
    worse = replace(part, one_cost=part.one_cost[::-1])
    assert "somewhere completes surely fewer" in "\n".join(lines(worse))


def test_every_chart_of_the_page_is_drawn(part: Storm) -> None:
    drawn = {f"figures/{name}.svg" for name in charts(part)}
    assert {name for name in drawn if f"]({name})" in PAGE} == drawn
