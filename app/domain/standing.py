"""Standing approvals: what a person allowed beforehand, and how often (docs/design.md 6).

    WAYS                                       which of them answers which return, and by what
    granted(pending, entry, configuration)     use one where an entry is what it waits for
    outlook(book, entry, configuration)        what becomes of an artifact that was handed over

The approval is a person's: its entries carry the actor of the configured entry that holds it. It
answers an open return of a tightening that the machine made by itself, and nothing else; what a
person set, or what holds for all sessions, is left by a person alone. The approval `boundary` has
its own way (crossing.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.artifacts import Artifact
from app.domain.bodies import held_names
from app.domain.configuration import Configuration
from app.domain.decisions import judged
from app.domain.entries import MACHINE, Draft, Entry, agent_of
from app.domain.events import Json
from app.domain.handovers import about
from app.domain.modes import Mode, ModeName
from app.domain.restrictions import InForce
from app.domain.state import Book, Override, Proposal, in_force, newest
from app.domain.transaction import Pending

WAKING: Final = frozenset({"artifact", "prompt"})  # the actions that an approval may wait for
LEADS_TO: Final[ModeName] = "implementation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One standing approval: the mode it leaves, for what, and whether a prompt comes first."""

    name: str
    leaves: ModeName
    artifact: str
    prompt: bool


WAYS: Final = (
    Way(name="diagnosis", leaves="debug", artifact="diagnosis", prompt=False),
    Way(name="plan", leaves="plan", artifact="plan", prompt=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A return that a standing approval may answer, with what was handed over for it."""

    way: Way | None  # None: nothing but a person leads out of this mode
    tightening: Override
    proposal: Proposal
    artifact: Artifact
    use: int  # the number this use would have
    of: int  # uses in one session; 0: none is allowed


def granted(pending: Pending, entry: Entry, configuration: Configuration) -> Pending:
    """Use a standing approval where `entry` is the artifact or the prompt that it waits for."""
    opened = _open(pending.book, entry.scope, configuration)
    if opened is None or not _awaited(opened, entry):
        return pending
    held = _leads_to(pending.book, opened, configuration)
    if held is None or pending.book.configured is None:
        return pending
    said: dict[str, Json] = {**_said(opened, entry), "in_force": held_names(held)}
    actor = pending.book.configured.actor
    return pending.append(*_drafts(pending.book, opened, actor, said, configuration))


def _open(book: Book, scope: str, configuration: Configuration) -> Open | None:
    """The open return of a scope that something was handed over for."""
    session = book.session(scope)
    tightening = newest(session, scope, "mode") if session.artifacts else None
    if tightening is None or tightening.actor != MACHINE or tightening.direction != "tighten":
        return None
    artifact = about(session, tightening.seq)
    returns = (p for p in session.proposals.values() if p.returns == tightening.seq)
    proposal = next(returns, None)
    if artifact is None or proposal is None:
        return None
    way = _way(tightening, artifact)
    standing = None if way is None else configuration.standing.get(way.name)
    return Open(
        way=way,
        tightening=tightening,
        proposal=proposal,
        artifact=artifact,
        use=1 + (0 if way is None else session.used.get(way.name, 0)),
        of=0 if standing is None else standing.uses,
    )


def _way(override: Override, artifact: Artifact) -> Way | None:
    """The approval that leads out of a mode for an artifact of this kind; None: there is none."""
    name = override.value.name if isinstance(override.value, Mode) else ""
    ways = (way for way in WAYS if (way.leaves, way.artifact) == (name, artifact.kind))
    return next(ways, None)


def _awaited(opened: Open, entry: Entry) -> bool:
    """Whether an entry is the artifact itself, or a person's prompt where one is waited for."""
    if opened.way is None or not opened.way.prompt:
        return entry.action == "artifact" and entry.seq == opened.artifact.seq
    by_person = entry.action == "prompt" and entry.body.get("person") is not False
    return by_person and not agent_of(entry.scope)


def _leads_to(book: Book, opened: Open, configuration: Configuration) -> InForce | None:
    """What a use would leave in force; None where it may not be used, or leads elsewhere."""
    if opened.way is None or not opened.artifact.valid or opened.use > opened.of:
        return None
    drafts = _drafts(book, opened, "", {}, configuration)
    tried = Pending(book=book, at="").append(*drafts).book
    held = in_force(tried, opened.proposal.scope, configuration)
    return held if all(mode.name == LEADS_TO for mode in held.modes) else None


def _said(opened: Open, entry: Entry) -> dict[str, Json]:
    """What both entries of a use say: which use of how many, and what it was used for."""
    assert opened.way is not None  # without one nothing is used
    said: dict[str, Json] = {
        "standing": opened.way.name,
        "use": opened.use,
        "of": opened.of,
        "artifact": opened.artifact.seq,
    }
    return {**said, "prompted": entry.seq} if opened.way.prompt else said


def _drafts(
    book: Book,
    opened: Open,
    actor: str,
    said: Mapping[str, Json],
    configuration: Configuration,
) -> tuple[Draft, Draft]:
    """A yes to the return, and the tightening taken back, as a person's yes writes them."""
    proposal = opened.proposal
    approved = Draft(
        kind="approved",
        scope=proposal.scope,
        action=proposal.action,
        actor=actor,
        ref=proposal.seq,
        body=said,
    )
    reverted = Draft(
        kind="reverted",
        scope=proposal.scope,
        action=proposal.action,
        actor=actor,
        direction=judged(book, proposal, configuration),
        ref=opened.tightening.seq,
        body={**said, "approved": proposal.seq},
    )
    return approved, reverted


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What becomes of an artifact: the return that waits, and the approval that may answer it."""

    way_back: int  # the proposal that a person can approve
    name: str | None  # the standing approval for it; None: there is none
    use: int
    of: int
    awaited: bool  # a person's next prompt uses it


def outlook(book: Book, entry: Entry, configuration: Configuration) -> Outlook | None:
    """What an artifact waits for, once it is handed over; None: no return waits for it."""
    opened = _open(book, entry.scope, configuration)
    if opened is None or opened.artifact.seq != entry.seq:
        return None
    return Outlook(
        way_back=opened.proposal.seq,
        name=None if opened.way is None else opened.way.name,
        use=opened.use,
        of=opened.of,
        awaited=_leads_to(book, opened, configuration) is not None,
    )
