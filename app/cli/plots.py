"""Charts become files: an SVG and a PNG each, in a folder that somebody named."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.cli.exits import CLOSED, fail

if TYPE_CHECKING:
    from app.charts.chart import Chart

Draw = Callable[[str, "Chart"], None]  # a chart under a name without an ending
LACKING: Final = (
    "plots are drawn with matplotlib, which this installation lacks ({fault}). In a checkout"
    " `make install` brings it; elsewhere: {python} -m pip install 'matplotlib>=3.11'"
)


def plots_in(folder: Path) -> Draw:
    """What draws into a folder, made where it is missing; ends the command if it cannot be done.

    A picture of the same name is replaced.
    """
    try:
        from app.charts.drawing import pictures
    except ImportError as fault:
        fail(CLOSED, LACKING.format(fault=fault, python=sys.executable))

    def draw(name: str, chart: Chart) -> None:
        drawn = pictures(chart)
        try:
            (folder / f"{name}.svg").write_bytes(drawn.svg)
            (folder / f"{name}.png").write_bytes(drawn.png)
        except OSError as fault:
            fail(CLOSED, f"{fault.filename}: {fault.strerror}")

    _made(folder)
    return draw


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        fail(CLOSED, f"{folder}: {fault.strerror}")
