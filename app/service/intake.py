"""Events in: from a reported event to an entry, on the desk.

    check     every event of a request, before its first one is stored: keys, bindings
    receive   one event: classify at the edge, append, react, settle
    answers   what the harness hears: the entry, the mode and posture now, what fired

Both the daemon and `replay` come through here; there is no second way in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Literal

from app.classification.edge import Seen, see
from app.domain.attempts import Earlier, Judged, judge
from app.domain.controller import record
from app.domain.entries import Action, Draft, Entry
from app.domain.events import Event, EventKind, Json
from app.domain.observations import attempt_name, call_name
from app.domain.replacing import replace
from app.domain.state import Session, in_force
from app.service.desk import Desk

Origin = Literal["own", "hooks"]

ACTIONS: Mapping[EventKind, Action] = {
    "tool": "tool",
    "attempt": "tool",
    "prompt": "prompt",
    "turn": "turn",
    "compact": "compaction",
    "session_start": "session",
    "session_end": "session",
    "usage": "usage",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One event on its way in, and who brings it."""

    event: Event
    origin: Origin = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one event came to. `mode` is that of the narrowest scope that has one."""

    seq: int
    duplicate: bool
    mode: str
    posture: str
    also: tuple[str, ...] = ()
    fired: tuple[Entry, ...] = ()
    verdict: str | None = None  # only for attempts
    rule: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A request that cannot be stored: the event at `index`, and why, in a sentence."""

    index: int
    code: Literal["event_id_reused", "session_bound"]
    detail: str
    session: str
    stored: int = 0  # events of the request that were committed before it


def check(desk: Desk, arrivals: Sequence[Arrival]) -> Conflict | None:
    """The first event of a request that cannot be stored; None when all can."""
    for index, arrival in enumerate(arrivals):
        conflict = _bound(desk, index, arrival) or _reused(desk, index, arrival.event)
        if conflict is not None:
            return conflict
    return _reused_within(arrivals)


def _bound(desk: Desk, index: int, arrival: Arrival) -> Conflict | None:
    """A session that a hook route named belongs to its hooks; own routes may add only usage."""
    event = arrival.event
    if arrival.origin == "hooks" or event.kind == "usage":
        return None
    binding = desk.load(event.session_id).binding
    if binding is None:
        return None
    return Conflict(
        index=index,
        code="session_bound",
        detail=f"the session is reported by the hooks of {binding}; only usage may be added here",
        session=event.session_id,
    )


def _reused(desk: Desk, index: int, event: Event) -> Conflict | None:
    key = event_key(event)
    first = None if key is None else desk.find(key)
    if first is None or first.body.get("fingerprint") == fingerprint(event):
        return None
    return _reuse(index, event)


def _reused_within(arrivals: Sequence[Arrival]) -> Conflict | None:
    known: dict[str, Event] = {}
    for index, arrival in enumerate(arrivals):
        key = event_key(arrival.event)
        first = None if key is None else known.setdefault(key, arrival.event)
        if first is None or first is arrival.event:
            continue
        if fingerprint(first) != fingerprint(arrival.event):  # dear, so only where keys meet
            return _reuse(index, arrival.event)
    return None


def _reuse(index: int, event: Event) -> Conflict:
    return Conflict(
        index=index,
        code="event_id_reused",
        detail="this event_id stands for another event of the session already",
        session=event.session_id,
    )


def receive(desk: Desk, arrival: Arrival, at: str) -> Answer:
    """Make one event an entry with all that follows from it, and say what came of it."""
    event = arrival.event
    session = desk.load(event.scope)
    limit = desk.configuration.context_limit
    seen = see(event, session, own=desk.own, context_limit=limit)
    draft = _draft(session, arrival, seen)
    first = desk.find(draft.dedup_key) if draft.dedup_key is not None else None
    if first is not None and first.kind == "observed":
        return _repeated(desk, event, first)
    if event.kind == "attempt":
        earlier = None if first is None else _earlier(desk, session, draft, first)
        return _judged(desk, draft, earlier, at, seen.commands)
    pending = record(desk.begin(at), draft, desk.configuration)
    desk.take(pending)
    return _answer(desk, event.scope, pending.entries[0], pending.entries[1:])


