"""Open proposals: at most one of each value, at most eight in a scope."""

from __future__ import annotations

from app.domain.entries import RESTRICTIONS, Action
from app.domain.state import Proposal, Session, Value

OPEN_PROPOSALS = 8  # a scope
ASKED = OPEN_PROPOSALS - len(RESTRICTIONS)  # a place is kept for the way back of each restriction


def crowded(session: Session, scope: str) -> bool:
    """Whether a scope has as many open proposals as may be asked for, ways back aside."""
    waiting = session.proposals.values()
    return sum(p.scope == scope and p.returns is None for p in waiting) >= ASKED


def open_twin(session: Session, scope: str, action: Action, value: Value) -> Proposal | None:
    """The open proposal of the same scope, action and value, if any: a repeat joins it.

    Where the way back leads to the same value it is the one, else the oldest.
    """
    same = [
        proposal
        for _, proposal in sorted(session.proposals.items())
        if (proposal.scope, proposal.action, proposal.value) == (scope, action, value)
    ]
    return min(same, key=lambda proposal: proposal.returns is None, default=None)
