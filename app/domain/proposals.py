"""Open proposals: at most one of each value, at most eight in a scope."""

from __future__ import annotations

from app.domain.entries import EVERYWHERE, RESTRICTIONS, Action
from app.domain.state import Proposal, Session, Value

OPEN_PROPOSALS = 8  # a scope
ASKED = OPEN_PROPOSALS - len(RESTRICTIONS)  # a place is kept for the way back of each restriction
ASKED_EVERYWHERE = ASKED - 1  # and there one for the settings


def crowded(session: Session, scope: str) -> bool:
    """Whether a scope has as many open proposals as may be asked for, ways back aside."""
    waiting = (p for p in session.proposals.values() if p.action != "configuration")
    most = ASKED_EVERYWHERE if scope == EVERYWHERE else ASKED
    return sum(p.scope == scope and p.returns is None for p in waiting) >= most


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
