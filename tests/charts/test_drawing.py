"""Charts as pictures: what stands in them can be read, and one chart is always one picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.charts.chart import Axis, Chart, HeatMap, Joined, Lines, Mark, Panel, Point, Series
from app.charts.drawing import pictures
from tests.charts.reading import dots, size, title, words

ROOT = Path(__file__).parents[2]


def points(*ys: float, spread: float | None = None) -> tuple[Point, ...]:
    ends = [(None, None) if spread is None else (y - spread, y + spread) for y in ys]
    return tuple(
        Point(x=x, y=y, low=low, high=high)
        for x, (y, (low, high)) in enumerate(zip(ys, ends, strict=True))
    )


LINES = Panel(
    title="interventions",
    x=Axis(label="strength"),
    y=Axis(label="per 100 calls", low=0),
    content=Lines(
        series=(
            Series(name="patient", points=points(1, 2, 4, spread=0.5)),
            Series(name="hasty", joined="step", points=points(3, 4, 8, spread=1)),
            Series(
                name="single", joined="no", points=(Point(x=1, y=6, text="3 of 5", hollow=True),)
            ),
        ),
        marks=(Mark(x=1, text="now 1"), Mark(x=2, text="default 2", strong=False)),
    ),
)
REGION = Panel(
    title="region",
    x=Axis(label="strength", ticks=("0.1", "", "0.5")),
    y=Axis(label="floor", ticks=("low", "high")),
    content=HeatMap(rows=((0, 0.25, 1), (0.5, None, 0.75)), label="share of storms"),
)
EMPTY = Panel(
    title="empty",
    x=Axis(label="strength"),
    y=Axis(label="runs"),
    content=Lines(series=()),
    note="nothing was measured, at $5 <each>",
)
CHART = Chart(
    title="storm: how <strength> & floor work",
    subtitle="1,000 runs each",
    panels=(LINES, REGION, EMPTY),
    columns=2,
)


def test_all_that_a_chart_says_stands_in_the_svg_as_text() -> None:
    svg = pictures(CHART).svg
    assert title(svg) == CHART.title
    assert {CHART.title, CHART.subtitle} <= {*words(svg)}
    for panel in CHART.panels:
        assert {panel.title, panel.x.label, panel.y.label} <= {*words(svg)}
    assert {"now 1", "default 2", "3 of 5", "patient", "hasty", "single"} <= {*words(svg)}
    assert {"low", "high", "0.75", "share of storms", EMPTY.note} <= {*words(svg)}


def test_a_png_is_as_wide_as_a_page_and_grows_with_its_rows() -> None:
    (wide, high), (_, low) = size(pictures(CHART).png), size(pictures(one(LINES)).png)
    assert (wide, high > low > 200) == (800, True)


def one(*panels: Panel) -> Chart:
    return Chart(title="one", subtitle="", panels=panels)


@pytest.mark.parametrize("panel", [LINES, REGION, EMPTY], ids=lambda panel: panel.title)
def test_a_picture_shows_what_its_panel_has(panel: Panel) -> None:
    bare = Panel(title="", x=Axis(label=""), y=Axis(label=""), content=Lines(series=()))
    assert dots(pictures(one(panel)).png) != dots(pictures(one(bare)).png)


def test_a_person_s_settings_of_matplotlib_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text(
        "figure.facecolor: black\nfont.size: 30\ntext.usetex: true"
    )
    code = (
        "import sys; from app.charts.drawing import pictures;"
        "from tests.charts.test_drawing import CHART; found = pictures(CHART);"
        "sys.stdout.buffer.write(found.svg + found.png)"
    )
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, check=True
        )
        assert done.stdout == pictures(CHART).svg + pictures(CHART).png


@pytest.mark.parametrize("joined", ["line", "step", "no"])
def test_an_interval_is_seen(joined: Joined) -> None:
    known, unknown = (
        pictures(one(shown(Series(joined=joined, points=points(1, 2, spread=spread)))))
        for spread in (1, None)
    )
    assert known.svg.count(b"<path") > unknown.svg.count(b"<path")
    assert dots(known.png) != dots(unknown.png)


def shown(*series: Series) -> Panel:
    content = Lines(series=series)
    return Panel(title="t", x=Axis(label="x"), y=Axis(label="y", low=0, high=4), content=content)


def test_parts_of_one_name_are_one_line_with_a_gap_and_need_no_legend() -> None:
    parts = (Series(name="a", points=points(1, 2)), Series(name="a", points=points(3, 4)))
    assert "a" not in words(pictures(one(shown(*parts))).svg)
    other = Series(name="b", points=points(1))
    assert words(pictures(one(shown(*parts, other))).svg).count("a") == 1


def test_a_map_with_many_places_shows_no_numbers_in_them() -> None:
    wide = HeatMap(rows=((0.123,) * 20,), label="share", high=1)
    panel = Panel(title="t", x=Axis(label="x"), y=Axis(label="y"), content=wide)
    assert "0.12" not in words(pictures(one(panel)).svg)
