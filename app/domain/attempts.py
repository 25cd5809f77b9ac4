"""The verdict on one attempt: cross if a person allowed that, decide, append before answering.

    judge(pending, draft, earlier, configuration) -> Judged

A repeated attempt is judged again under what is in force now: the verdict given last writes
nothing, another one is a further `decided` that refers to the first and is counted nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.bodies import held_names, value_body, was
from app.domain.boundary import closed
from app.domain.calls import reading_of
from app.domain.configuration import Configuration
from app.domain.controller import record
from app.domain.crossing import Side, crossing, open_tests
from app.domain.entries import Draft, Entry, agent_of
from app.domain.escalation import escalating, pressing
from app.domain.events import Json
from app.domain.evolve import introduced
from app.domain.expiry import expired
from app.domain.governor import Attempt, governed
from app.domain.modes import Mode, Verdict
from app.domain.narrowing import direction
from app.domain.observations import text_of
from app.domain.policy import decide
from app.domain.reasons import reason
from app.domain.replacing import replace
from app.domain.restrictions import Call, Decision, InForce
from app.domain.returns import settled
from app.domain.state import Book, Session, in_force, newest, own_value, stream_of, supposed
from app.domain.transaction import Pending

OURS: Final = frozenset(
    {"verdict", "would", "rule", "reason", "mode", "posture", "escalated", "ends_turn", "soft"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What was said about the same attempt before: the first entry, the newest."""

    first: Entry
    latest: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The answer to one attempt, and the transaction that keeps it."""

    pending: Pending
    entry: Entry  # the decided entry the answer stands in
    verdict: str
    rule: str | None
    reason: str | None
    would: str | None = None  # in `observe`: the verdict that enforcement would give
    ends_turn: bool = False  # the harness shall end the turn, if it can
    repeated: bool = False


def judge(
    pending: Pending,
    draft: Draft,
    earlier: Earlier | None,
    configuration: Configuration,
    commands: tuple[str, ...] = (),
) -> Judged:
    """Judge the attempt that `draft` describes; `earlier` is what was said about it before.

    `commands` are the simple commands of a shell line; denials look at them, the log does not.
    """
    call = _call(draft, commands)
    pending = expired(pending, draft.scope, configuration)
    pending = _crossed(pending, draft, call, configuration)
    decision = _decide(_introduced(pending.book, draft), draft.scope, call, configuration)
    soft: list[Json] = []
    if configuration.soft:
        decision, soft = _governed(pending.book, draft, call, decision, earlier, configuration)
    if earlier is not None and _same(earlier.latest, decision, configuration):
        pending = settled(pending, draft.scope, configuration)
        return _judged(pending, earlier.latest, repeated=True)
    said = {key: value for key, value in draft.body.items() if key not in OURS}
    body = {**said, **_verdict_body(decision, pending.book.head + 1, configuration)}
    if soft:
        body["soft"] = soft
    if earlier is not None:
        draft = replace(draft, ref=earlier.first.seq, dedup_key=None)
    elif body["verdict"] == "deny":
        body = _pressed(pending.book, draft, body, configuration)
    draft = replace(draft, body=body)
    place = len(pending.entries)
    pending = record(pending, draft, configuration)
    return _judged(pending, pending.entries[place])


def _governed(
    book: Book,
    draft: Draft,
    call: Call,
    decision: Decision,
    earlier: Earlier | None,
    configuration: Configuration,
) -> tuple[Decision, list[Json]]:
    """What the soft rules make of a verdict; the same attempt asked again draws no other lot."""
    attempt = Attempt(
        call=call,
        identity=text_of(draft.body, "identity") or "",
        scope=draft.scope,
        seq=book.head + 1 if earlier is None else earlier.first.seq,
        stream=stream_of(book.session(draft.scope), agent_of(draft.scope)),
        policies=in_force(_introduced(book, draft), draft.scope, configuration).policies,
        said=[] if earlier is None else [*_drawn(earlier.first), *_drawn(earlier.latest)],
    )
    return governed(decision, configuration.soft, attempt)


def _drawn(entry: Entry) -> Iterator[dict[str, Json]]:
    """What an entry says of the soft rules that drew; one that was lifted then did not."""
    said = entry.body.get("soft")
    for each in said if isinstance(said, list) else ():
        if isinstance(each, dict) and "draw" in each:
            yield each


def _pressed(
    book: Book, draft: Draft, body: dict[str, Json], configuration: Configuration
) -> dict[str, Json]:
    """The body of a denial; of a step that was blocked before it says more."""
    stream = stream_of(book.session(draft.scope), agent_of(draft.scope))
    rule, reading = text_of(body, "rule"), reading_of(draft.body)
    said = escalating(stream, reading, rule, configuration.thresholds)
    if not said:
        return body
    return {**body, **said, "reason": pressing(text_of(body, "reason") or "", said)}


def _same(entry: Entry, decision: Decision, configuration: Configuration) -> bool:
    """Whether an entry says what would be said now, in `observe` also what would be denied."""
    now = _verdict_body(decision, entry.seq, configuration)
    return all(entry.body.get(key) == now.get(key) for key in ("verdict", "would"))


def _answered(verdict: Verdict, configuration: Configuration) -> Verdict:
    """What the harness hears: in `observe` nothing is denied."""
    return verdict if configuration.enforcement == "enforce" else "none"


def _call(draft: Draft, commands: tuple[str, ...]) -> Call:
    """The call an attempt describes, as the verdict sees it."""
    reading = reading_of(draft.body)
    return Call(
        tool=text_of(draft.body, "tool") or "",
        tool_class=reading.tool_class,
        effects=reading.effects,
        targets=reading.targets,
        part=reading.part,
        commands=commands,
    )


def _introduced(book: Book, draft: Draft) -> Book:
    """The book as the attempt leaves it: the first call of an agent is judged by who started it."""
    session = book.session(draft.scope)
    parents = introduced(session, draft.scope, draft.body)
    if parents is session.parents:
        return book
    return book.with_session(replace(session, parents=parents))


def _crossed(pending: Pending, draft: Draft, call: Call, configuration: Configuration) -> Pending:
    """Cross the test boundary for this attempt where a standing approval lets it."""
    book = _introduced(pending.book, draft)
    session = book.session(draft.scope)
    own = own_value(book, session.id, "mode", configuration)
    standing = configuration.standing.get("boundary")
    if standing is None or book.configured is None or not isinstance(own, Mode):
        return pending

    def under(side: Side) -> InForce:
        moved = supposed(book, session.id, "mode", configuration.modes[side])
        return in_force(moved, draft.scope, configuration)

    side = crossing(
        own=own.name,
        movable=_movable(session),
        under=under,
        call=call,
        red=closed(session),
        uses_left=standing.uses - session.crossings,
        written_here=session.written,
    )
    if side is None:
        return pending
    return pending.append(*_crossing_drafts(pending, draft.scope, side, configuration))


def _movable(session: Session) -> bool:
    """Whether the session's mode is the default or came by the standing approval itself."""
    mode = newest(session, session.id, "mode")
    return mode is None or text_of(mode.body, "standing") == "boundary"


