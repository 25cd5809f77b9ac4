"""Run the simulator and write what docs/simulation.md shows: its tables, and the charts beside it.

.venv/bin/python docs/figures.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.charts.drawing import pictures
from app.cli.simulate import given
from app.simulation.page import filled
from app.simulation.storm import storm
from app.simulation.storm_charts import charts

FOLDER = Path(__file__).parent


if __name__ == "__main__":
    found = storm(given())
    page = FOLDER / "simulation.md"
    page.write_text(filled(page.read_text(encoding="utf-8"), found), encoding="utf-8")
    (FOLDER / "figures").mkdir(exist_ok=True)
    for name, chart in charts(found).items():
        (FOLDER / "figures" / f"{name}.svg").write_bytes(pictures(chart).svg)
