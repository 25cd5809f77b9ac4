"""The fold of settings: those that the newest entry holds, and what was asked for last."""

from __future__ import annotations

from app.domain.configured import configuration_of
from app.domain.entries import Entry
from app.domain.observations import text_of
from app.domain.replacing import replace
from app.domain.state import Configured, Proposal, Taking


def held_by(entry: Entry) -> Configured:
    """What a `configured` entry puts in force; of a replay's it is the digest alone."""
    said, values = text_of(entry.body, "digest") or "", entry.body.get("values")
    held = values if isinstance(values, dict) else None
    made = None if held is None else replace(configuration_of(held), digest=said)
    return Configured(
        seq=entry.seq, actor=entry.actor, digest=said, values=held, configuration=made
    )


def asked(session: Taking, proposal: Proposal) -> None:
    """Settings wait for a person: the newest proposal stands for what the file asks for."""
    session.asked = proposal


def over(session: Taking, seq: int | None) -> None:
    """Nobody asks any more for what the newest proposal of settings says, declined or not."""
    if session.asked is not None and session.asked.seq == seq:
        session.asked = None