def _crossing_drafts(
    pending: Pending, scope: str, side: Side, configuration: Configuration
) -> tuple[Draft, Draft]:
    """What a crossing writes: the use of the approval, and the mode of the session."""
    book, session = pending.book, pending.book.session(scope)
    configured = book.configured
    assert configured is not None  # an approval is used only where one is configured
    own, mode = own_value(book, session.id, "mode", configuration), configuration.modes[side]
    held = in_force(supposed(book, session.id, "mode", mode), session.id, configuration)
    uses = session.crossings + (1 if side == "test_development" else 0)
    limit = configuration.standing["boundary"].uses
    approved = Draft(
        kind="approved",
        scope=session.id,
        action="mode",
        actor=configured.actor,
        ref=configured.seq,
        body={"standing": "boundary", "use": uses, "of": limit, "in_force": held_names(held)},
    )
    applied = Draft(
        kind="applied",
        scope=session.id,
        action="mode",
        actor=configured.actor,
        direction=direction(own, mode),
        ref=book.head + 1,
        body={
            **value_body(mode),
            "was": was(own),
            "because": [{"rule": "standing:boundary"}],
            "standing": "boundary",
        },
    )
    return approved, applied


def _decide(book: Book, scope: str, call: Call, configuration: Configuration) -> Decision:
    session = book.session(scope)
    tests = open_tests(red=closed(session), written=session.written)
    decision = decide(in_force(book, scope, configuration), call, tests)
    if decision.rule != "boundary" or not session.closing:
        return decision
    return replace(decision, notice=session.closing)


def _verdict_body(decision: Decision, seq: int, configuration: Configuration) -> dict[str, Json]:
    body: dict[str, Json] = {
        "verdict": _answered(decision.verdict, configuration),
        "mode": decision.mode,
        "posture": decision.posture,
    }
    if decision.verdict != "none":
        soft = decision.rule == "soft"
        rule = f"soft:{decision.detail}" if soft else decision.rule
        body |= {"rule": rule, "reason": reason(decision, seq)}
    if body["verdict"] != decision.verdict:
        body["would"] = decision.verdict
    return body


def _judged(pending: Pending, entry: Entry, *, repeated: bool = False) -> Judged:
    return Judged(
        pending=pending,
        entry=entry,
        verdict=text_of(entry.body, "verdict") or "none",
        rule=text_of(entry.body, "rule"),
        reason=text_of(entry.body, "reason"),
        would=text_of(entry.body, "would"),
        ends_turn="ends_turn" in entry.body,
        repeated=repeated,
    )
