"""The counters: what one more entry makes of a stream. Pure, and free of any configuration.

    finished(stream, call)    a call ended          asked(stream, call)   a verdict was given
    prompted(stream, person)  a prompt              turned(stream)        the turn ended
    compacted(stream)         the context was cut   used(stream, usage)   tokens, cost, seconds
    fired(stream, causes)     an entry says that comparisons tripped
    zeroed(stream, causes)    a person took such an entry back

Each of them counts in one copy of the stream, the step, and freezes it at the end (stream.py).

Order of work for a finished call, from docs/detection.md 1: unknown, interrupted and cancelled
calls count nowhere; a repeated call of one batch is no second vote; then blocked, denied,
bookkeeping, and at last the ordinary call.
"""

from __future__ import annotations

from app.domain.calls import Call
from app.domain.events import Usage
from app.domain.failures import failures
from app.domain.interventions import (
    Said,
    allowed,
    another_turn,
    blocked,
    denied,
    escalated,
    let_through,
    row_of,
    sampled,
)
from app.domain.latches import aged, fired, opened, zeroed
from app.domain.novelty import changed, learnt
from app.domain.repeats import cleared, noted, progressed, repeated
from app.domain.replacing import replace
from app.domain.stream import (
    DRAWS,
    EMPTY,
    NO_FAILURE,
    RECENT,
    VOTES,
    Cause,
    Counting,
    Latch,
    Recent,
    Repeat,
    Slot,
    Stream,
    Touch,
    counting,
)

__all__ = (
    "EMPTY",
    "Cause",
    "Latch",
    "Repeat",
    "Stream",
    "Touch",
    "asked",
    "compacted",
    "finished",
    "fired",
    "prompted",
    "turned",
    "used",
    "zeroed",
)

NOWHERE = frozenset({"unknown", "interrupted", "cancelled"})  # outcomes that count nowhere
LOOKING = frozenset({"read", "search", "test"})  # classes whose calls look at something
SEEING = frozenset({"read", "test"})  # effects of shell lines that do
USUAL_CONTEXT = 200_000  # tokens, where the harness names no limit


def finished(stream: Stream, call: Call, *, counted: bool = True, refused: bool = False) -> Stream:
    """After a call ended.

    `counted` False: its block was counted when its verdict was given. `refused`: its denial is
    the answer to our own `ask`, so it is an intervention and no denial.
    """
    step = counting(stream)
    _reported(step, call)
    if call.outcome == "blocked" and not counted:
        _remember(step, call)
    elif call.outcome not in NOWHERE and not _voted(step, call):
        _batched(step, call)
        _ticked(step, call)
        _counted(step, call, refused=refused)
        aged(step)
    return step.frozen()


def _counted(step: Counting, call: Call, *, refused: bool) -> None:
    if call.outcome == "blocked" or (call.outcome == "denied" and refused):
        blocked(step, call, call.rule, ours=call.outcome == "denied" or call.reading.ours)
    elif call.outcome == "denied":
        denied(step, call)
    else:
        _ran(step, call, Slot(call.seq))


def _ran(step: Counting, call: Call, empty: Slot) -> None:
    """A call that was let through; `empty` is its place in windows where it weighs nothing."""
    allowed(step, empty, call)
    if looks(call):
        step.looked = call.seq
    if call.reading.tool_class == "talk":
        if learnt(step, call) == "stale":
            noted(step, call)
        return
    failures(step, call, empty)
    novelty = learnt(step, call)
    change = changed(step, call, novelty)
    if change:
        cleared(step)
    if call.reading.edit is not None and not call.reading.failed:
        step.edited = True
    repeated(step, call, novelty)
    progressed(step, call, novelty, empty, change=change)


def looks(call: Call) -> bool:
    """Whether a call looks at something and does nothing else, be it by a shell line."""
    reading = call.reading
    if reading.tool_class in LOOKING:
        return True
    return reading.tool_class == "shell" and all(effect in SEEING for effect in reading.effects)


def asked(stream: Stream, call: Call, said: Said, rule: str | None = None) -> Stream:
    """After a verdict on an attempt; one that denied is an intervention and counts here."""
    step = counting(stream)
    _reported(step, call)
    step.asks = True
    step.attempts += 1
    if said.soft is not None:
        _drawn(step, call, said, rule)
    if said.verdict == "deny":
        step.calls += 1
        step.after_terminal += int(step.terminal)
        escalated(step, call, blocked(step, call, rule, ours=True), said)
        aged(step)
    elif said.verdict == "none" and (step.blocks or step.escalation is not None):
        let_through(step, call)
    return step.frozen()


