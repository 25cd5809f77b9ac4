"""The fold: what one more entry makes of the book. It reads entries and never decides again.

    evolve(book, entry) -> book

No clock, no configuration, no randomness: the same entries give the same book on any machine and
in any version. Whatever an entry means later stands in the entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import assert_never, cast

from immutables import Map

from app.domain.advising import advised, tightens
from app.domain.boundary import closes_tests, develops_tests, ran, taken_off, wrote
from app.domain.calls import call_of
from app.domain.entries import MACHINE, RESTRICTIONS, Entry, Kind, agent_of
from app.domain.events import Json
from app.domain.handovers import ended, granted, handed
from app.domain.held_settings import asked as asked_for
from app.domain.held_settings import held_by, over
from app.domain.interventions import Said
from app.domain.lending import begun, lent, passed, taken
from app.domain.modes import Mode, mode_of
from app.domain.observations import attempt_name, causes_of, part_of, text_of, usage_of
from app.domain.observing import spared
from app.domain.replacing import replace
from app.domain.restrictions import Policy, policy_of
from app.domain.signals import (
    Stream,
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
    Override,
    Proposal,
    Session,
    Taking,
    Value,
    keep_stream,
    newest,
    stream_of,
    taking,
)

SIGNALS = 1_000  # notices of one scope that can still be taken back; restrictions have no bound


def evolve(book: Book, entry: Entry) -> Book:
    """The book after one more entry; entries come in `seq` order."""
    if entry.kind == "configured":
        book = replace(book, configured=held_by(entry))
    session = evolve_session(book.session(entry.scope), entry)
    return book.with_session(session, entry.seq)


def evolve_all(book: Book, entries: Iterable[Entry]) -> Book:
    """The book after all of `entries`, in order."""
    for entry in entries:
        book = evolve(book, entry)
    return book


def evolve_session(before: Session, entry: Entry) -> Session:
    """One session after one more entry of its own."""
    session = taking(before)
    session.last_seq, session.last_at = entry.seq, entry.at
    match entry.kind:
        case "observed":
            _observed(session, entry)
        case "decided":
            _decided(session, entry)
        case "applied":
            _applied(session, entry)
        case "proposed":
            _proposed(session, entry)
        case "approved" | "dismissed":
            _answered(session, entry)
        case "reverted":
            _reverted(session, entry)
        case "ended":
            _ended(session, entry)
        case "refused" | "configured" | "gap":
            pass
        case _:
            assert_never(entry.kind)
    return session.frozen()


def value_of(entry: Entry) -> Value:
    """What an applied or proposed entry puts in force."""
    body = entry.body
    match entry.action:
        case "mode":
            name = text_of(body, "mode")
            definition = body.get("definition")
            return _one_of(mode_of(name or "", cast("Mapping[str, Json]", definition or {})))
        case "policy":
            return _one_of(policy_of(cast("Mapping[str, Json]", body.get("policy") or {})))
        case _:
            return None


@lru_cache(maxsize=256)
def _one_of(value: Mode | Policy) -> Mode | Policy:
    """This value, as one object however many sessions are in it."""
    return value


def _beside_value(body: Mapping[str, Json]) -> Mapping[str, Json]:
    """What an applied or proposed entry says beside the value that it puts in force."""
    return {key: said for key, said in body.items() if key not in ("definition", "policy")}


def _observed(session: Taking, entry: Entry) -> None:
    _locate(session, entry)
    agent = agent_of(entry.scope)
    stream = stream_of(session, agent)
    match entry.action:
        case "tool":
            stream = _called(session, entry, stream)
        case "prompt":
            stream = prompted(stream, entry.body.get("person") is not False)
            _remind(session, agent)
        case "turn":
            stream = used(turned(stream), usage_of(entry), _day(entry), entry.seq)
        case "compaction":
            stream = compacted(stream)
            session.remind = session.remind or not agent
        case "usage":
            stream = used(stream, usage_of(entry), _day(entry), entry.seq)
        case "session":
            stream = replace(stream, touched=())  # a start or an end adds to no counter
            _begin_or_end(session, entry)
        case "artifact":
            stream = replace(stream, touched=())
            handed(session, entry)
        case _:
            pass
    keep_stream(session, agent, stream)


def _called(session: Taking, entry: Entry, stream: Stream) -> Stream:
    """A call ended."""
    call = call_of(entry)
    said = None if entry.ref is None else _said(session, entry)
    wrote(session, call, said)
    if call.reading.test is not None:
        call = ran(session, call, entry.at)
    if entry.ref is not None and entry.ref in session.open:
        session.open = session.open.delete(entry.ref)
    if session.artifacts:
        ended(session, entry)
    return finished(stream, call, counted=said != "deny", refused=said == "ask")


def _said(session: Session, entry: Entry) -> str | None:
    """Our verdict on the call that ended; None where nobody asked for one."""
    name = attempt_name(entry)
    attempt = None if name is None else session.attempts.get(name)
    return None if attempt is None else attempt.verdict


def _day(entry: Entry) -> str:
    """The day, UTC, on which it happened: old sessions that are posted today cost nothing today."""
    return (text_of(entry.body, "occurred_at") or entry.at)[:10]


def introduced(session: Session, scope: str, body: Mapping[str, Json]) -> Map[str, str]:
    """The agents' parents, once an event of `scope` has said which agent started the one it is."""
    parent, agent = text_of(body, "parent_agent_id"), agent_of(scope)
    if not agent or not parent or parent == agent or agent in session.parents:
        return session.parents
    return session.parents.set(agent, parent)


