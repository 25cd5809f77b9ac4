"""A heat map in a panel: dark to light, in grey the same, and each value in its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from matplotlib.axes import Axes

from app.charts.chart import HeatMap

MOST: Final = 12  # places in a row that have room for their values
MIDDLE: Final = 0.55  # of the scale; what lies above it is light enough for dark digits
UNKNOWN: Final = "#f2f2f2"


def draw_heat(axes: Axes, heat: HeatMap) -> None:
    """The map with its scale; a place of which nothing is known is empty and hatched."""
    known = [value for row in heat.rows for value in row if value is not None]
    low = min(known, default=0.0) if heat.low is None else heat.low
    high = max(known, default=1.0) if heat.high is None else heat.high
    cells = [[math.nan if value is None else value for value in row] for row in heat.rows]
    axes.set_facecolor(UNKNOWN)
    axes.patch.set_hatch("///")
    edges = [[at - 0.5 for at in range(count + 1)] for count in (len(cells[0]), len(cells))]
    image = axes.pcolormesh(
        *edges,
        cells,
        cmap="cividis",
        vmin=low,
        vmax=high,
        edgecolors="face",  # else viewers of SVG show seams
        linewidth=0.3,
    )
    scale = axes.figure.colorbar(image, ax=axes)
    scale.set_label(heat.label)
    if max(map(len, heat.rows), default=0) <= MOST:
        for x, y, value in _places(heat):
            light = high > low and (value - low) / (high - low) > MIDDLE
            shown = f"{value:.{heat.digits}f}"
            axes.text(x, y, shown, ha="center", va="center", color="black" if light else "white")


def _places(heat: HeatMap) -> Iterator[tuple[int, int, float]]:
    for y, row in enumerate(heat.rows):
        for x, value in enumerate(row):
            if value is not None:
                yield x, y, value
