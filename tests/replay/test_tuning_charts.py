"""Sweeps as charts: which value stands where, what is joined, and how sure a precision is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.charts.chart import Lines, Panel
from app.charts.intervals import share
from app.replay.labels import RULES, Labels, labels
from app.replay.sweep import SWEEPS
from app.replay.tuning_charts import COUNTED, chart
from tests.replay.runs import calls, neutral_file
from tests.replay.test_tuning import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Six loops, of two calls to seven."""
    for number in range(2, 8):
        neutral_file(tmp_path / f"{number}.jsonl", calls(f"s{number}", number))
    return Bench(tmp_path)


def lines(panel: Panel) -> Lines:
    assert isinstance(panel.content, Lines)
    return panel.content


def test_every_rule_has_words_for_its_title() -> None:
    assert list(COUNTED) == list(RULES)


def test_the_rate_stands_at_each_value_with_its_number_of_firings(bench: Bench) -> None:
    drawn = chart("repeated", bench.tuned("repeated.failed"))
    (panel,) = drawn.panels
    (series,) = lines(panel).series
    assert panel.x.ticks == ("2", "3", "4", "5", "6")
    assert [(p.x, p.text, p.hollow) for p in series.points] == [
        *((0, "6", True), (1, "5", False), (2, "4", True), (3, "3", True), (4, "2", True)),
    ]
    assert [round(p.y, 2) for p in series.points[:3]] == [222.22, 185.19, 148.15]
    assert [(mark.x, mark.text, mark.strong) for mark in lines(panel).marks] == [(1, "now 3", True)]
    assert drawn.subtitle.startswith("27 calls in 6 sessions, profile default.")


def test_off_is_the_first_value_and_joined_to_none(bench: Bench) -> None:
    (panel,) = chart("error_streak", bench.tuned("error_streak.count")).panels
    off, on = lines(panel).series
    assert (panel.x.ticks, off.joined, on.joined) == (("off", "3", "5", "8", "10"), "no", "step")
    assert [p.text for p in (*off.points, *on.points)] == ["0", "5", "0", "0", "0"]
    assert [mark.text for mark in lines(panel).marks] == ["now off"]


def test_a_default_that_is_not_tried_stands_in_the_title(bench: Bench) -> None:
    tuned = bench.tuned("error_streak.count")
    (sweep,) = tuned.sweeps
    tuned.sweeps = [replace(sweep, now=3, steps=sweep.steps[1:])]
    assert chart("error_streak", tuned).panels[0].title == "error_streak.count (default: off)"


def test_panels_of_one_rule_share_an_axis(bench: Bench) -> None:
    tuned = bench.tuned("repeated.failed", "repeated.ok")
    drawn = chart("repeated", tuned)
    assert (len(drawn.panels), drawn.columns) == (2, 2)
    assert len({panel.y for panel in drawn.panels}) == 1


def test_every_sweep_can_be_drawn(bench: Bench) -> None:
    tuned = bench.tuned(*SWEEPS)
    drawn = {rule: chart(rule, tuned) for rule in RULES}
    assert sum(len(one.panels) for one in drawn.values()) == len(SWEEPS)


def test_precision_stands_where_enough_is_judged(bench: Bench) -> None:
    said = labels(
        "\n".join(
            f'{{"session": "s{n}", "turn": 3, "rule": "repeated", "verdict": "{verdict}"}}'
            for n, verdict in zip(range(3, 8), ["wrong", *["right"] * 4], strict=True)
        )
    )
    assert isinstance(said, Labels)
    rate, precision = chart("repeated", bench.tuned("repeated.failed", said=said)).panels
    assert rate.x == precision.x
    (series,) = lines(precision).series
    assert [(p.x, p.y, p.text) for p in series.points] == [(1, 80.0, "4 of 5")]


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 1, 0.2065, 1.0)],
)
def test_an_interval_is_wilson_s(right: int, count: int, low: float, high: float) -> None:
    interval = share(right, count)
    found = (interval.low, interval.high)
    assert found == pytest.approx((low, high), abs=0.0001)
