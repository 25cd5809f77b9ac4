"""The counters: what one more entry makes of a stream. Pure, and free of any configuration.

    finished(stream, call)    a call ended          asked(stream, call)   a verdict was given
    prompted(stream, person)  a prompt              turned(stream)        the turn ended
    compacted(stream)         the context was cut   used(stream, usage)   tokens, cost, seconds
    fired(stream, causes)     an entry says that comparisons tripped
    zeroed(stream, causes)    a person took such an entry back

Order of work for a finished call, from docs/detection.md 1: unknown, interrupted and cancelled
calls count nowhere; a repeated call of one batch is no second vote; then blocked, denied,
bookkeeping, and at last the ordinary call.
"""

from __future__ import annotations

from app.domain.calls import Call
from app.domain.events import Usage
from app.domain.failures import failures
from app.domain.interventions import allowed, blocked, denied
from app.domain.latches import aged, fired, opened, zeroed
from app.domain.novelty import changed, learnt
from app.domain.repeats import cleared, noted, progressed, repeated
from app.domain.replacing import replace
from app.domain.stream import (
    EMPTY,
    RECENT,
    Cause,
    Failing,
    Latch,
    Repeat,
    Stream,
    Touch,
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
USUAL_CONTEXT = 200_000  # tokens, where the harness names no limit


def finished(stream: Stream, call: Call, *, counted: bool = True, refused: bool = False) -> Stream:
    """After a call ended.

    `counted` False: its block was counted when its verdict was given. `refused`: its denial is
    the answer to our own `ask`, so it is an intervention and no denial.
    """
    stream = _reported(stream, call)
    if call.outcome in NOWHERE:
        return stream
    if call.outcome == "blocked" and not counted:
        return replace(stream, recent=(*stream.recent, call)[-RECENT:])
    if _voted(stream, call):
        return stream
    stream = _ticked(_batched(stream, call), call)
    return aged(_counted(stream, call, refused=refused))


def _counted(stream: Stream, call: Call, *, refused: bool) -> Stream:
    if call.outcome == "denied" and refused:
        return blocked(stream, call, call.rule, ours=True)
    if call.outcome == "blocked":
        return blocked(stream, call, call.rule, ours=call.reading.ours)
    if call.outcome == "denied":
        return denied(stream, call)
    stream = allowed(stream, call)
    if call.reading.tool_class == "talk":
        return noted(stream, call)
    return _ordinary(stream, call)


def _ordinary(stream: Stream, call: Call) -> Stream:
    stream = failures(stream, call)
    stream, change = changed(stream, call)
    stream, novelty = learnt(stream, call)
    if change:
        stream = cleared(stream)
    if call.reading.edit is not None and not call.reading.failed:
        stream = replace(stream, edited=True)
    return progressed(repeated(stream, call, novelty), call, novelty, change=change)


def asked(stream: Stream, call: Call, denied: bool, rule: str | None = None) -> Stream:
    """After a verdict on an attempt; one that denied is an intervention and counts here."""
    stream = replace(_reported(stream, call), asks=True, attempts=stream.attempts + 1)
    if not denied:
        return stream
    stream = replace(stream, calls=stream.calls + 1, after_terminal=_spent(stream))
    return aged(blocked(stream, call, rule, ours=True))


def prompted(stream: Stream, person: bool) -> Stream:
    """After a prompt; one that a person wrote starts everything again but the windows of rates."""
    stream = _new_turn(replace(stream, touched=(), ended_green=False))
    if not person:
        return stream
    return replace(
        opened(stream),
        seen=stream.seen.cleared(),
        edits=stream.edits.cleared(),
        done=stream.done.cleared(),
        repeats=stream.repeats.cleared(),
        stale=(),
        idle=Failing(),
        errors=(),
        failed_edits=stream.failed_edits.cleared(),
        targets=stream.targets.cleared(),
        failing_names=stream.failing_names.cleared(),
        denials=(),
        blocks=(),
        error_streak=Failing(),
    )


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
    )


def compacted(stream: Stream) -> Stream:
    """After a compaction: what was read may be read once more, and repeats start again."""
    return replace(
        stream,
        touched=(),
        generation=stream.generation + 1,
        repeats=stream.repeats.cleared(),
        stale=(),
        idle=Failing(),
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


def _reported(stream: Stream, call: Call) -> Stream:
    """What every event may say besides: how full the context is, what the coverage lacks."""
    stream = replace(stream, touched=(), ended_green=False)
    stream = _new_turn(stream) if stream.turn_over else stream
    if call.context_tokens is not None:
        share = call.context_tokens / (call.context_limit or USUAL_CONTEXT)
        touched = (*stream.touched, ("context", "share"))
        stream = replace(stream, context=share, context_seq=call.seq, touched=touched)
    if call.gap is not None:
        touched = (*stream.touched, ("coverage", "gap")) if call.gap else stream.touched
        stream = replace(stream, gap=call.gap, gap_seq=call.seq, touched=touched)
    return stream


def _new_turn(stream: Stream) -> Stream:
    return replace(stream, tokens_written=0, turn_seconds=0.0, turn_over=False)


def _voted(stream: Stream, call: Call) -> bool:
    same = call.batch_id is not None and call.batch_id == stream.batch
    return same and call.reading.identity in stream.votes


def _batched(stream: Stream, call: Call) -> Stream:
    if call.batch_id is None:
        return replace(stream, batch=None, votes=frozenset(), batch_denied=False)
    same = call.batch_id == stream.batch
    return replace(
        stream,
        batch=call.batch_id,
        votes=(stream.votes if same else frozenset()) | {call.reading.identity},
        batch_denied=stream.batch_denied and same,
    )


def _ticked(stream: Stream, call: Call) -> Stream:
    """One more call that counts."""
    calls = stream.calls + 1
    return replace(
        stream,
        calls=calls,
        attempts=stream.attempts + int(call.ref is None),
        after_terminal=_spent(stream),
        recent=(*stream.recent, call)[-RECENT:],
    )


def _spent(stream: Stream) -> int:
    return stream.after_terminal + int(stream.terminal)
