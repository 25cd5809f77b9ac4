"""Series in a panel: lines, steps and points, told apart by shape, and by lightness besides."""

from __future__ import annotations

from itertools import cycle
from typing import Final, Literal, NamedTuple, TypeAlias

from matplotlib.axes import Axes

from app.charts.chart import Lines, Mark, Point, Series

Dash: TypeAlias = Literal["-", "--", "-.", ":"]
INK: Final = "#222222"
PALE: Final = "#6b6b6b"


class Style(NamedTuple):
    """How a series looks."""

    colour: str
    marker: str
    dash: Dash


# From dark to light, so that grey keeps them apart; colours that the colour-blind tell apart.
STYLES: Final = (
    Style("#0b4a6f", "o", "-"),
    Style("#c0561a", "D", "--"),
    Style("#5aa6a0", "s", "-."),
    Style("#a9a9a9", "^", ":"),
)


def draw_lines(axes: Axes, lines: Lines) -> None:
    """Marks below, series above them, each in a style of its own."""
    axes.grid(axis="y", color="#e2e2e2", linewidth=0.8)
    axes.set_axisbelow(True)
    for mark in lines.marks:
        _mark(axes, mark)
    names = dict.fromkeys(series.name for series in lines.series)
    styles = dict(zip(names, cycle(STYLES), strict=False))
    for series in lines.series:
        _series(axes, series, styles[series.name])
    if len(names) > 1:
        _legend(axes)


def _legend(axes: Axes) -> None:
    handles, names = axes.get_legend_handles_labels()
    found = dict(zip(names, handles, strict=True))
    axes.legend(found.values(), found.keys(), fontsize=8, edgecolor="none", framealpha=1)


def _mark(axes: Axes, mark: Mark) -> None:
    style: Literal["-", "--"] = "-" if mark.strong else "--"
    axes.axvline(mark.x, color=INK if mark.strong else PALE, linestyle=style, linewidth=1)
    axes.annotate(
        mark.text,
        (mark.x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        size=8,
        weight="bold" if mark.strong else "normal",
    )


def _series(axes: Axes, series: Series, style: Style) -> None:
    _interval(axes, series, style.colour)
    axes.plot(
        [point.x for point in series.points],
        [point.y for point in series.points],
        color=style.colour,
        linestyle="" if series.joined == "no" else style.dash,
        drawstyle="steps-mid" if series.joined == "step" else "default",
        linewidth=1.6,
    )
    for hollow in (False, True):
        _points(axes, series, style, hollow=hollow)
    for point in series.points:
        _text(axes, point)


def _points(axes: Axes, series: Series, style: Style, *, hollow: bool) -> None:
    found = [point for point in series.points if point.hollow is hollow]
    if found:
        axes.plot(
            [point.x for point in found],
            [point.y for point in found],
            marker=style.marker,
            markersize=6.5,
            markerfacecolor="white" if hollow else style.colour,
            color=style.colour,
            linestyle="",
            zorder=3,
            label=series.name or None,
        )


def _interval(axes: Axes, series: Series, colour: str) -> None:
    known = [
        (p.x, p.low, p.high) for p in series.points if p.low is not None and p.high is not None
    ]
    if not known:
        return
    x, low, high = ([place[part] for place in known] for part in range(3))
    if series.joined == "no":
        axes.vlines(x, low, high, color=colour, linewidth=1.4)
    else:
        step: Literal["mid"] | None = "mid" if series.joined == "step" else None
        axes.fill_between(x, low, high, step=step, color=colour, alpha=0.22, linewidth=0)


def _text(axes: Axes, point: Point) -> None:
    if point.text:
        axes.annotate(
            point.text,
            (point.x, point.y if point.high is None else max(point.y, point.high)),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            size=8,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )
