"""What enforcement would have stopped while a daemon only observes.

    spared(session, entry)      count one attempt that only observing let pass
    spared_view(session)        verdict -> rule -> how many

An agent that had been stopped would have gone on otherwise, so the counts say what a mode stands
against, and not how many calls an enforced session would have lost.
"""

from __future__ import annotations

from app.domain.entries import Entry
from app.domain.events import Json
from app.domain.observations import text_of
from app.domain.state import Session, Taking

VERDICTS = ("deny", "ask")


def spared(session: Taking, entry: Entry) -> None:
    """Count one attempt that only observing let pass."""
    verdict, rule = text_of(entry.body, "would") or "", text_of(entry.body, "rule") or ""
    count = session.spared.get((verdict, rule), 0)
    session.spared = session.spared.set((verdict, rule), count + 1)


def spared_view(session: Session) -> dict[str, Json]:
    """How many attempts would have been denied and put to a person, by rule, most first."""
    counted = sorted(session.spared.items(), key=lambda item: (-item[1], item[0]))
    return {
        verdict: {rule: count for (said, rule), count in counted if said == verdict}
        for verdict in VERDICTS
    }