def _locate(session: Taking, entry: Entry) -> None:
    """Where the session works and who its agents are, as far as this entry says so."""
    body = entry.body
    if "parent_agent_id" in body:
        session.parents = introduced(session, entry.scope, body)
    if "cwd" in body:
        session.cwd = text_of(body, "cwd") or session.cwd
    if "permission_mode" in body:
        session.permission_mode = text_of(body, "permission_mode") or session.permission_mode
    session.root = session.root or text_of(body, "root")
    session.binding = session.binding or text_of(body, "hooks")
    if session.ended:  # late bills and late artifacts resume nothing
        session.ended = entry.action in ("session", "usage", "artifact")


def _begin_or_end(session: Taking, entry: Entry) -> None:
    """A start or an end of the session; those of its agents, and notes, change nothing.

    After a compaction a harness says that it starts, and it goes on: what a person said no to, and
    what was lent to it, stays as it is.
    """
    match text_of(entry.body, "kind"):
        case "session_end" if not agent_of(entry.scope):
            session.ended = True
        case "session_start" if not agent_of(entry.scope):
            session.ended, session.remind = False, True
            if text_of(part_of(entry.body, "arguments"), "source") != "compact":
                session.declined = Map()
                begun(session)
        case _:
            pass


def _remind(session: Taking, agent: str) -> None:
    """The main agent has just been told what is in force, if it had to be told."""
    if not agent:
        session.remind, session.unheard = False, None


def _decided(session: Taking, entry: Entry) -> None:
    _locate(session, entry)
    agent = agent_of(entry.scope)
    _remind(session, agent)
    key, verdict = attempt_name(entry), text_of(entry.body, "verdict") or "none"
    if verdict == "none":
        passed(session, entry, None if key is None else session.attempts.get(key))
    if key is not None:
        attempt = Attempt(seq=entry.ref or entry.seq, latest=entry.seq, verdict=verdict)
        session.attempts = session.attempts.put(key, attempt)
    if entry.ref is not None:  # the same attempt judged once more: counted nowhere
        return
    if key is not None:
        _open(session, entry)
    if "would" in entry.body:
        spared(session, entry)
    rule, call = text_of(entry.body, "rule"), call_of(entry)
    if verdict == "none":
        session.unvouched += "unknown" in call.reading.effects
    body = entry.body
    said = Said(verdict, "escalated" in body, "ends_turn" in body, body.get("soft"))
    stream = asked(stream_of(session, agent), call, said, rule)
    keep_stream(session, agent, stream)


def _open(session: Taking, entry: Entry) -> None:
    """One more attempt whose end is awaited; the oldest may fall out."""
    call = (agent_of(entry.scope), text_of(entry.body, "call_id") or "")
    calls = session.open.set(entry.seq, call)
    session.open = calls if len(calls) <= OPEN_CALLS else calls.delete(min(calls))


def _applied(session: Taking, entry: Entry) -> None:
    override = Override(
        seq=entry.seq,
        scope=entry.scope,
        action=entry.action,
        direction=entry.direction,
        actor=entry.actor,
        ref=entry.ref,
        value=value_of(entry),
        body=_beside_value(entry.body),
    )
    place = (entry.scope, entry.action)
    stack = (*session.overrides.get(place, ()), override)
    applied = session.applied.set(entry.seq, override)
    if entry.action not in RESTRICTIONS and len(stack) > SIGNALS:
        gone = 1 if stack[0].seq == session.closing else 0  # that one must stay to be taken back
        applied, stack = applied.delete(stack[gone].seq), stack[:gone] + stack[gone + 1 :]
    session.overrides, session.applied = session.overrides.set(place, stack), applied
    _close(session, entry.ref, "applied")
    _fire(session, entry)
    lent(session, entry)
    if "proposer" in entry.body:
        advised(session, entry)
    if entry.action == "mode" and entry.scope == session.id:
        _stay(session, override)
    elif closes_tests(entry):
        session.closing = entry.seq


