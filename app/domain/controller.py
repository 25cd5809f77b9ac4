"""The reaction: what the controller does about an entry, as drafts of further entries.

    react(book, entry, configuration)      the first check that tripped and was not answered yet
    record(pending, draft, configuration)  append, react until nothing trips, settle (returns.py)

A change is automatic if and only if it narrows; everything else is a notice or a
proposal. Nothing here reads a clock or stores a flag.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from app.domain.bodies import because, held_names, value_body, was
from app.domain.boundary import unproven
from app.domain.calls import reading_of
from app.domain.checks import Trip, tripped
from app.domain.configuration import POSTURES, Configuration, Posture
from app.domain.entries import (
    MACHINE,
    Action,
    Draft,
    Entry,
    agent_of,
)
from app.domain.events import Json
from app.domain.expiry import expired
from app.domain.governor import lifted, steps_of
from app.domain.handoff import handoff
from app.domain.handovers import references
from app.domain.limits import Limit, limit_json
from app.domain.modes import Mode
from app.domain.narrowing import direction
from app.domain.observations import text_of
from app.domain.proposals import crowded, open_twin
from app.domain.replacing import replace
from app.domain.restrictions import PATTERNS, InForce, Policy
from app.domain.returns import end, settled
from app.domain.standing import WAKING, granted
from app.domain.state import (
    Book,
    Session,
    in_force,
    newest,
    own_value,
    stream_of,
    supposed,
)
from app.domain.succession import begins, inherited
from app.domain.tightening import tightening
from app.domain.transaction import Pending

REACTIONS = 16  # checks answered for one entry; a latch makes each of them fire once
ADVISORY_AFTER = 2  # reverts by a person of one rule in a session
OBSERVED = frozenset({"observed", "decided"})  # the kinds that can make a check trip


def record(pending: Pending, draft: Draft, configuration: Configuration) -> Pending:
    """Append one draft and everything that follows from it."""
    new = begins(pending.book.session(draft.scope), draft)
    pending = pending.append(draft)
    entry = pending.last
    if new:
        pending = pending.append(*inherited(pending.book, entry, configuration))
    if draft.kind in OBSERVED:
        pending = _reacted(pending, entry, configuration)
    if draft.action in WAKING and draft.kind == "observed":
        pending = granted(pending, entry, configuration)
    if pending.book.everywhere.limited or pending.book.session(draft.scope).limited:
        pending = expired(pending, draft.scope, configuration)
    return settled(pending, draft.scope, configuration)


def _reacted(pending: Pending, entry: Entry, configuration: Configuration) -> Pending:
    for _ in range(REACTIONS):
        drafts = react(pending.book, entry, configuration)
        if not drafts:
            break
        pending = pending.append(*drafts)
    return pending


def react(book: Book, entry: Entry, configuration: Configuration) -> tuple[Draft, ...]:
    """The entries that follow from `entry` for the first check that tripped and has an answer."""
    if entry.action == "compaction" and entry.kind == "observed":
        return _compacted(book, entry, configuration)
    session = book.session(entry.scope)
    if session.unproven is not None and (notice := unproven(book, entry)) is not None:
        return (notice,)
    stream = stream_of(session, agent_of(entry.scope))
    for trip in tripped(stream, configuration.thresholds):
        drafts = tuple(_answer(book, entry, trip, configuration))
        if drafts:
            return drafts
    return ()


def _compacted(book: Book, entry: Entry, configuration: Configuration) -> tuple[Draft, ...]:
    """The harness did what `compact` asked for: the signal, or the wish for one, is over."""
    session = book.session(entry.scope)
    signal = newest(session, entry.scope, "compact")
    over = [] if signal is None else [signal.seq]
    over += (
        seq
        for seq, each in sorted(session.proposals.items())
        if (each.scope, each.action) == (entry.scope, "compact")
    )
    held = held_names(in_force(book, entry.scope, configuration)) if over else {}
    why = "the harness compacted"
    return tuple(end(entry.scope, "compact", seq, why, held) for seq in over)


def _answer(book: Book, entry: Entry, trip: Trip, configuration: Configuration) -> Iterator[Draft]:
    match trip.response:
        case "mode":
            yield from _mode_answer(book, entry, trip, configuration)
        case "notice":
            yield _notice(entry, trip, trip.detail)
            if trip.rule == "escalation":
                yield from _lifted_step(book, entry, trip, configuration)
        case "compact":
            yield _signal(entry, trip)
        case "looser_posture":
            yield from _looser_posture(book, entry, trip, configuration)
        case "proposal":
            yield from _proposed_mode(book, entry, trip, configuration)
        case _:
            assert_never(trip.response)


def _mode_answer(
    book: Book, entry: Entry, trip: Trip, configuration: Configuration
) -> Iterator[Draft]:
    """The mode a rule wants, for each scope that it concerns; else one notice."""
    session = book.session(entry.scope)
    if _expected(trip, in_force(book, entry.scope, configuration)):
        return
    if trip.advice or session.taken_back.get(trip.rule, 0) >= ADVISORY_AFTER:
        yield _notice(entry, trip, trip.detail)
        return
    changes = tuple(
        change
        for scope in _concerned(session, entry.scope, trip.rule)
        if (change := _tightening(book, entry, trip, scope, configuration)) is not None
    )
    yield from changes or (_notice(entry, trip, trip.detail),)


def _expected(trip: Trip, held: InForce) -> bool:
    """One red run means something in implementation only: elsewhere tests are meant to be red."""
    first = trip.rule == "test_failure" and trip.threshold <= 1
    return first and held.modes[0].name != "implementation"


def _concerned(session: Session, scope: str, rule: str) -> tuple[str, ...]:
    """The agent whose counter tripped; its session too when a second agent falls for one rule."""
    agent = agent_of(scope)
    others = session.fired_by.get(rule, frozenset[str]()) - {agent}
    return (scope, session.id) if agent and others else (scope,)


def _tightening(
    book: Book, entry: Entry, trip: Trip, scope: str, configuration: Configuration
) -> Draft | None:
    """The automatic change of one scope, or None where it would not narrow what is in force."""
    agent, session = agent_of(entry.scope), book.session(entry.scope)
    evidence: dict[str, Json] = {
        "because": [because(trip, agent)],
        "handoff": handoff(stream_of(session, agent), trip, references(session, agent)),
    }
    for action, value in _wanted(book, trip, scope, configuration):
        draft = tightening(book, entry, scope, action, value, evidence, configuration)
        if draft is not None:
            return draft
    return None


def _wanted(
    book: Book, trip: Trip, scope: str, configuration: Configuration
) -> Iterator[tuple[Action, Mode | Policy]]:
    """The values a rule asks for, best first: its mode, and for denials a tighter posture."""
    if trip.target is not None:
        yield "mode", configuration.modes[trip.target]
    if trip.rule == "denials":
        own = own_value(book, scope, "policy", configuration)
        assert isinstance(own, Policy)
        for posture in tighter_postures(own.posture):
            yield "policy", replace(own, posture=posture)


def tighter_postures(posture: Posture) -> tuple[Posture, ...]:
    """The steps of the permission ladder below `posture`, the next one first."""
    return POSTURES[POSTURES.index(posture) + 1 :]


def _notice(entry: Entry, trip: Trip, text: str) -> Draft:
    return Draft(
        kind="applied",
        scope=entry.scope,
        action="notice",
        actor=MACHINE,
        ref=entry.seq,
        body={"notice": text, "because": [because(trip, agent_of(entry.scope))]},
    )


def _signal(entry: Entry, trip: Trip) -> Draft:
    """Ask for a compaction: a signal to agent and person, no restriction."""
    draft = _notice(entry, trip, trip.detail)
    return replace(draft, action="compact")


def _looser_posture(
    book: Book, entry: Entry, trip: Trip, configuration: Configuration
) -> Iterator[Draft]:
    """A streak proposes one step up the ladder; at the person's ceiling there is none."""
    own = own_value(book, entry.scope, "policy", configuration)
    assert isinstance(own, Policy)
    step = POSTURES.index(own.posture) - 1
    if step < POSTURES.index(configuration.ceiling):
        return
    value = replace(own, posture=POSTURES[step])
    yield from _proposal(book, entry, trip, "policy", value, configuration)


