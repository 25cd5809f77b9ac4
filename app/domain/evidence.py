"""What somebody else wrote beside a proposal, for the person who decides: quoted, and marked.

The text a person decides on is made from the entry. An agent's own words are shown apart from it,
escaped and cut, so that nobody takes them for the daemon's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from app.domain.events import Json
from app.domain.observations import part_of, text_of
from app.domain.tables import plain

LONGEST: Final = 300  # characters of what somebody wrote; the whole stands in the entry
LINES: Final = 40  # of an artifact
LINE: Final = 400  # characters of each


def handed_over(artifact: Mapping[str, Json]) -> Iterator[str]:
    """An artifact in a line of ours, then its inert text, line by line, for a block of its own.

    Its text is an agent's, cut at what a person can take in; the whole is what the entry holds.
    """
    kind, counts = artifact.get("kind"), "" if artifact.get("valid") else ", which does not count"
    yield plain(
        f"The agent handed over its {kind} in {artifact.get('seq')}{counts}. In its own words:"
    )
    text = text_of(artifact, "text")
    lines = [] if text is None else text.splitlines()
    if text is None:
        yield f"{artifact.get('length')} characters; a token shows them"
    for line in lines[:LINES]:
        yield plain(line[:LINE])
    if len(lines) > LINES:
        yield f"... {len(lines) - LINES} more lines"


def evidence(actor: str, body: Mapping[str, Json]) -> str | None:
    """What a harness or a model wrote for its proposal, as one marked line; None: nothing."""
    text = written(actor, body)
    return None if text is None else f"| {text}"


def written(actor: str, body: Mapping[str, Json]) -> str | None:
    """Who wrote what, quoted, cut and inert; None: neither a harness nor a model wrote anything."""
    who, why = _words(actor, body)
    if not why:
        return None
    cut = why if len(why) <= LONGEST else f"{why[: LONGEST - 3]}..."
    return f'{plain(who)} wrote: "{plain(cut)}"'


def _words(actor: str, body: Mapping[str, Json]) -> tuple[str, str | None]:
    advice, model = part_of(body, "advice"), text_of(part_of(body, "proposer"), "model")
    if model is not None:
        return f"model {model}", text_of(advice, "text") or text_of(advice, "reason")
    return actor, text_of(body, "why") if actor.startswith("harness:") else None
