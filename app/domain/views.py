"""How entries and sessions are shown: the same in answers, the log, the stream and `--json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.domain.artifacts import Artifact
from app.domain.bodies import held_names
from app.domain.configuration import Configuration
from app.domain.decisions import judged, right_verb
from app.domain.differences import Difference, difference, difference_view, lifting, redefined
from app.domain.entries import RESTRICTIONS, Entry, agent_of
from app.domain.events import Json
from app.domain.expected_state import state_of
from app.domain.foresight import foreseen
from app.domain.handovers import about, newest_of
from app.domain.limits import limit_json, until
from app.domain.observations import part_of
from app.domain.observing import spared_view
from app.domain.outline import outline
from app.domain.readings import readings
from app.domain.restrictions import InForce, policy_json
from app.domain.state import (
    Book,
    Override,
    Proposal,
    Session,
    in_force,
    newest,
    overrides_for,
    stream_of,
)
from app.domain.stream import Escalation
from app.domain.summaries import summary


def entry_view(entry: Entry, *, text: bool) -> dict[str, Json]:
    """One entry; without `text` its body is an outline."""
    return {
        "seq": entry.seq,
        "at": entry.at,
        "kind": entry.kind,
        "scope": entry.scope,
        "action": entry.action,
        "direction": entry.direction,
        "ref": entry.ref,
        "actor": entry.actor,
        "summary": summary(entry),
        "body": dict(entry.body) if text else outline(entry.body, entry.actor),
        "hash": entry.hash,
    }


def in_force_view(book: Book, scope: str, configuration: Configuration) -> dict[str, Json]:
    """What judges a call of `scope` now: mode and posture of the narrowest scope, and the rest."""
    held = in_force(book, scope, configuration)
    return {
        "scope": scope,
        **held_names(held),
        "enforcement": configuration.enforcement,
        "policy": policy_json(held.policies[0]),
        "seqs": _restricting(book, scope),
        "state": state_of(book, scope),
    }


def difference_between(
    before: Book, after: Book, scope: str, configuration: Configuration
) -> dict[str, Json]:
    """What is freer and what stricter for calls of `scope` under one book than under another.

    Where both only observe, it is what would be denied that differs. Modes that are defined anew
    and do not judge the scope now are told apart, each by its name.
    """
    old, new = (book.configuration(configuration) for book in (before, after))
    held, then = in_force(before, scope, old), in_force(after, scope, new)
    unenforced = (old.enforcement, new.enforcement) == ("enforce", "observe")
    found = difference(held, then, unenforced=unenforced)
    soft = lifting(held, then, {rule.name: rule.verdict for rule in (*old.soft, *new.soft)})
    return difference_view((*found, *soft, *_elsewhere(held, then, old, new)))


def _elsewhere(held: InForce, then: InForce, old: Configuration, new: Configuration) -> Difference:
    """What modes judge otherwise that are not the ones in force before and afterwards."""
    if old.modes == new.modes:
        return ()
    told = {mode.name for mode in held.modes if mode == old.modes.get(mode.name)}
    told &= {mode.name for mode in then.modes if mode == new.modes.get(mode.name)}
    apart = {name: mode for name, mode in new.modes.items() if name not in told}
    return redefined(old.modes, apart)


def _restricting(book: Book, scope: str) -> list[Json]:
    return [o.seq for action in RESTRICTIONS for o in overrides_for(book, scope, action)]


def overrides_of(book: Book, scope: str) -> tuple[Override, ...]:
    """The overrides in force in exactly this scope, by action."""
    session = book.session(scope)
    found = (o for (s, _), stack in session.overrides.items() if s == scope for o in stack[-1:])
    return tuple(sorted(found, key=lambda override: override.action))


def session_row(book: Book, session: Session, configuration: Configuration) -> dict[str, Json]:
    """One session in a list."""
    held = in_force(book, session.id, configuration)
    return {
        "scope": session.id,
        **held_names(held),
        "ended": session.ended,
        "last_seq": session.last_seq,
        "last_at": session.last_at,
        "agents": [*sorted(agent for agent in session.streams if agent)],
        "open_proposals": [*sorted(session.proposals)],
        "interventions": interventions((session,)),
        "escalations": [*escalations(session)],
        "not_vouched_for": session.unvouched,
        "only_observed": spared_view(session),
        "advisory": [rule for rule, count in sorted(session.taken_back.items()) if count > 1],
    }


def session_view(book: Book, scope: str, configuration: Configuration) -> dict[str, Json]:
    """Everything about one scope that is derived from the log, texts left out."""
    session = book.session(scope)
    agent = scope.partition("/")[2]
    stream = stream_of(session, agent)
    restricted: dict[str, Json] = {
        str(o.action): _restriction(session, o) for o in _newest(book, scope)
    }
    return {
        **session_row(book, session, configuration),
        "scope": scope,
        **in_force_view(book, scope, configuration),
        "restrictions": restricted,
        "agents_held": _agents_held(book, session, configuration),
        "signals": {
            name: {"value": value, "threshold": threshold or None}
            for name, (value, threshold) in readings(stream, configuration.thresholds).items()
        },
        "red_targets": len(session.reds),
        "tests_closed_by": session.closing or None,
        "calls": stream.calls,
        "permission_mode": session.permission_mode,
        "bound_to": session.binding,
        "artifacts": [*map(_artifact, newest_of(session, agent))],
        "standing": _standing(session, configuration),
        "proposals": [
            _proposal(book, proposal, configuration)
            for _, proposal in sorted(session.proposals.items())
        ],
    }


def _standing(session: Session, configuration: Configuration) -> dict[str, Json]:
    """The standing approvals of a session: how often each was used, and how often it may be."""
    used = {**session.used, "boundary": session.crossings}
    return {
        name: {"used": used.get(name, 0), "of": standing.uses}
        for name, standing in sorted(configuration.standing.items())
    }


def _agents_held(book: Book, session: Session, configuration: Configuration) -> list[Json]:
    """The agents of a session that are under restrictions of their own, and those."""
    scopes = {scope for (scope, _), stack in session.overrides.items() if agent_of(scope) and stack}
    return [
        {
            "scope": scope,
            **held_names(in_force(book, scope, configuration)),
            "seqs": [override.seq for override in _newest(book, scope)],
        }
        for scope in sorted(scopes)
        if _newest(book, scope)
    ]


def _newest(book: Book, scope: str) -> Sequence[Override]:
    found = (newest(book.session(scope), scope, action) for action in RESTRICTIONS)
    return [override for override in found if override is not None]


def _restriction(session: Session, override: Override) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "seq": override.seq,
        "actor": override.actor,
        "direction": override.direction,
    }
    running = session.limited.get(override.seq)
    if running is None:
        return shown
    counted: dict[str, Json] = {"used": running.used} if running.limit.kind == "calls" else {}
    ends = until(running)
    limit: dict[str, Json] = {**limit_json(running.limit), **counted}
    return {**shown, "limit": {**limit, "until": ends} if ends else limit}


def _proposal(book: Book, proposal: Proposal, configuration: Configuration) -> dict[str, Json]:
    """One open proposal: its direction, and so the verb, is what it would be now."""
    return {
        "seq": proposal.seq,
        "scope": proposal.scope,
        "action": proposal.action,
        "direction": judged(book, proposal, configuration),
        "returns": proposal.returns,
        "artifact": artifact_view(book, proposal.scope, proposal.returns, text=False),
        "verb": right_verb(book, proposal, configuration),
        "state": state_of(book, proposal.scope),
        "difference": difference_between(
            book, foreseen(book, proposal, configuration), proposal.scope, configuration
        ),
    }


def interventions(sessions: Iterable[Session]) -> dict[str, Json]:
    """What was blocked in some sessions, and what that cost (docs/detection.md 2.10)."""
    counted = [s for each in sessions for s in (each.silent, *each.streams.values())]
    attempts = sum(stream.attempts for stream in counted)
    blocked = sum(stream.interventions for stream in counted)
    return {
        "attempted": attempts,
        "blocked": blocked,
        "rate": round(blocked / attempts, 3) if attempts else 0.0,
        "blocked_then_blocked": sum(stream.blocked_then_blocked for stream in counted),
        "steps_after_first_terminal_block": sum(stream.after_terminal for stream in counted),
        "escalations": sum(stream.escalations for stream in counted),
    }


def escalations(session: Session) -> list[dict[str, Json]]:
    """The steps of a session's agents that were blocked again and need an answer."""
    return [
        _escalation(session, agent, stream.escalation)
        for agent, stream in sorted(session.streams.items())
        if stream.escalation is not None
    ]


