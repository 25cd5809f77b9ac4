"""Counting what was not allowed: denials by the harness or a person, and interventions of hooks.

A block is neither a failure nor a denial: nothing here that counts blocks feeds a counter that
tightens; a block of ours only casts its shadow (docs/detection.md 2.10).
"""

from __future__ import annotations

from app.domain.calls import Call
from app.domain.replacing import replace
from app.domain.stream import Block, Failing, Slot, Stream, Touch

DENIAL_WINDOW = 20  # calls that were not blocked
BLOCK_WINDOW = 10  # calls
SHADOW = 6  # calls after a block of ours in which repeats are advice
TERMINAL = 1  # the second block in a row of one step ends the run's hope (seed 002)


def denied(stream: Stream, call: Call) -> Stream:
    """R7 after a denial; a batch counts at most one."""
    if call.batch_id is not None and stream.batch_denied:
        return stream
    reading = call.reading
    slot = Slot(seq=call.seq, weight=1.0, key=reading.identity, marks=reading.marks)
    touches: tuple[Touch, ...] = (
        ("denials", f"same:{reading.identity}"),
        *(("denials", f"mark:{mark}") for mark in reading.marks),
        *(("denials", kind) for kind in ("dense", "rate", "count")),
    )
    return replace(
        stream,
        batch_denied=call.batch_id is not None,
        denials=(*stream.denials, slot)[-DENIAL_WINDOW:],
        clean=Failing(),
        clean_ids=frozenset(),
        touched=(*stream.touched, *touches),
    )


def allowed(stream: Stream, call: Call) -> Stream:
    """R7 after a call that ran: it takes a place in the windows."""
    return replace(stream, denials=(*stream.denials, Slot(seq=call.seq))[-DENIAL_WINDOW:])


def blocked(stream: Stream, call: Call, rule: str | None, *, ours: bool) -> Stream:
    """After an intervention; `ours` casts the shadow in which repeats are only advice."""
    key = rule or call.reading.digest or call.reading.identity
    block = Block(call=stream.calls, seq=call.seq, key=key, identity=call.reading.identity)
    recent = tuple(b for b in stream.blocks if stream.calls - b.call < BLOCK_WINDOW)
    again = any(b.key == key or b.identity == block.identity for b in recent)
    return replace(
        stream,
        interventions=stream.interventions + 1,
        blocked_then_blocked=stream.blocked_then_blocked + int(again),
        terminal=stream.terminal or stream.blocked_then_blocked + int(again) >= TERMINAL,
        blocks=(*recent, block)[-BLOCK_WINDOW:],
        shadow_until=stream.calls + SHADOW if ours else stream.shadow_until,
        clean=Failing(),
        clean_ids=frozenset(),
        touched=(("blocked_storm", f"same:{key}"), ("blocked_storm", "any")),
    )
