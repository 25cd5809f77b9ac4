"""Counting what was not allowed: denials by the harness or a person, and interventions of hooks.

A block is neither a failure nor a denial: nothing here that counts blocks feeds a counter that
tightens; a block of ours only casts its shadow (docs/detection.md 2.10).
"""

from __future__ import annotations

from app.domain.calls import Call
from app.domain.stream import NO_FAILURE, Block, Counting, Slot

DENIAL_WINDOW = 20  # calls that were not blocked
BLOCK_WINDOW = 10  # calls
SHADOW = 6  # calls after a block of ours in which repeats are advice
TERMINAL = 1  # the second block in a row of one step ends the run's hope (seed 002)


def denied(step: Counting, call: Call) -> None:
    """R7 after a denial; a batch counts at most one."""
    if call.batch_id is not None and step.batch_denied:
        return
    reading = call.reading
    step.batch_denied = call.batch_id is not None
    slot = Slot(seq=call.seq, weight=1.0, key=reading.identity, marks=reading.marks)
    step.denials = (*step.denials, slot)[-DENIAL_WINDOW:]
    _unclean(step)
    marks = (f"mark:{mark}" for mark in reading.marks)
    for key in (f"same:{reading.identity}", *marks, "dense", "rate", "count"):
        step.touch("denials", key)


def allowed(step: Counting, empty: Slot) -> None:
    """R7 after a call that ran: it takes a place in the windows."""
    step.denials = (*step.denials, empty)[-DENIAL_WINDOW:]


def blocked(step: Counting, call: Call, rule: str | None, *, ours: bool) -> None:
    """After an intervention; `ours` casts the shadow in which repeats are only advice."""
    identity = call.reading.identity
    key = rule or call.reading.digest or identity
    recent = tuple(b for b in step.blocks if step.calls - b.call < BLOCK_WINDOW)
    again = any(b.key == key or b.identity == identity for b in recent)
    step.interventions += 1
    step.blocked_then_blocked += int(again)
    step.terminal = step.terminal or step.blocked_then_blocked >= TERMINAL
    block = Block(call=step.calls, seq=call.seq, key=key, identity=identity)
    step.blocks = (*recent, block)[-BLOCK_WINDOW:]
    if ours:
        step.shadow_until = step.calls + SHADOW
    _unclean(step)
    step.touched = (("blocked_storm", f"same:{key}"), ("blocked_storm", "any"))


def _unclean(step: Counting) -> None:
    step.clean = NO_FAILURE
    step.clean_ids = ()
