"""The fold: what one more entry makes of the book. It reads entries and never decides again.

    evolve(book, entry) -> book

No clock, no configuration, no randomness: the same entries give the same book on any machine and
in any version. Whatever an entry means later stands in the entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never, cast

from immutables import Map

from app.domain.calls import Reading, call_of
from app.domain.entries import MACHINE, Entry, Kind, agent_of
from app.domain.events import Json
from app.domain.modes import Mode, mode_of
from app.domain.observations import attempt_name, causes_of, text_of, usage_of
from app.domain.restrictions import policy_of
from app.domain.signals import (
    asked,
    compacted,
    finished,
    fired,
    prompted,
    turned,
    used,
    zeroed,
)
from app.domain.state import (
    Attempt,
    Book,
    Configured,
    Override,
    Proposal,
    Session,
    Value,
    stream_of,
)

OPEN_ATTEMPTS = 5_000  # a session's attempts that may still be asked again (design.md 3)
TARGETS = 256  # a session's test targets whose latest result is known


def evolve(book: Book, entry: Entry) -> Book:
    """The book after one more entry; entries come in `seq` order."""
    book = replace(book, head=max(book.head, entry.seq))
    if entry.kind == "configured":
        book = replace(book, configured=_configured(entry))
    return book.with_session(evolve_session(book.session(entry.scope), entry))


def evolve_all(book: Book, entries: Iterable[Entry]) -> Book:
    """The book after all of `entries`, in order."""
    for entry in entries:
        book = evolve(book, entry)
    return book


def evolve_session(session: Session, entry: Entry) -> Session:
    """One session after one more entry of its own."""
    session = replace(
        session,
        first_seq=session.first_seq or entry.seq,
        last_seq=entry.seq,
        last_at=entry.at,
    )
    match entry.kind:
        case "observed":
            return _observed(session, entry)
        case "decided":
            return _decided(session, entry)
        case "applied":
            return _applied(session, entry)
        case "proposed":
            return _proposed(session, entry)
        case "approved" | "dismissed":
            return _answered(session, entry)
        case "reverted":
            return _reverted(session, entry)
        case "ended":
            return _ended(session, entry)
        case "refused" | "configured" | "gap":
            return session
        case _:
            assert_never(entry.kind)


def value_of(entry: Entry) -> Value:
    """What an applied or proposed entry puts in force."""
    body = entry.body
    match entry.action:
        case "mode":
            name = text_of(body, "mode")
            definition = body.get("definition")
            return mode_of(name or "", cast("Mapping[str, Json]", definition or {}))
        case "policy":
            return policy_of(cast("Mapping[str, Json]", body.get("policy") or {}))
        case _:
            return None


def _configured(entry: Entry) -> Configured:
    return Configured(seq=entry.seq, actor=entry.actor, digest=text_of(entry.body, "digest") or "")


def _observed(session: Session, entry: Entry) -> Session:
    session = _located(session, entry)
    agent = agent_of(entry.scope)
    stream = stream_of(session, agent)
    match entry.action:
        case "tool":
            call = call_of(entry)
            stream = finished(stream, call, counted=_counts(entry))
            session = _tested(_written(session, call.reading), call.reading)
        case "prompt":
            stream = prompted(stream, entry.body.get("person") is not False)
        case "turn":
            stream = used(turned(stream), usage_of(entry), entry.at[:10], entry.seq)
        case "compaction":
            stream = compacted(stream)
        case "usage":
            stream = used(stream, usage_of(entry), entry.at[:10], entry.seq)
        case "session":
            session = _session_event(session, entry)
        case _:
            pass
    return replace(session, streams=session.streams.set(agent, stream))


def _counts(entry: Entry) -> bool:
    """Whether a blocked end counts itself: not when our own verdict on it was counted before."""
    return entry.ref is None or entry.body.get("outcome") != "blocked"


def _located(session: Session, entry: Entry) -> Session:
    """Where the session works and who its agents are, as far as this entry says so."""
    body = entry.body
    parent, agent = text_of(body, "parent_agent_id"), agent_of(entry.scope)
    parents = session.parents
    if agent and parent and parent != agent and agent not in parents:
        parents = parents.set(agent, parent)
    cwd = text_of(body, "cwd")
    return replace(
        session,
        parents=parents,
        cwd=cwd or session.cwd,
        root=session.root or text_of(body, "root"),
        permission_mode=text_of(body, "permission_mode") or session.permission_mode,
        binding=session.binding or text_of(body, "hooks"),
        ended=session.ended and entry.action == "session",
    )


def _session_event(session: Session, entry: Entry) -> Session:
    if entry.body.get("kind") == "session_end":
        return replace(session, ended=True)
    return replace(session, ended=False, declined=Map())


def _tested(session: Session, reading: Reading) -> Session:
    """The latest known result of each test target: unknown runs change nothing (design.md 4)."""
    run = reading.test
    if run is None or run.result == "unknown":
        return session
    reds = session.reds
    if run.result == "red":
        if run.target not in reds and len(reds) >= TARGETS:
            reds = reds.delete(next(iter(sorted(reds))))
        return replace(session, reds=reds.set(run.target, "red"))
    return replace(session, reds=reds.delete(run.target) if run.target in reds else reds)


def _written(session: Session, reading: Reading) -> Session:
    """The tests written in this stay in test_development; they stay open while a target is red."""
    tests = frozenset(target.path for target in reading.targets if target.zone == "test")
    if not tests or reading.failed or "write" not in reading.effects:
        return session
    override = session.overrides.get((session.id, "mode"), ())
    if not override or not _is_mode(override[-1].value, "test_development"):
        return session
    return replace(session, written=session.written | tests)


def _is_mode(value: Value, name: str) -> bool:
    return isinstance(value, Mode) and value.name == name


def _decided(session: Session, entry: Entry) -> Session:
    session = _located(session, entry)
    key = attempt_name(entry)
    verdict = text_of(entry.body, "verdict") or "none"
    again = entry.ref is not None  # the same attempt judged once more: counted nowhere
    if key is not None and not again:
        session = _remember(
            session,
            key,
            Attempt(
                seq=entry.seq,
                verdict=verdict,
                fingerprint=text_of(entry.body, "fingerprint") or "",
            ),
        )
    if again:
        return session
    agent = agent_of(entry.scope)
    denied = verdict == "deny" and entry.body.get("would") is None
    stream = asked(stream_of(session, agent), call_of(entry), denied, text_of(entry.body, "rule"))
    return replace(session, streams=session.streams.set(agent, stream))


def _remember(session: Session, key: str, attempt: Attempt) -> Session:
    attempts, order = session.attempts.set(key, attempt), (*session.attempt_order, key)
    if len(order) > OPEN_ATTEMPTS:
        attempts, order = attempts.delete(order[0]), order[1:]
    return replace(session, attempts=attempts, attempt_order=order)


def _applied(session: Session, entry: Entry) -> Session:
    override = Override(
        seq=entry.seq,
        scope=entry.scope,
        action=entry.action,
        direction=entry.direction,
        actor=entry.actor,
        ref=entry.ref,
        value=value_of(entry),
        body=entry.body,
    )
    place = (entry.scope, entry.action)
    stack = (*session.overrides.get(place, ()), override)
    session = replace(
        session,
        overrides=session.overrides.set(place, stack),
        applied=session.applied.set(entry.seq, override),
    )
    if entry.ref in session.proposals:
        session = _close(session, entry.ref, "applied")
    return _stayed(_fired(session, entry), entry)


def _stayed(session: Session, entry: Entry) -> Session:
    """A change of the session's mode begins a stay; a crossing into tests uses the approval."""
    if entry.action != "mode" or entry.scope != session.id:
        return session
    crossing = text_of(entry.body, "standing") == "boundary"
    into_tests = crossing and _is_mode(value_of(entry), "test_development")
    return replace(
        session, written=frozenset(), crossings=session.crossings + (1 if into_tests else 0)
    )


