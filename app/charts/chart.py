"""A chart as a value: panels in a grid, each with series, or with a heat map, on two axes.

drawing.py makes pictures of it; who describes a chart needs no library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Joined: TypeAlias = Literal["line", "step", "no"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value; `low` and `high` are the ends of its interval, None for none."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    text: str = ""  # shown at the point
    hollow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points from left to right, and how they are joined.

    Intervals are a band along a line, and a bar at each point of a series that is not joined.
    Series of one name look alike; they are parts of a line with gaps.
    """

    points: tuple[Point, ...]
    name: str = ""  # for the legend, which is drawn where a panel has several names
    joined: Joined = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place on the x axis, marked over the whole height and named above it."""

    x: float
    text: str
    strong: bool = True  # False: dashed and paler


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis; with `ticks` it has these words at 0, 1, 2 and so on, else numbers.

    A place whose word is empty has no tick. `low` and `high` None: as far as the values go.
    """

    label: str
    ticks: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Series on two axes."""

    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """A value for each place of a grid, the lowest row first; None: nothing is known there.

    `low` and `high` are the ends of the scale, None: the smallest and the largest value.
    """

    rows: tuple[tuple[float | None, ...], ...]
    label: str  # what the values are, at the scale beside the map
    low: float | None = None
    high: float | None = None
    digits: int = 2  # behind the point, where values are shown in their places


Content: TypeAlias = Lines | HeatMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One part of a chart."""

    title: str
    x: Axis
    y: Axis
    content: Content
    note: str = ""  # words within the panel, such as why there is nothing to see


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Panels row by row under a title; `columns` is how many stand side by side, 1 or more."""

    title: str
    subtitle: str
    panels: tuple[Panel, ...]
    columns: int = 1