def _lifted_step(
    book: Book, entry: Entry, trip: Trip, configuration: Configuration
) -> Iterator[Draft]:
    """What a person can say yes to where a soft rule stopped a step: this step may pass."""
    rule = text_of(entry.body, "rule") or ""
    own = own_value(book, entry.scope, "policy", configuration)
    if not rule.startswith("soft:") or trip.key == "further" or not isinstance(own, Policy):
        return
    name, reading = rule.removeprefix("soft:"), reading_of(entry.body)
    paths = tuple(target.path for target in reading.targets)
    value = replace(own, lifted=(*own.lifted, *steps_of(name, reading.identity, paths)))
    then = in_force(supposed(book, entry.scope, "policy", value), entry.scope, configuration)
    if len(value.lifted) <= PATTERNS and lifted(name, then.policies, reading.identity, paths):
        drafts = _proposal(book, entry, trip, "policy", value, configuration)
        yield from (_until_its_end(draft, own, value) for draft in drafts)


def _until_its_end(draft: Draft, own: Policy, value: Policy) -> Draft:
    """A loosening that holds until the session ends, where its end would free nothing."""
    if direction(value, own) == "loosen":
        return draft
    return replace(draft, body={**draft.body, "limit": limit_json(Limit(kind="session"))})


def _proposed_mode(
    book: Book, entry: Entry, trip: Trip, configuration: Configuration
) -> Iterator[Draft]:
    if trip.target is None:
        return
    value = configuration.modes[trip.target]
    if was(own_value(book, entry.scope, "mode", configuration)) == value.name:
        return
    yield from _proposal(book, entry, trip, "mode", value, configuration)


def _proposal(
    book: Book,
    entry: Entry,
    trip: Trip,
    action: Action,
    value: Mode | Policy,
    configuration: Configuration,
) -> Iterator[Draft]:
    session = book.session(entry.scope)
    if open_twin(session, entry.scope, action, value) is not None or crowded(session, entry.scope):
        return
    own = own_value(book, entry.scope, action, configuration)
    yield Draft(
        kind="proposed",
        scope=entry.scope,
        action=action,
        actor=MACHINE,
        direction=direction(own, value),
        ref=entry.seq,
        body={
            **value_body(value),
            "was": was(own),
            "because": [because(trip, agent_of(entry.scope))],
            "configuration": configuration.digest,
        },
    )
