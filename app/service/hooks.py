"""What a harness's hooks report, and what floorboss says to them.

    hear(control, report)   write the events of one hook and close the calls that are over;
                            within two seconds, with or without the log

A call is over without an end when its batch, a prompt, the turn's end or the session's end comes
first: a person refused or stopped it, and the harness says nothing. It is written as `unknown`,
which counts nowhere; what we denied ourselves is written as blocked, which counted when we did.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from app.domain.controller import record
from app.domain.entries import RESTRICTIONS, Draft, agent_of
from app.domain.events import Json
from app.domain.observations import text_of
from app.domain.standing import outlook
from app.domain.state import Session, overrides_for, stream_of
from app.domain.telling import advised, handed, reminder
from app.harness.base import Report
from app.service.control import SLICE, VERDICT_WITHIN, Control
from app.service.desk import Desk
from app.service.intake import Answer, Arrival, call_key, receive
from app.service.writer import Unavailable

# What the entry of a call without an end repeats of its attempt.
KEPT: Final = ("harness", "session_id", "agent_id", "turn_id", "call_id", "tool", "hooks")
READ: Final = ("class", "identity")
TOLD: Final = ("attempt", "prompt")  # the events whose answer repeats what is in force
FOLDED_WITHIN: Final = 1.5  # seconds an attempt waits for a long session, within the two of all
LATE: Final = Unavailable(cause="the log did not answer in time")
_late: Final[set[asyncio.Task[Heard | Unavailable]]] = set()  # still being written


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the events of one hook came to, in their order; what the agent is reminded of."""

    answers: tuple[Answer, ...] = ()
    reminder: str | None = None
    ended: str | None = None  # why the turn ends with this batch; None: it goes on
    handed: tuple[str, ...] = ()  # to the person: what was handed over, what a model answered


async def hear(control: Control, report: Report) -> Heard | Unavailable:
    """Write what one hook reports; unavailable after two seconds at the latest.

    An attempt that is answered without the log is given up; any other event is still written.
    """
    if not _verdicts(report):
        return await _heard_in_time(control, report)
    try:
        async with asyncio.timeout(VERDICT_WITHIN):
            return await _hear(control, report)
    except TimeoutError:
        return LATE


async def _heard_in_time(control: Control, report: Report) -> Heard | Unavailable:
    task = asyncio.ensure_future(_hear(control, report))
    done, _ = await asyncio.wait({task}, timeout=VERDICT_WITHIN)
    if done:
        return task.result()
    _late.add(task)
    task.add_done_callback(_late.discard)
    return LATE


async def _hear(control: Control, report: Report) -> Heard | Unavailable:
    heard, asked = Heard(), _verdicts(report)
    if not await control.at_hand(report.scope, FOLDED_WITHIN if asked else None):
        control.writer.missed(verdicts=asked)
        return Unavailable(cause="a long session is being read from it")
    left = len(report.events) - asked  # when a part cannot be logged, nothing behind it comes
    for part in _slices(report):
        verdicts = _verdicts(part)
        arrivals = await control.looked(_arrivals(part))
        work = partial(receive_report, part, looked=arrivals)
        result = await control.write(work, events=left, verdicts=verdicts)
        left -= len(part.events) - verdicts
        if isinstance(result, Unavailable):
            return result
        heard = Heard(
            answers=(*heard.answers, *result.answers),
            reminder=result.reminder,
            handed=(*heard.handed, *result.handed),
            ended=heard.ended or result.ended,
        )
    return heard


def _verdicts(report: Report) -> int:
    return sum(event.kind == "attempt" for event in report.events)


def _slices(report: Report) -> Iterator[Report]:
    """The parts of a large batch; only the last of them closes what is over."""
    last = max(0, len(report.events) - 1) // SLICE
    for part in range(last + 1):
        events = report.events[part * SLICE : (part + 1) * SLICE]
        closes = report.closes if part == last else "nothing"
        yield replace(report, events=events, closes=closes)


def _arrivals(report: Report) -> tuple[Arrival, ...]:
    return tuple(
        Arrival(event=event, origin="hooks", batched=report.batched) for event in report.events
    )


