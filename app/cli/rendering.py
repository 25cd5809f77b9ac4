"""The daemon's answers as lines for people; no control character gets through."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.cli import settings_told
from app.domain.inert import padded, width
from app.domain.tables import plain

View = Mapping[str, Any]  # an entry, a session, what is in force: as the daemon shows it


def headed(kind: str, summary: str) -> str:
    """An entry's kind and its line of words, which may begin with the same word."""
    return f"{kind}: {summary.removeprefix(kind).lstrip(': ')}"


def entry_lines(entry: View, stands: str | None = None) -> Iterator[str]:
    """One entry in full. Its body is marked: it may hold what an agent wrote.

    `stands`: what has become of it; None: nothing can.
    """
    yield plain(f"{entry['seq']} {headed(entry['kind'], entry['summary'])}")
    if stands is not None:
        yield plain(f"  {stands}")
    yield plain(f"  scope {entry['scope']}, {entry['action']}, {entry['direction']}")
    yield plain(f"  by {entry['actor']} at {entry['at']}")
    if entry["ref"]:
        yield f"  refers to {entry['ref']}"
    for later in entry.get("referred_to_by", ()):
        yield plain(f"  then {later['seq']} {headed(later['kind'], later['summary'])}")
    if not settings_told.waits(entry):  # told above it then, with what a yes would change
        yield from settings_told.entry_lines(entry)
    yield f"  hash {entry['hash']}"
    yield "  body, as stored, which may quote the agent:"
    for line in json.dumps(entry["body"], indent=2, ensure_ascii=False).split("\n"):
        yield plain(f"  | {line}")


def in_force(view: View) -> str:
    """What judges a scope's calls, in one line."""
    also = f", also under {', '.join(view['also'])}" if view["also"] else ""
    observing = "; observing, nothing is denied" if view.get("enforcement") == "observe" else ""
    return plain(f"mode {view['mode']}, posture {view['posture']}{also}{observing}")


def columns(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Rows as aligned columns, two blanks apart."""
    cells = [tuple(map(plain, row)) for row in rows]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(map(padded, row, widths)).rstrip()
