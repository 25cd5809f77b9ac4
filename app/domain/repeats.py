"""Counting what brings nothing: the same call again (R1), a stale window (R2), calls without gain.

All of them start again at a change of state; docs/detection.md 2 has the arithmetic.
"""

from __future__ import annotations

from app.domain.calls import Call, Reading
from app.domain.novelty import Novelty
from app.domain.stream import (
    IDENTITIES,
    NO_FAILURE,
    REPEAT_WITHIN,
    Counting,
    Repeat,
    Slot,
    evidence,
    grown,
)

STILL = frozenset({"read", "search"})  # classes whose answers do not move by themselves
STALE_WINDOW = 16  # counted calls
FULL, HALF = 1.0, 0.5  # half: a short answer that is no failure, or bookkeeping


def cleared(step: Counting) -> None:
    """A change of state: what was repeated before may answer differently now."""
    step.changes += 1
    step.repeats = {}
    step.stale = ()
    step.idle = NO_FAILURE
    step.blocks = ()
    step.escalation = None


def repeated(step: Counting, call: Call, novelty: Novelty) -> None:
    """R1: a repeat counts, a new answer starts again."""
    reading = call.reading
    if _settled(reading):
        step.repeats = {key: it for key, it in step.repeats.items() if key != reading.identity}
    elif not _counted_elsewhere(reading):
        key = repeating(reading)
        known = step.repeats.get(key)
        if known is not None and _over(step, known, reading):
            known = None
        _remember(step, key, _repeat(step, call, novelty, known, key))


def repeating(reading: Reading) -> str:
    """What a call repeats: its identity, or an edit to and fro, which is one thing."""
    if reading.edit is None or reading.reverse is None:
        return reading.identity
    return min(reading.edit, reading.reverse)


def _over(step: Counting, known: Repeat, reading: Reading) -> bool:
    """Whether what is known says nothing any more: too long ago, or it ended otherwise then.

    A call that works now and failed before (or the other way) tells something, be its answer as
    old as it may: a flaky test, a server that comes and goes.
    """
    return step.calls - known.call > REPEAT_WITHIN or known.failed != _ended_badly(reading)


def _ended_badly(reading: Reading) -> bool:
    """Whether a call failed, or waited for something and met an error."""
    return reading.failed or reading.error is not None


def _settled(reading: Reading) -> bool:
    """A green or empty test run: nothing is stuck there, whatever came before."""
    return reading.test is not None and reading.test.result != "red" and not reading.failed


def _counted_elsewhere(reading: Reading) -> bool:
    """A failed edit of a known path is R6's: one thing, one counter, and its mode is debug."""
    failed_edit = reading.tool_class in ("edit", "write") and reading.failed
    return failed_edit and reading.path is not None


def _repeat(step: Counting, call: Call, novelty: Novelty, known: Repeat | None, key: str) -> Repeat:
    """What is known of an identity after one more call of it.

    A new answer while nothing was changed says that the world moves by itself, and that the call
    watches it: from then on it is a poll, however it is spelt. Of a file it says only that a
    harness has two ways to tell the same ("unchanged since it was read"), so it is let pass.
    """
    failed = _ended_badly(call.reading)
    watches = call.reading.pace != "work" or (known is not None and known.watches)
    if known is None or (novelty == "new" and watches):
        return Repeat(1, step.calls, call.at_ms, call.at_ms, (call.seq,), failed, watches)
    if novelty == "new" and call.reading.tool_class not in STILL:
        moved = not call.reading.failed
        return Repeat(1, step.calls, call.at_ms, call.at_ms, (call.seq,), failed, moved)
    if novelty != "stale":
        return known._replace(call=step.calls, at_ms=call.at_ms)
    step.touch("repeated", f"{'poll' if watches else 'same'}:{key}")
    seqs = evidence(known.seqs, call.seq)
    return known._replace(times=known.times + 1, call=step.calls, at_ms=call.at_ms, seqs=seqs)


def _remember(step: Counting, identity: str, repeat: Repeat) -> None:
    repeats = {**step.repeats, identity: repeat}
    if len(repeats) > IDENTITIES:
        oldest = step.calls - REPEAT_WITHIN
        repeats = {key: it for key, it in repeats.items() if it.call >= oldest}
    step.repeats = repeats


def progressed(step: Counting, call: Call, novelty: Novelty, empty: Slot, *, change: bool) -> None:
    """R2 after one more call, and the plain count of calls without progress."""
    stale = novelty == "stale" and not change
    if not stale:
        step.idle = NO_FAILURE
    if _counts(call.reading, novelty):
        _weigh(step, Slot(call.seq, _weight(call.reading)) if stale else empty)


def noted(step: Counting, call: Call) -> None:
    """R2 after a call of the agent's own bookkeeping: half a stale call."""
    _weigh(step, Slot(call.seq, HALF))


def _weigh(step: Counting, slot: Slot) -> None:
    step.stale = (*step.stale, slot)[-STALE_WINDOW:]
    if slot.weight:
        step.idle = grown(step.idle, slot.seq)
        step.touch("no_progress", "stale")
        step.touch("no_progress", "calls")


def _weight(reading: Reading) -> float:
    return HALF if reading.short and not reading.failed else FULL


def _counts(reading: Reading, novelty: Novelty) -> bool:
    """Tests and polls say nothing about progress, nor do short shell answers and failed edits."""
    if reading.test is not None or reading.pace != "work":
        return False
    if novelty != "stale":
        return True
    if reading.tool_class in ("edit", "write"):
        return not reading.failed
    return not (reading.tool_class == "shell" and reading.short)
