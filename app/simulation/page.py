"""The tables of docs/simulation.md: each stands between two marks and is put there anew.

<!-- figures: NAME --> ... <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from app.simulation import tables
from app.simulation.report import stub_sentence
from app.simulation.storm import Storm

PART: Final = re.compile(r"<!-- figures: ([a-z-]+) -->\n.*?<!-- end -->", re.DOTALL)
CLAIMED: Final = 0.7  # tolerance of the place that is shown strength by strength


def filled(page: str, storm: Storm) -> str:
    """The page with its figures made anew; raises KeyError for a mark that nothing is known of."""

    def part(found: re.Match[str]) -> str:
        return f"<!-- figures: {found[1]} -->\n{PARTS[found[1]](storm)}\n<!-- end -->"

    return PART.sub(part, page)


def parts(page: str) -> dict[str, str]:
    """The figures that a page shows now, by name."""
    return {found[1]: found[0] for found in PART.finditer(page)}


def _table(rows: Iterable[tables.Row]) -> str:
    head, *others = rows
    lines = (head, tuple("---" for _ in head), *others)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("+-", "±")


PARTS: Final[Mapping[str, Callable[[Storm], str]]] = {
    "cases": lambda storm: _table(tables.case_rows(storm)),
    "stub": lambda storm: _table(tables.stub_rows(storm, storm.given.shown.floor)),
    "stub-sentence": stub_sentence,
    "strengths": lambda storm: _table(
        tables.strength_rows(storm, storm.given.shown.floor, CLAIMED)
    ),
    "floors": lambda storm: _table(tables.floor_rows(storm)),
    "prices": lambda storm: _table(tables.price_rows(storm, storm.given.shown.floor)),
    "claims": lambda storm: _table(tables.claim_rows(storm)),
}
