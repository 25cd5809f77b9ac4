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
from operator import attrgetter
from typing import Final, Literal

from app.classification.edge import Seen, see
from app.classification.testtree import Tree
from app.classification.whereabouts import moves
from app.domain.attempts import Earlier, Judged, judge
from app.domain.controller import record
from app.domain.entries import Action, Draft, Entry, session_of
from app.domain.events import Event, EventKind, Json
from app.domain.observations import attempt_name, call_name, text_of
from app.domain.replacing import replace
from app.domain.state import Session, in_force
from app.service.desk import Desk
from app.service.handover import handed_over

Origin = Literal["own", "hooks"]
ADDED: Final = ("usage", "artifact")  # what own routes may add to a session of hooks

ACTIONS: Mapping[EventKind, Action] = {
    "tool": "tool",
    "attempt": "tool",
    "prompt": "prompt",
    "turn": "turn",
    "compact": "compaction",
    "session_start": "session",
    "session_end": "session",
    "usage": "usage",
    "artifact": "artifact",
    "note": "session",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One event on its way in, and who brings it."""

    event: Event
    origin: Origin = "own"
    batched: bool = False  # told in a batch: it counts where no end of its call was seen
    tree: Tree | None = None  # the test files after a test run; None: nobody looked


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
    would: str | None = None  # in `observe`: the verdict that enforcement would give
    ends_turn: bool = False  # the harness shall end the turn, if it can


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
    """A session that a hook route named belongs to its hooks; own routes may add little."""
    event = arrival.event
    if arrival.origin == "hooks" or event.kind in ADDED:
        return None
    binding = desk.load(event.session_id).binding
    if binding is None:
        return None
    return Conflict(
        index=index,
        code="session_bound",
        detail=f"the session is reported by the hooks of {binding};"
        " only usage and artifacts may be added here",
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
    seen = see(
        event,
        session,
        own=desk.own,
        context_limit=limit,
        tree=arrival.tree,
        begun=_begun(desk, session, arrival),
        disk=desk.disk,
        texts=desk.texts,
    )
    draft = _draft(session, arrival, seen)
    if event.kind == "artifact":
        draft = handed_over(desk, event, draft)
        draft = replace(draft, dedup_key=_key(arrival, {"identity": draft.body["digest"]}))
    if arrival.batched and (told := _told(desk, session, draft)) is not None:
        return replace(_answer(desk, event.scope, told, ()), duplicate=True)
    first = desk.find(draft.dedup_key) if draft.dedup_key is not None else None
    if first is not None and first.kind == "observed":
        return _repeated(desk, event, first)
    if event.kind == "attempt":
        earlier = None if first is None else _earlier(desk, session, draft, first)
        over = arrival.origin == "hooks" and earlier is not None and _over(desk, event, draft)
        return _judged(desk, draft, earlier, at, seen.commands, over=over)
    pending = record(desk.begin(at), draft, desk.configuration)
    desk.take(pending)
    return _answer(desk, event.scope, pending.entries[0].seq, pending.entries[1:])


def _begun(desk: Desk, session: Session, arrival: Arrival) -> str | None:
    """Where a call that moved began: the hooks that tell of its end name the folder it moved to."""
    event = arrival.event
    if arrival.origin == "own" or event.kind != "tool" or not moves(event.arguments):
        return None
    call = (event.agent_id or "", event.call_id or "")
    seq = max((seq for seq, opened in session.open.items() if opened == call), default=None)
    attempt = None if seq is None else desk.get(seq)
    return None if attempt is None else text_of(attempt.body, "cwd")


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
        ref=None if event.kind != "tool" else _attempt_of(session, arrival, body),
        dedup_key=_key(arrival, body),
        body=body,
    )


def _attempt_of(session: Session, arrival: Arrival, body: Mapping[str, Json]) -> int | None:
    """The decided entry of the attempt that this finished call ends."""
    event = arrival.event
    if event.call_id is None:
        return None
    attempt = session.attempts.get(call_name(event.agent_id, event.call_id, body.get("identity")))
    if attempt is not None or arrival.origin == "own" or arrival.batched:
        return attempt.seq if attempt else None
    # Another hook may have rewritten the arguments after ours was asked.
    call = (event.agent_id or "", event.call_id)
    return max((seq for seq, opened in session.open.items() if opened == call), default=None)


def _told(desk: Desk, session: Session, draft: Draft) -> int | None:
    """The entry that tells already of a batch's call: its end, or an attempt that has ended."""
    name = attempt_name(draft)
    attempt = None if name is None else session.attempts.get(name)
    call = (draft.body.get("call_id"), draft.body.get("identity"))
    if attempt is not None and attempt.seq not in session.open:
        vague = draft.body.get("outcome", "unknown") == "unknown"
        if vague or desk.find(call_key(draft.scope, "closed", *call)) is None:
            return attempt.seq  # otherwise it was closed without an end, and here is one
    first = None if call[0] is None else desk.find(call_key(draft.scope, "tool", *call))
    return None if first is None else first.seq


def _earlier(desk: Desk, session: Session, draft: Draft, first: Entry) -> Earlier:
    """The first verdict on an attempt and the newest; one long forgotten has only its first."""
    name = attempt_name(draft)
    attempt = None if name is None else session.attempts.get(name)
    known = attempt is not None and attempt.seq == first.seq
    latest = desk.get(attempt.latest) if attempt is not None and known else None
    return Earlier(first=first, latest=latest or first)


def _over(desk: Desk, event: Event, draft: Draft) -> bool:
    """Whether the end of an attempt's call was reported: asking again cannot make it run."""
    ended = call_key(draft.scope, "tool", event.call_id, draft.body.get("identity"))
    return desk.find(ended) is not None


def _judged(
    desk: Desk,
    draft: Draft,
    earlier: Earlier | None,
    at: str,
    commands: tuple[str, ...],
    *,
    over: bool = False,
) -> Answer:
    judged = judge(desk.begin(at), draft, earlier, desk.configuration, commands)
    if over and earlier is not None and judged.pending.entries:
        return _too_late(desk, draft.scope, earlier.first.seq)
    desk.take(judged.pending)
    answer = _answer(desk, draft.scope, judged.entry.seq, _after(judged))
    return replace(
        answer,
        duplicate=judged.repeated,
        verdict=judged.verdict,
        rule=judged.rule,
        reason=judged.reason,
        would=judged.would,
        ends_turn=judged.ends_turn,
    )


def _too_late(desk: Desk, scope: str, first: int) -> Answer:
    """The answer to an attempt whose call is over, where another one would have to be logged."""
    enforcing = desk.configuration.enforcement == "enforce"
    return replace(
        _answer(desk, scope, first, ()),
        duplicate=True,
        verdict="deny" if enforcing else "none",
        rule="fault" if enforcing else None,
        reason=f"[floorboss {first}] this call has ended; a new one needs an id of its own.",
    )


def _after(judged: Judged) -> tuple[Entry, ...]:
    return tuple(entry for entry in judged.pending.entries if entry.seq != judged.entry.seq)


def _repeated(desk: Desk, event: Event, first: Entry) -> Answer:
    answer = _answer(desk, event.scope, first.seq, desk.caused_by(first.seq))
    return replace(answer, duplicate=True)


def _answer(desk: Desk, scope: str, seq: int, fired: Iterable[Entry]) -> Answer:
    held = in_force(desk.book, scope, desk.configuration)
    modes = tuple(mode.name for mode in held.modes)
    return Answer(
        seq=seq,
        duplicate=False,
        mode=modes[0],
        posture=held.policies[0].posture,
        also=modes[1:],
        fired=tuple(fired),
    )


def event_key(event: Event) -> str | None:
    """The key of an event that brings an id of its own; a session's id holds no `/`."""
    return None if event.event_id is None else f"event:{event.session_id}/{event.event_id}"


def _key(arrival: Arrival, body: Mapping[str, Json]) -> str | None:
    """What makes an event a repeated one; None: it never is."""
    event = arrival.event
    if arrival.origin == "hooks" and event.kind == "prompt" and event.turn_id is not None:
        return f"prompt:{event.session_id}/{event.turn_id}"
    if event.event_id is not None or event.kind not in ("tool", "attempt", "artifact"):
        return event_key(event)
    if event.call_id is None:
        return None
    # What a batch cannot tell must not stand in the way of an end that is reported later.
    vague = arrival.batched and event.outcome == "unknown"
    phase = "closed" if vague else event.kind
    return call_key(event.scope, phase, event.call_id, body.get("identity"))


def call_key(scope: str, phase: str, call_id: Json, identity: Json) -> str:
    """The key of one phase of one call: `attempt`, `tool`, or `closed` when no end was told."""
    # With the scope's length, as both it and the call's id may hold any of these signs.
    return f"call:{phase}:{len(scope)}:{scope}:{call_id}:{identity}"


def session_of_key(key: str) -> str | None:
    """The only session whose entries can have a key made here; None for any other key."""
    form, _, rest = key.partition(":")
    if form in ("event", "prompt"):
        return rest.partition("/")[0]
    if form != "call":
        return None
    _, length, rest = rest.split(":", 2)
    return session_of(rest[: int(length)])


def fingerprint(event: Event) -> str:
    """A digest, 16 hex digits, of everything an event says."""
    text = _CANONICAL(dict(zip(_SAID, _said(event), strict=True)))
    return sha256(text.encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(type(value).__name__)


_SAID = tuple(sorted(field.name for field in fields(Event)))
_said = attrgetter(*_SAID)
# made once: `json.dumps` with options makes an encoder each time, for the price of the encoding
_CANONICAL = json.JSONEncoder(
    sort_keys=True, default=_plain, ensure_ascii=True, check_circular=False
).encode
