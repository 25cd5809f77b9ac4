"""A chart as pictures: SVG and PNG, the same bytes for the same chart, readable without colour.

matplotlib comes with fonts of its own, so a picture needs nothing of the machine. Text stays text
in the SVG; where its first font is missing, Verdana has the same widths.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

from app.charts.chart import Axis, Chart, HeatMap, Lines, Panel
from app.charts.heat import draw_heat
from app.charts.lines import INK, draw_lines

WIDTH: Final = 8.0  # inches; 800 pixels of PNG
ROW: Final = 2.65  # inches that a row of panels is high
LINE: Final = 0.19  # inches that a line of the subtitle is high
DOTS: Final = 100  # pixels to the inch
ACROSS: Final = 104  # characters of the subtitle in a line
PANEL: Final = 108  # characters below panels that stand side by side
STYLE: Final[Mapping[RcKeyType, Any]] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign is one
    "svg.fonttype": "none",  # text, not outlines
    "svg.hashsalt": "floorboss",  # names of parts from their content, not by chance
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """One chart in both formats."""

    svg: bytes
    png: bytes


def pictures(chart: Chart) -> Pictures:
    """Draw a chart, whatever the settings of matplotlib that a person has."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = _figure(chart)
        svg = _saved(figure, "svg", {"Title": chart.title, "Date": None, "Creator": "floorboss"})
        figure.set_layout_engine("none")  # its work is done; both pictures have one layout
        png = _saved(figure, "png", {"Title": chart.title, "Software": "floorboss"})
        return Pictures(svg=svg, png=png)


def _saved(figure: Figure, kind: str, metadata: dict[str, str | None]) -> bytes:
    held = io.BytesIO()
    figure.savefig(held, format=kind, dpi=DOTS, metadata=metadata)
    return held.getvalue()


def _figure(chart: Chart) -> Figure:
    rows = math.ceil(len(chart.panels) / chart.columns)
    told = textwrap.wrap(chart.subtitle, ACROSS)
    head = 0.5 + LINE * len(told)
    height = head + ROW * rows
    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor="white")
    under_head = (0.005, 0.01, 0.99, 1 - head / height - 0.01)
    figure.get_layout_engine().set(rect=under_head, h_pad=0.08, w_pad=0.08)  # type: ignore[union-attr,call-arg]
    figure.text(0.012, 1 - 0.12 / height, chart.title, size=12, weight="bold", va="top")
    below = 1 - 0.4 / height
    figure.text(0.012, below, "\n".join(told), size=9, va="top", linespacing=1.4)
    grid = figure.subplots(rows, chart.columns, squeeze=False)
    places = [axes for row in grid for axes in row]
    for axes, panel in zip(places, chart.panels, strict=False):
        _draw(axes, panel, PANEL // chart.columns)
    for axes in places[len(chart.panels) :]:
        axes.remove()
    return figure


def _draw(axes: Axes, panel: Panel, across: int) -> None:
    """One panel; `across` is how many characters fit below it."""
    axes.set_title(panel.title, pad=18)
    axes.set_xlabel("\n".join(textwrap.wrap(panel.x.label, across)))
    axes.set_ylabel(panel.y.label)
    match panel.content:
        case Lines() as lines:
            draw_lines(axes, lines)
        case HeatMap() as heat:
            draw_heat(axes, heat)
        case other:
            assert_never(other)
    _ends(axes, panel)
    if panel.note:
        note = "\n".join(textwrap.wrap(panel.note, across - 8))
        box = {"boxstyle": "square,pad=0.4", "facecolor": "white", "edgecolor": "none"}
        axes.text(0.5, 0.5, note, transform=axes.transAxes, ha="center", va="center", bbox=box)


def _ends(axes: Axes, panel: Panel) -> None:
    if panel.x.ticks:
        axes.set_xticks(*_words(panel.x))
    if panel.y.ticks:
        axes.set_yticks(*_words(panel.y))
    axes.set_xlim(*_limits(panel.x))
    axes.set_ylim(*_limits(panel.y))


def _words(axis: Axis) -> tuple[list[int], list[str]]:
    """A place whose word is empty has no tick."""
    places = [place for place, word in enumerate(axis.ticks) if word]
    return places, [axis.ticks[place] for place in places]


def _limits(axis: Axis) -> tuple[float | None, float | None]:
    if not axis.ticks:
        return axis.low, axis.high
    return -0.5, len(axis.ticks) - 0.5