def receive_report(
    report: Report, desk: Desk, at: str, looked: Sequence[Arrival] | None = None
) -> Heard:
    """Make the events of one hook entries, and close the calls that are over, on the desk.

    `looked`: its events with the test files as they are; None: nobody looked.
    """
    arrivals = _arrivals(report) if looked is None else looked
    before = desk.load(report.scope)
    if not report.batched:
        _close(desk, report, at)
    answers = tuple(receive(desk, arrival, at) for arrival in arrivals)
    if report.batched:
        _close(desk, report, at)
    due = before.remind or before.unheard is not None
    told = due and any(e.kind in TOLD and e.agent_id is None for e in report.events)
    return Heard(
        answers=answers,
        reminder=_in_force(desk, report.scope, before.unheard) if told else None,
        handed=(
            *(_advised(desk, report.scope, before.unheard) if told else ()),
            *_handed(desk, report, answers),
        ),
        ended=_ended(desk, before, report.scope, answers) if report.batched else None,
    )


def _ended(desk: Desk, before: Session, scope: str, answers: tuple[Answer, ...]) -> str | None:
    """Why a batch ends the turn: one of its calls was denied so, and some clients go on even so."""
    escalation = stream_of(before, agent_of(scope)).escalation
    if escalation is None or not escalation.ended:
        return None
    told = (desk.get(answer.seq) for answer in answers)
    seqs = (entry.seq if entry.kind == "decided" else entry.ref for entry in told if entry)
    asked = (desk.get(seq) for seq in seqs if seq is not None)
    ended = (entry.body for entry in asked if entry is not None and "ends_turn" in entry.body)
    return next((text_of(body, "reason") for body in ended), None)


def _in_force(desk: Desk, scope: str, unheard: int | None) -> str | None:
    overrides = (o for action in RESTRICTIONS for o in overrides_for(desk.book, scope, action))
    return reminder(overrides, None if unheard is None else desk.get(unheard))


def _advised(desk: Desk, scope: str, unheard: int | None) -> Iterator[str]:
    """What a model's answer came to since the person was last told anything, if it did."""
    entry = None if unheard is None else desk.get(unheard)
    if entry is not None and "proposer" in entry.body:
        open_ = desk.load(scope).proposals.values()
        yield advised(entry, next((p.seq for p in open_ if p.returns == entry.seq), None))


def _handed(desk: Desk, report: Report, answers: tuple[Answer, ...]) -> Iterator[str]:
    """What an agent handed over, for the person; a use of a standing approval tells itself."""
    for event, answer in zip(report.events, answers, strict=True):
        if event.kind != "artifact" or answer.duplicate:
            continue
        used = any(entry.kind == "approved" for entry in answer.fired)
        entry = None if used else desk.get(answer.seq)
        told = entry and handed(entry, outlook(desk.book, entry, desk.configuration))
        if told:
            yield told


def _close(desk: Desk, report: Report, at: str) -> None:
    """Write an end for each call that is over without one."""
    if report.closes == "nothing":
        return
    session, agent = desk.load(report.scope), agent_of(report.scope)
    for seq, (whose, _) in sorted(session.open.items()):
        if report.closes == "session" or whose == agent:
            draft = _closing(desk, seq, report.hook)
            if draft is not None:
                desk.take(record(desk.begin(at), draft, desk.configuration))


def _closing(desk: Desk, seq: int, hook: str) -> Draft | None:
    """The end of one attempt's call; None where an end was reported before the attempt was."""
    attempt = desk.get(seq)
    if attempt is None:
        return None
    said = {name: attempt.body[name] for name in (*KEPT, *READ) if name in attempt.body}
    call = (said.get("call_id"), said.get("identity"))
    closed = call_key(attempt.scope, "closed", *call)
    if desk.find(closed) or desk.find(call_key(attempt.scope, "tool", *call)):
        return None
    return Draft(
        kind="observed",
        scope=attempt.scope,
        action="tool",
        actor=f"harness:{said.get('harness')}",
        ref=seq,
        dedup_key=closed,
        body={**said, **_end(attempt.body.get("verdict"), attempt.body.get("rule")), "end": hook},
    )


def _end(verdict: Json, rule: Json) -> dict[str, Json]:
    if verdict != "deny":
        return {"outcome": "unknown"}
    return {"outcome": "blocked", "denied_by": "controller", "rule": rule, "ours": True}
