"""What somebody else wrote beside a proposal, for the person who decides: quoted, and marked.

The text a person decides on is made from the entry. An agent's own words are shown apart from it,
escaped and cut, so that nobody takes them for the daemon's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.domain.events import Json
from app.domain.observations import text_of
from app.domain.tables import plain

LONGEST: Final = 300  # characters of what somebody wrote; the whole stands in the entry


def evidence(actor: str, body: Mapping[str, Json]) -> str | None:
    """The reason that a harness gave for its proposal, as one marked line; None: it gave none."""
    text = written(actor, body)
    return None if text is None else f"| {text}"


def written(actor: str, body: Mapping[str, Json]) -> str | None:
    """Which harness wrote what, quoted, cut and inert; None: no harness wrote anything."""
    why = text_of(body, "why")
    if not why or not actor.startswith("harness:"):
        return None
    cut = why if len(why) <= LONGEST else f"{why[: LONGEST - 3]}..."
    return f'{plain(actor)} wrote: "{plain(cut)}"'