def _drawn(step: Counting, call: Call, said: Said, rule: str | None) -> None:
    """What soft rules drew; what they stopped is induced if its step was stopped just before."""
    again = row_of(step, call.reading, rule) > 1
    for name, was_induced in sampled(said.soft, again=again):
        draws = (*(step.draws.get(name) or ()), was_induced)
        step.draws = step.draws.put(name, draws[-DRAWS:])


def prompted(stream: Stream, person: bool) -> Stream:
    """After a prompt; one that a person wrote starts everything again but the windows of rates."""
    step = counting(stream)
    _untouched(step)
    _new_turn(step)
    if person:
        opened(step)
        step.seen, step.edits, step.done = EMPTY.seen, EMPTY.edits, EMPTY.done
        step.repeats, step.stale, step.idle = {}, (), NO_FAILURE
        step.errors, step.error_streak = (), NO_FAILURE
        step.failed_edits, step.targets = EMPTY.failed_edits, EMPTY.targets
        step.failing_names = EMPTY.failing_names
        step.denials, step.blocks, step.escalation = (), (), None
    step.escalation = another_turn(step.escalation)
    return step.frozen()


def turned(stream: Stream) -> Stream:
    """After the turn ended: green with edits before it means done, and is said once."""
    done = stream.done_green and not stream.edited
    return replace(
        stream,
        touched=(("review", "green"),) if done else (),
        ended_green=done,
        done_green=False,
        turn_over=True,
        batch=None,
        votes=frozenset(),
        batch_denied=False,
        escalation=another_turn(stream.escalation),
    )


def compacted(stream: Stream) -> Stream:
    """After a compaction: what was read may be read once more, and repeats start again.

    What brought nothing before it still counts (docs/detection.md 1.4): an agent that reads all
    of it again after each compaction learns nothing either.
    """
    return replace(
        stream,
        touched=(),
        generation=stream.generation + 1,
        repeats={},
    )


def used(stream: Stream, usage: Usage | None, day: str = "", seq: int = 0) -> Stream:
    """After usage was reported for the turn; `day` is the date it counts for, YYYY-MM-DD."""
    if usage is None:
        return stream
    day = day or stream.cost_day
    kept = tuple(touch for touch in stream.touched if touch[0] == "review")  # the turn's own end
    touches = (("cost", "spent"), ("tokens_written", "count"), ("turn_seconds", "count"))
    return replace(
        stream,
        touched=(*kept, *touches),
        usage_seq=seq,
        cost_day=day,
        cost=(stream.cost if day == stream.cost_day else 0.0) + (usage.cost or 0.0),
        tokens_written=stream.tokens_written + (usage.output_tokens or 0),
        turn_seconds=stream.turn_seconds + (usage.seconds or 0.0),
    )


def _reported(step: Counting, call: Call) -> None:
    """What every event may say besides: how full the context is, what the coverage lacks."""
    _untouched(step)
    if step.turn_over:
        _new_turn(step)
    if call.context_tokens is not None:
        step.context = call.context_tokens / (call.context_limit or USUAL_CONTEXT)
        step.context_seq = call.seq
        step.touch("context", "share")
    if call.gap is not None:
        step.gap, step.gap_seq = call.gap, call.seq
        if call.gap:
            step.touch("coverage", "gap")


def _untouched(step: Counting) -> None:
    step.touched = ()
    step.ended_green = False


def _new_turn(step: Counting) -> None:
    step.tokens_written = 0
    step.turn_seconds = 0.0
    step.turn_over = False


def _voted(stream: Stream, call: Call) -> bool:
    same = call.batch_id is not None and call.batch_id == stream.batch
    return same and call.reading.identity in stream.votes


def _batched(step: Counting, call: Call) -> None:
    same = call.batch_id is not None and call.batch_id == step.batch
    votes = step.votes if same else frozenset()
    step.batch_denied = step.batch_denied and same
    full = call.batch_id is None or len(votes) >= VOTES
    step.votes = votes if full else votes | {call.reading.identity}
    step.batch = call.batch_id


def _ticked(step: Counting, call: Call) -> None:
    """One more call that counts."""
    step.calls += 1
    step.attempts += int(call.ref is None)
    step.after_terminal += int(step.terminal)
    _remember(step, call)


def _remember(step: Counting, call: Call) -> None:
    reading = call.reading
    recent = Recent(call.seq, call.tool, call.outcome, reading.path, reading.failed, reading.pace)
    step.recent = (*step.recent, recent)[-RECENT:]
