"""Open proposals: at most one of each value, at most eight in a scope (design.md 2)."""

from __future__ import annotations

from app.domain.entries import Action
from app.domain.state import Proposal, Session, Value

OPEN_PROPOSALS = 8  # a scope (design.md 2)


def crowded(session: Session, scope: str) -> bool:
    """Whether a scope has as many open proposals as it may."""
    return sum(p.scope == scope for p in session.proposals.values()) >= OPEN_PROPOSALS


def open_twin(session: Session, scope: str, action: Action, value: Value) -> Proposal | None:
    """The open proposal of the same scope, action and value, if any: a repeat joins it."""
    for _, proposal in sorted(session.proposals.items()):
        same = (proposal.scope, proposal.action, proposal.value) == (scope, action, value)
        if same and proposal.returns is None:
            return proposal
    return None
