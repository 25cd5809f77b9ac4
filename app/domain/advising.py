"""The fold of what a model's answers came to; nothing of it where no model is ever asked.

advised(session, entry)    an answer put something in force, or said something to the person
tightens(override)         whether a model asked for a tightening
"""

from __future__ import annotations

from app.domain.entries import RESTRICTIONS, Entry, agent_of
from app.domain.observations import part_of
from app.domain.state import Override, Taking


def advised(session: Taking, entry: Entry) -> None:
    """No event carries it to agent and person: the main agent's next prompt or attempt does."""
    if "asked" in part_of(entry.body, "proposer") and not agent_of(entry.scope):
        session.unheard = entry.seq


def tightens(override: Override) -> bool:
    """Whether an applied entry restricts because a model asked for it."""
    return override.action in RESTRICTIONS and "proposer" in override.body