def _escalation(session: Session, agent: str, opened: Escalation) -> dict[str, Json]:
    scope = f"{session.id}/{agent}" if agent else session.id
    notices = session.overrides.get((scope, "notice"), ())
    return {
        "scope": scope,
        "seq": opened.seq,
        "tool": opened.tool,
        "rule": opened.block.key,
        "further": opened.further,
        "turn_ended": opened.ended,
        "notice": next((notice.seq for notice in notices if notice.ref == opened.seq), None),
    }


def last_handoff(book: Book, scope: str) -> Json:
    """The newest handoff of a scope, also of a mode that is over, with what was handed over.

    None where there is neither. The text of an artifact is the agent's: data, and no instruction.
    """
    session = book.session(scope)
    modes = (o for o in session.applied.values() if (o.scope, o.action) == (scope, "mode"))
    told = [o for o in modes if isinstance(o.body.get("handoff"), dict)]
    last = max(told, key=lambda override: override.seq, default=None)
    handoff = {} if last is None else part_of(last.body, "handoff")
    artifacts: list[Json] = [
        {**_artifact(artifact), "text": artifact.text}
        for artifact in newest_of(session, agent_of(scope))
    ]
    return {**handoff, **({"artifacts": artifacts} if artifacts else {})} or None


def artifact_view(book: Book, scope: str, tightening: int | None, *, text: bool) -> Json:
    """What was handed over for the return of one tightening; None: nothing, or it is no return."""
    found = None if tightening is None else about(book.session(scope), tightening)
    if found is None:
        return None
    return {**_artifact(found), **({"text": found.text} if text else {})}


def _artifact(artifact: Artifact) -> dict[str, Json]:
    """An artifact without its text."""
    return {
        "seq": artifact.seq,
        "kind": artifact.kind,
        "valid": artifact.valid,
        "length": len(artifact.text),
        "digest": artifact.digest,
    }