def _draft(session: Session, arrival: Arrival, seen: Seen) -> Draft:
    event, body = arrival.event, seen.body
    if event.event_id is not None:
        body["fingerprint"] = fingerprint(event)
    if arrival.origin == "hooks":
        body["hooks"] = event.harness
    return Draft(
        kind="decided" if event.kind == "attempt" else "observed",
        scope=event.scope,
        action=ACTIONS[event.kind],
        actor="machine" if event.kind == "attempt" else f"harness:{event.harness}",
        ref=None if event.kind != "tool" else _attempt_of(session, event, body),
        dedup_key=event_key(event) or _call_key(event, body),
        body=body,
    )


def _attempt_of(session: Session, event: Event, body: Mapping[str, Json]) -> int | None:
    """The decided entry of the attempt that this finished call ends."""
    if event.call_id is None:
        return None
    attempt = session.attempts.get(call_name(event.agent_id, event.call_id, body.get("identity")))
    return attempt.seq if attempt else None


def _earlier(desk: Desk, session: Session, draft: Draft, first: Entry) -> Earlier:
    """The first verdict on an attempt and the newest; one long forgotten has only its first."""
    name = attempt_name(draft)
    attempt = None if name is None else session.attempts.get(name)
    known = attempt is not None and attempt.seq == first.seq
    latest = desk.get(attempt.latest) if attempt is not None and known else None
    return Earlier(first=first.seq, latest=latest or first)


def _judged(
    desk: Desk, draft: Draft, earlier: Earlier | None, at: str, commands: tuple[str, ...]
) -> Answer:
    judged = judge(desk.begin(at), draft, earlier, desk.configuration, commands)
    desk.take(judged.pending)
    answer = _answer(desk, draft.scope, judged.entry, _after(judged))
    return replace(
        answer,
        duplicate=judged.repeated,
        verdict=judged.verdict,
        rule=judged.rule,
        reason=judged.reason,
    )


def _after(judged: Judged) -> tuple[Entry, ...]:
    return tuple(entry for entry in judged.pending.entries if entry.seq != judged.entry.seq)


def _repeated(desk: Desk, event: Event, first: Entry) -> Answer:
    answer = _answer(desk, event.scope, first, desk.caused_by(first.seq))
    return replace(answer, duplicate=True)


def _answer(desk: Desk, scope: str, entry: Entry, fired: Iterable[Entry]) -> Answer:
    held = in_force(desk.book, scope, desk.configuration)
    modes = tuple(mode.name for mode in held.modes)
    return Answer(
        seq=entry.seq,
        duplicate=False,
        mode=modes[0],
        posture=held.policies[0].posture,
        also=modes[1:],
        fired=tuple(fired),
    )


def event_key(event: Event) -> str | None:
    """The key of an event that brings an id of its own; a session's id holds no `/`."""
    return None if event.event_id is None else f"event:{event.session_id}/{event.event_id}"


def _call_key(event: Event, body: Mapping[str, Json]) -> str | None:
    """The key of one phase of one call; None: such an event is never a duplicate."""
    if event.call_id is None or event.kind not in ("tool", "attempt"):
        return None
    scope = event.scope  # its length, as both it and the call's id may hold any of these signs
    return f"call:{event.kind}:{len(scope)}:{scope}:{event.call_id}:{body.get('identity')}"


def fingerprint(event: Event) -> str:
    """A digest, 16 hex digits, of everything an event says."""
    text = _CANONICAL({name: getattr(event, name) for name in _SAID})
    return sha256(text.encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(type(value).__name__)


_SAID = tuple(field.name for field in fields(Event))
# made once: `json.dumps` with options makes an encoder each time, for the price of the encoding
_CANONICAL = json.JSONEncoder(sort_keys=True, default=_plain, ensure_ascii=True).encode
