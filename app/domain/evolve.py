"""The fold: what one more entry makes of the book. It reads entries and never decides again.

    evolve(book, entry) -> book

No clock, no configuration, no randomness: the same entries give the same book on any machine and
in any version. Whatever an entry means later stands in the entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never, cast

from immutables import Map

from app.domain.calls import Call, Reading, TestRun, call_of
from app.domain.entries import MACHINE, RESTRICTIONS, Entry, Kind, agent_of
from app.domain.events import Json
from app.domain.modes import Mode, mode_of
from app.domain.observations import attempt_name, causes_of, text_of, usage_of
from app.domain.replacing import replace
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
    OPEN_CALLS,
    Attempt,
    Book,
    Configured,
    Override,
    Proposal,
    Session,
    Value,
    newest,
    stream_of,
    with_stream,
)

TARGETS = 256  # a session's test targets whose latest result is known
SIGNALS = 1_000  # notices of one scope that can still be taken back; restrictions have no bound
WRITTEN = 4_096  # test files of one stay that are known; a further one is closed while red


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
    session = replace(session, last_seq=entry.seq, last_at=entry.at)
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
            said = _said(session, entry)
            stream = finished(stream, call, counted=said != "deny", refused=said == "ask")
            session = _closed(_tested(_written(session, call), call.reading), entry.ref)
        case "prompt":
            stream = prompted(stream, entry.body.get("person") is not False)
            session = _reminded(session, agent)
        case "turn":
            stream = used(turned(stream), usage_of(entry), _day(entry), entry.seq)
        case "compaction":
            stream = compacted(stream)
            session = session if agent else replace(session, remind=True)
        case "usage":
            stream = used(stream, usage_of(entry), _day(entry), entry.seq)
        case "session":
            stream = replace(stream, touched=())  # a start or an end adds to no counter
            session = _session_event(session, entry)
        case _:
            pass
    return with_stream(session, agent, stream)


def _said(session: Session, entry: Entry) -> str | None:
    """Our verdict on the call that ended; None where nobody asked for one."""
    name = attempt_name(entry) if entry.ref is not None else None
    attempt = None if name is None else session.attempts.get(name)
    return None if attempt is None else attempt.verdict


def _day(entry: Entry) -> str:
    """The day, UTC, on which it happened: old sessions that are posted today cost nothing today."""
    return (text_of(entry.body, "occurred_at") or entry.at)[:10]


def introduced(session: Session, scope: str, body: Mapping[str, Json]) -> Session:
    """The session, once an event of `scope` has said which agent started the one it is about."""
    parent, agent = text_of(body, "parent_agent_id"), agent_of(scope)
    if not agent or not parent or parent == agent or agent in session.parents:
        return session
    return replace(session, parents=session.parents.set(agent, parent))


def _located(session: Session, entry: Entry) -> Session:
    """Where the session works and who its agents are, as far as this entry says so."""
    body = entry.body
    cwd = text_of(body, "cwd")
    return replace(
        introduced(session, entry.scope, body),
        cwd=cwd or session.cwd,
        root=session.root or text_of(body, "root"),
        permission_mode=text_of(body, "permission_mode") or session.permission_mode,
        binding=session.binding or text_of(body, "hooks"),
        ended=session.ended and entry.action in ("session", "usage"),  # late bills resume nothing
    )


def _session_event(session: Session, entry: Entry) -> Session:
    """A start or an end of the session; those of its agents, and notes, change nothing."""
    match text_of(entry.body, "kind"):
        case "session_end" if not agent_of(entry.scope):
            return replace(session, ended=True)
        case "session_start" if not agent_of(entry.scope):
            return replace(session, ended=False, declined=Map(), remind=True)
        case _:
            return session


def _closed(session: Session, attempt: int | None) -> Session:
    """The end of an attempt's call was reported: it is not open any more."""
    if attempt is None or attempt not in session.open:
        return session
    return replace(session, open=session.open.delete(attempt))


def _opened(session: Session, entry: Entry) -> Session:
    """One more attempt whose end is awaited; the oldest may fall out."""
    call = (agent_of(entry.scope), text_of(entry.body, "call_id") or "")
    calls = session.open.set(entry.seq, call)
    return replace(session, open=calls if len(calls) <= OPEN_CALLS else calls.delete(min(calls)))


def _reminded(session: Session, agent: str) -> Session:
    """The main agent has just been told what is in force, if it had to be told."""
    return replace(session, remind=False) if session.remind and not agent else session


def _tested(session: Session, reading: Reading) -> Session:
    """The red test targets: unknown runs change nothing, a green one clears what it includes."""
    run = reading.test
    if run is None or run.result == "unknown":
        return session
    reds = session.reds
    if run.result == "green":
        for target in tuple(reds):
            reds = reds.delete(target) if _includes(run, target) else reds
        return replace(session, reds=reds)
    if run.target not in reds and len(reds) >= TARGETS:
        reds = reds.delete(next(iter(sorted(reds))))
    return replace(session, reds=reds.set(run.target, "red"))


def _includes(run: TestRun, target: str) -> bool:
    """Whether a run covered a target: it is the same, or the whole of the same runner."""
    whole = run.target == run.runner and target.startswith(f"{run.runner} ")
    return whole or target == run.target


def _written(session: Session, call: Call) -> Session:
    """The tests written in this stay in test_development; they stay open while a target is red."""
    reading = call.reading
    tests = frozenset(target.path for target in reading.targets if target.zone == "test")
    if not tests or call.outcome != "ok" or reading.failed or "write" not in reading.effects:
        return session
    mode = newest(session, session.id, "mode")
    if mode is None or not _is_mode(mode.value, "test_development"):
        return session
    written = session.written | tests
    return session if len(written) > WRITTEN else replace(session, written=written)


def _is_mode(value: Value, name: str) -> bool:
    return isinstance(value, Mode) and value.name == name


def _decided(session: Session, entry: Entry) -> Session:
    session = _reminded(_located(session, entry), agent_of(entry.scope))
    key, verdict = attempt_name(entry), text_of(entry.body, "verdict") or "none"
    if key is not None:
        attempt = Attempt(seq=entry.ref or entry.seq, latest=entry.seq, verdict=verdict)
        session = replace(session, attempts=session.attempts.put(key, attempt))
    if entry.ref is not None:  # the same attempt judged once more: counted nowhere
        return session
    session = session if key is None else _opened(session, entry)
    agent, rule, call = agent_of(entry.scope), text_of(entry.body, "rule"), call_of(entry)
    if verdict == "none" and "unknown" in call.reading.effects:
        session = replace(session, unvouched=session.unvouched + 1)
    stream = asked(stream_of(session, agent), call, verdict == "deny", rule)
    return with_stream(session, agent, stream)


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
    applied = session.applied.set(entry.seq, override)
    if entry.action not in RESTRICTIONS and len(stack) > SIGNALS:
        applied, stack = applied.delete(stack[0].seq), stack[1:]
    session = replace(session, overrides=session.overrides.set(place, stack), applied=applied)
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
    for agent in {cause.agent for cause in causes if cause.agent in streams}:
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
    before = newest(session, session.id, "mode")
    session = replace(
        session, overrides=overrides, undone=session.undone.set(override.seq, entry.kind)
    )
    same = newest(session, session.id, "mode") == before  # a change of mode begins a new stay
    return session if same else replace(session, written=frozenset())


def _ended(session: Session, entry: Entry) -> Session:
    if entry.ref in session.proposals:
        return _close(session, entry.ref, "ended")
    return _take_off(session, entry)
