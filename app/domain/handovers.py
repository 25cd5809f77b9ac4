"""The fold of what was handed over: the newest artifact of each kind, and what was used of it.

handed(session, entry)       one more artifact
ended(session, entry)        the call that showed one to a person is over
granted(session, entry)      a standing approval was used
about(session, seq)          what was handed over since one tightening, as that one wants it
"""

from __future__ import annotations

from typing import Final

from app.domain.artifacts import Artifact, text_in
from app.domain.entries import Entry, agent_of
from app.domain.events import Json
from app.domain.modes import Mode
from app.domain.observations import text_of
from app.domain.replacing import replace
from app.domain.state import Session, Taking

ARTIFACTS: Final = 32  # of a session, one for each agent and kind; the oldest falls out
# How a call ends that a person, a rule or nobody at all let come to its end.
REFUSED: Final = frozenset({"denied", "blocked", "unknown", "interrupted", "cancelled"})


def handed(session: Taking, entry: Entry) -> None:
    """One more artifact: the newest of its agent and kind; one that lacks something is told of."""
    body, agent = entry.body, agent_of(entry.scope)
    artifact = Artifact(
        seq=entry.seq,
        kind=text_of(body, "handover") or "",
        agent=agent,
        text=text_in(body),
        digest=text_of(body, "digest") or "",
        valid=body.get("valid") is True,
        call_id=text_of(body, "call_id"),
    )
    kept = session.artifacts.set((agent, artifact.kind), artifact)
    if len(kept) > ARTIFACTS:
        kept = kept.delete(min(kept, key=lambda place: kept[place].seq))
    session.artifacts = kept
    if not artifact.valid:
        _tell(session, entry)


def ended(session: Taking, entry: Entry) -> None:
    """A call that showed an artifact to a person is over: void, unless it came to its end."""
    call_id, agent = text_of(entry.body, "call_id"), agent_of(entry.scope)
    if call_id is None or text_of(entry.body, "outcome") not in (*REFUSED, None):
        return
    for place, artifact in session.artifacts.items():
        if (artifact.agent, artifact.call_id) == (agent, call_id):
            session.artifacts = session.artifacts.set(place, replace(artifact, void=True))


def granted(session: Taking, entry: Entry) -> None:
    """A standing approval answered a return: one use more, and the agent has to hear of it."""
    name = text_of(entry.body, "standing")
    if name is None:
        return
    session.used = session.used.set(name, session.used.get(name, 0) + 1)
    if "prompted" not in entry.body:  # else the answer to the prompt itself tells it
        _tell(session, entry)


def _tell(session: Taking, entry: Entry) -> None:
    """The main agent is told with its next prompt or attempt: the end of a turn carries nothing."""
    if not agent_of(entry.scope):
        session.unheard = entry.seq


def about(session: Session, seq: int) -> Artifact | None:
    """What was handed over since the tightening at `seq`, of the kind that its mode wants."""
    tightening = session.applied.get(seq)
    if tightening is None or not isinstance(tightening.value, Mode):
        return None
    kind = tightening.value.handoff or ""
    artifact = session.artifacts.get((agent_of(tightening.scope), kind))
    return None if artifact is None or artifact.void or artifact.seq < seq else artifact


def newest_of(session: Session, agent: str) -> tuple[Artifact, ...]:
    """The newest artifact of each kind that an agent handed over, oldest first; none is void."""
    mine = (artifact for (whose, _), artifact in session.artifacts.items() if whose == agent)
    return tuple(sorted((a for a in mine if not a.void), key=lambda artifact: artifact.seq))


def references(session: Session, agent: str) -> list[Json]:
    """The newest artifacts as a handoff names them: where they stand and what they are."""
    return [{"seq": each.seq, "kind": each.kind} for each in newest_of(session, agent)]
