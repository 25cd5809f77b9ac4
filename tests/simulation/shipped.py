"""What the tests of the simulation share: the parameters that are shipped, and parts of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import app.simulation
from app.simulation.parameters import FILE, Parameters, parameters

ROOT: Final = Path(__file__).parents[2]
GIVEN: Final = parameters(
    Path(app.simulation.__path__[0]).joinpath(FILE).read_text(encoding="utf-8")
)


def swept(**changes: Any) -> Parameters:
    """The shipped parameters with another sweep."""
    return replace(GIVEN, sweep=replace(GIVEN.sweep, **changes))
