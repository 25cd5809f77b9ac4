"""The way back: every machine tightening in force has exactly one open proposal that undoes it.

`settle` names what is missing for that, and ends the proposals that lost their meaning; whatever
made it untrue and what makes it true again stand in one transaction (design.md 5).
"""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.bodies import value_body, was
from app.domain.configuration import Configuration
from app.domain.entries import MACHINE, RESTRICTIONS, Action, Draft
from app.domain.modes import Mode
from app.domain.narrowing import direction
from app.domain.restrictions import Policy
from app.domain.state import (
    Book,
    Override,
    Proposal,
    Session,
    default_mode,
    default_policy,
    newest,
)
from app.domain.transaction import Pending


def settled(pending: Pending, scope: str, configuration: Configuration) -> Pending:
    """Append what the way back needs, until nothing is missing."""
    while drafts := settle(pending.book, scope, configuration):
        pending = pending.append(*drafts)
    return pending


def settle(book: Book, scope: str, configuration: Configuration) -> tuple[Draft, ...]:
    """What is missing so that the way back is whole in the session of `scope`."""
    session = book.session(scope)
    return (*_voided(session), *_returns(book, session, configuration))


def _voided(session: Session) -> Iterator[Draft]:
    """Open proposals that lost their meaning."""
    for seq, proposal in sorted(session.proposals.items()):
        why = _void(session, proposal)
        if why is not None:
            yield end(proposal.scope, proposal.action, seq, why)


def _void(session: Session, proposal: Proposal) -> str | None:
    tightening = newest(session, proposal.scope, proposal.action)
    if proposal.returns is not None:
        if session.ended:
            return "the session ended"
        if tightening is None or tightening.seq != proposal.returns:
            return "what it would take back is not in force"
        return None
    if proposal.direction == "loosen" and _tightened_since(session, proposal):
        return "a newer tightening came after it"
    return None


def _tightened_since(session: Session, proposal: Proposal) -> bool:
    newer = (newest(session, proposal.scope, action) for action in RESTRICTIONS)
    return any(o is not None and o.seq > proposal.seq and o.direction == "tighten" for o in newer)


def _returns(book: Book, session: Session, configuration: Configuration) -> Iterator[Draft]:
    """A return proposal for each machine tightening in force that has none."""
    if session.ended:
        return
    offered = {proposal.returns for proposal in session.proposals.values()}
    for (_, action), stack in sorted(session.overrides.items()):
        override = stack[-1]
        if action not in RESTRICTIONS or not _by_machine(override):
            continue
        if override.seq not in offered and override.seq not in session.declined:
            yield _return(override, beneath(stack, action, configuration), configuration)


def _by_machine(override: Override) -> bool:
    return override.actor == MACHINE and override.direction == "tighten"


def beneath(
    stack: tuple[Override, ...], action: Action, configuration: Configuration
) -> Mode | Policy:
    """The value that comes back when the newest override of a scope is taken off."""
    if len(stack) > 1 and stack[-2].value is not None:
        return stack[-2].value
    return default_mode(configuration) if action == "mode" else default_policy(configuration)


def _return(override: Override, value: Mode | Policy, configuration: Configuration) -> Draft:
    return Draft(
        kind="proposed",
        scope=override.scope,
        action=override.action,
        actor=MACHINE,
        direction=direction(override.value, value),
        ref=override.seq,
        body={
            **value_body(value),
            "return": override.seq,
            "was": was(override.value),
            "because": override.body.get("because"),
            "configuration": configuration.digest,
        },
    )


def end(scope: str, action: Action, ref: int, why: str) -> Draft:
    """An effect or a proposal is over; by the machine, so never a loosening."""
    return Draft(
        kind="ended", scope=scope, action=action, actor=MACHINE, ref=ref, body={"why": why}
    )
