"""A log read in a process of its own: what is in force, counted and proposed, as one text.

    python -m tests.domain.refolding FILE     one entry a line, as the log is exported

It stands on the core and on nothing that needs a database, so that any Python may run it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.domain.entries import EVERYWHERE, Entry
from app.domain.evolve import evolve_all
from app.domain.state import Book
from app.domain.views import in_force_view, overrides_of, session_view
from tests.domain.floor import configured


def entry_of(line: str) -> Entry:
    """An entry from its exported line; what it sums up to is made from the rest."""
    said: dict[str, Any] = json.loads(line)
    said.pop("summary", None)
    return Entry(**{key: value for key, value in said.items() if value is not None})


def folded(lines: Iterable[str]) -> str:
    """Everything that the entries say about every scope, as JSON whose order is the views' own."""
    book, configuration = evolve_all(Book(), map(entry_of, lines)), configured()
    found: dict[str, Any] = {}
    for session in [book.everywhere, *(book.sessions[name] for name in sorted(book.sessions))]:
        scopes = [
            session.id,
            *(f"{session.id}/{agent}" for agent in sorted(session.streams) if agent),
        ]
        for scope in scopes:
            found[scope] = {
                "overrides": [[o.action, o.seq, o.direction] for o in overrides_of(book, scope)],
                "in_force": in_force_view(book, scope, configuration),
                "view": session_view(book, scope, configuration),
            }
    assert EVERYWHERE in found
    return json.dumps(found, ensure_ascii=False)


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        sys.stdout.write(folded(file))
