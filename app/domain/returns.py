"""The way back: every machine tightening in force has exactly one open proposal that undoes it.

`settle` names what is missing for that, and ends the proposals that lost their meaning. Whatever
made it untrue and what makes it true again stand in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import is_

from app.domain.bodies import held_names, value_body, was
from app.domain.configuration import Configuration
from app.domain.entries import MACHINE, RESTRICTIONS, Action, Draft
from app.domain.events import Json
from app.domain.modes import Mode
from app.domain.narrowing import direction
from app.domain.proposals import open_twin
from app.domain.replacing import replace
from app.domain.restrictions import Policy
from app.domain.state import (
    Book,
    Override,
    Proposal,
    Session,
    Whole,
    default_mode,
    default_policy,
    in_force,
    newest,
)
from app.domain.transaction import Pending


def settled(pending: Pending, scope: str, configuration: Configuration) -> Pending:
    """Append what the way back needs, until nothing is missing."""
    if _known_whole(pending.book.session(scope), configuration):
        return pending
    while drafts := settle(pending.book, scope, configuration):
        pending = pending.append(*drafts)
    session = pending.book.session(scope)
    whole = replace(session, whole=_whole(session, configuration))
    return replace(pending, book=pending.book.with_session(whole))


def _known_whole(session: Session, configuration: Configuration) -> bool:
    """Whether nothing can be missing: there is nothing to undo, or nothing changed since it was so.

    The same objects are the same values, so that `settle` would find again what it found then.
    """
    if not session.overrides and not session.proposals:
        return True
    then, now = session.whole, _whole(session, configuration)
    return then is not None and all(map(is_, then, now))


def _whole(session: Session, configuration: Configuration) -> Whole:
    """All that decides what `settle` finds."""
    return Whole(
        configuration=configuration,
        overrides=session.overrides,
        proposals=session.proposals,
        declined=session.declined,
        ended=session.ended,
    )


def settle(book: Book, scope: str, configuration: Configuration) -> tuple[Draft, ...]:
    """What is missing so that the way back is whole in the session of `scope`."""
    session = book.session(scope)
    return (*_voided(book, session, configuration), *_returns(session, configuration))


def _voided(book: Book, session: Session, configuration: Configuration) -> Iterator[Draft]:
    """Open proposals that lost their meaning."""
    for seq, proposal in sorted(session.proposals.items()):
        if proposal.returns is None:
            why = _void(session, proposal)
        else:
            why = _void_return(session, proposal, configuration)
        if why is not None:
            held = held_names(in_force(book, proposal.scope, configuration))
            yield end(proposal.scope, proposal.action, seq, why, held)


def _void_return(session: Session, proposal: Proposal, configuration: Configuration) -> str | None:
    """Why a way back leads nowhere, or elsewhere than it says."""
    if session.ended:
        return "the session ended"
    stack = session.overrides.get((proposal.scope, proposal.action), ())
    if not stack or stack[-1].seq != proposal.returns:
        return "what it would take back is not in force"
    below = beneath(stack, proposal.action, configuration)
    if value_body(below) != value_body(proposal.value):
        return "another value would come back now"
    return None


def _void(session: Session, proposal: Proposal) -> str | None:
    if proposal.action == "configuration":  # it waits for as long as the file asks for it
        return None
    if proposal.direction == "loosen" and _tightened_since(session, proposal):
        return "a newer tightening came after it"
    twin = open_twin(session, proposal.scope, proposal.action, proposal.value)
    if twin is not None and twin.seq != proposal.seq:
        return f"{twin.seq} asks for the same"
    return None


def _tightened_since(session: Session, proposal: Proposal) -> bool:
    newer = (newest(session, proposal.scope, action) for action in RESTRICTIONS)
    return any(o is not None and o.seq > proposal.seq and o.direction == "tighten" for o in newer)


def _returns(session: Session, configuration: Configuration) -> Iterator[Draft]:
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


def end(scope: str, action: Action, ref: int, why: str, held: Mapping[str, Json]) -> Draft:
    """An effect or a proposal is over; by the machine, so never a loosening of what is `held`."""
    body: dict[str, Json] = {"why": why, "in_force": dict(held)}
    return Draft(kind="ended", scope=scope, action=action, actor=MACHINE, ref=ref, body=body)