def _stay(session: Taking, override: Override) -> None:
    """A change of the session's mode begins a stay; a crossing into tests uses the approval."""
    session.written = frozenset()
    crossing = text_of(override.body, "standing") == "boundary"
    if crossing and develops_tests(override.value):
        session.crossings += 1


def _fire(session: Taking, entry: Entry) -> None:
    """The checks an entry names have fired: they latch, and a change by the machine cools down."""
    causes = causes_of(entry.body)
    if not causes or entry.actor != MACHINE or "return" in entry.body:
        return
    automatic = entry.kind == "applied" and entry.action in ("mode", "policy")
    for agent in {cause.agent for cause in causes}:
        mine = tuple(cause for cause in causes if cause.agent == agent)
        stream = fired(stream_of(session, agent), mine, automatic=automatic, seq=entry.seq)
        session.streams = session.streams.set(agent, stream)
    for cause in causes:
        agents = session.fired_by.get(cause.rule, frozenset[str]())
        session.fired_by = session.fired_by.set(cause.rule, agents | {cause.agent})


def _proposed(session: Taking, entry: Entry) -> None:
    returns = entry.body.get("return")
    proposal = Proposal(
        seq=entry.seq,
        scope=entry.scope,
        action=entry.action,
        direction=entry.direction,
        actor=entry.actor,
        returns=returns if isinstance(returns, int) else None,
        value=value_of(entry),
        body=_beside_value(entry.body),
    )
    session.proposals = session.proposals.set(entry.seq, proposal)
    if entry.action == "configuration":
        asked_for(session, proposal)
    _fire(session, entry)


def _answered(session: Taking, entry: Entry) -> None:
    """Approved or dismissed; a dismissed return stays away until the session is resumed."""
    proposal = session.proposals.get(entry.ref or 0)
    if proposal is None:
        return
    if entry.kind == "dismissed" and proposal.returns is not None:
        session.declined = session.declined.set(proposal.returns, entry.seq)
    if entry.kind == "approved":
        granted(session, entry)
    _close(session, proposal.seq, entry.kind)


def _close(session: Taking, seq: int | None, how: Kind) -> None:
    if seq is None or seq not in session.proposals:
        return
    session.proposals = session.proposals.delete(seq)
    session.settled = session.settled.set(seq, how)


def _reverted(session: Taking, entry: Entry) -> None:
    """A tightening taken back earns its counters again in full; the second one is a lesson."""
    override = session.applied.get(entry.ref or 0)
    if override is None:
        return
    _take_off(session, override, entry.kind)
    causes = causes_of(override.body)
    for agent in {cause.agent for cause in causes if cause.agent in session.streams}:
        mine = tuple(cause for cause in causes if cause.agent == agent)
        session.streams = session.streams.set(agent, zeroed(stream_of(session, agent), mine))
    if entry.body.get("approved") is None:
        rules = {cause.rule for cause in causes}
        for rule in rules | {"proposer"} if tightens(override) else rules:
            times = session.taken_back.get(rule, 0) + 1
            session.taken_back = session.taken_back.set(rule, times)


def _take_off(session: Taking, override: Override, how: Kind) -> None:
    if override.seq in session.undone:
        return
    place = (override.scope, override.action)
    stack = tuple(o for o in session.overrides.get(place, ()) if o.seq != override.seq)
    before = newest(session, session.id, "mode")
    session.overrides = (
        session.overrides.set(place, stack) if stack else session.overrides.delete(place)
    )
    session.undone = session.undone.set(override.seq, how)
    taken_off(session, override)
    taken(session, override.seq)
    if newest(session, session.id, "mode") != before:  # a change of mode begins a new stay
        session.written = frozenset()


def _ended(session: Taking, entry: Entry) -> None:
    override = session.applied.get(entry.ref or 0)
    over(session, entry.ref)
    if entry.ref in session.proposals:
        _close(session, entry.ref, "ended")
    elif override is not None:
        _take_off(session, override, "ended")