def _fired(session: Session, entry: Entry) -> Session:
    """The checks an entry names have fired: they latch, and a change by the machine cools down."""
    causes = causes_of(entry.body)
    if not causes or entry.actor != MACHINE or "return" in entry.body:
        return session
    automatic = entry.kind == "applied" and entry.action in ("mode", "policy")
    streams, fired_by = session.streams, session.fired_by
    for agent in {cause.agent for cause in causes}:
        mine = tuple(cause for cause in causes if cause.agent == agent)
        stream = fired(stream_of(session, agent), mine, automatic=automatic, seq=entry.seq)
        streams = streams.set(agent, stream)
        for cause in mine:
            agents = fired_by.get(cause.rule, frozenset[str]())
            fired_by = fired_by.set(cause.rule, agents | {agent})
    return replace(session, streams=streams, fired_by=fired_by)


def _proposed(session: Session, entry: Entry) -> Session:
    returns = entry.body.get("return")
    proposal = Proposal(
        seq=entry.seq,
        scope=entry.scope,
        action=entry.action,
        direction=entry.direction,
        actor=entry.actor,
        returns=returns if isinstance(returns, int) else None,
        value=value_of(entry),
        body=entry.body,
    )
    session = replace(session, proposals=session.proposals.set(entry.seq, proposal))
    return _fired(session, entry)


def _answered(session: Session, entry: Entry) -> Session:
    """Approved or dismissed; a dismissed return stays away until the session is resumed."""
    proposal = session.proposals.get(entry.ref or 0)
    if proposal is None:
        return session
    if entry.kind == "dismissed" and proposal.returns is not None:
        session = replace(session, declined=session.declined.set(proposal.returns, entry.seq))
    return _close(session, proposal.seq, entry.kind)


def _close(session: Session, seq: int | None, how: Kind) -> Session:
    if seq is None or seq not in session.proposals:
        return session
    return replace(
        session,
        proposals=session.proposals.delete(seq),
        settled=session.settled.set(seq, how),
    )


def _reverted(session: Session, entry: Entry) -> Session:
    """A tightening taken back earns its counters again in full; the second one is a lesson."""
    override = session.applied.get(entry.ref or 0)
    session = _take_off(session, entry)
    if override is None:
        return session
    causes, streams, taken_back = causes_of(override.body), session.streams, session.taken_back
    for agent in {cause.agent for cause in causes}:
        mine = tuple(cause for cause in causes if cause.agent == agent)
        streams = streams.set(agent, zeroed(stream_of(session, agent), mine))
    if entry.body.get("approved") is None:
        for rule in {cause.rule for cause in causes}:
            taken_back = taken_back.set(rule, taken_back.get(rule, 0) + 1)
    return replace(session, streams=streams, taken_back=taken_back)


def _take_off(session: Session, entry: Entry) -> Session:
    override = session.applied.get(entry.ref or 0)
    if override is None or override.seq in session.undone:
        return session
    place = (override.scope, override.action)
    stack = tuple(o for o in session.overrides.get(place, ()) if o.seq != override.seq)
    overrides = session.overrides.set(place, stack) if stack else session.overrides.delete(place)
    session = replace(
        session, overrides=overrides, undone=session.undone.set(override.seq, entry.kind)
    )
    return replace(session, written=frozenset()) if entry.action == "mode" else session


def _ended(session: Session, entry: Entry) -> Session:
    if entry.ref in session.proposals:
        return _close(session, entry.ref, "ended")
    return _take_off(session, entry)
