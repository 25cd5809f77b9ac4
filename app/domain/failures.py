"""Counting failures: edits of one path (R6), errors (R4), rates, timeouts; reds.py has R5."""

from __future__ import annotations

from app.domain.calls import Call, Reading
from app.domain.reds import built, tested
from app.domain.stream import NO_FAILURE, Counting, Slot, grown

TIMEOUT_WINDOW = 10  # calls that are no polls
RATE_WINDOW = 10  # counted calls
ERROR_WINDOW = 20  # counted calls
STREAK_LIMIT = 64  # distinct clean calls remembered; more than any threshold asks for


def failures(step: Counting, call: Call, empty: Slot) -> None:
    """Every counter of failures after one more ordinary call; `empty` is its place in windows."""
    _timed(step, call, empty)
    _edited(step, call)
    tested(step, call)
    built(step, call)
    _errored(step, call, empty)
    _streak(step, call)
    _rated(step, call)
    _cleaned(step, call)


def _timed(step: Counting, call: Call, empty: Slot) -> None:
    if call.reading.pace != "work":
        return
    late = call.reading.timed_out
    slot = Slot(call.seq, 1.0) if late else empty
    step.timeouts = (*step.timeouts, slot)[-TIMEOUT_WINDOW:]
    if late:
        step.touch("timeouts", "count")


def _edited(step: Counting, call: Call) -> None:
    reading = call.reading
    if reading.path is None or reading.tool_class not in ("edit", "write"):
        return
    if not reading.failed:
        step.failed_edits = step.failed_edits.drop(reading.path)
        return
    failing = grown(step.failed_edits.get(reading.path) or NO_FAILURE, call.seq)
    step.failed_edits = step.failed_edits.put(reading.path, failing)
    step.touch("edit_failures", f"path:{reading.path}")


def _errored(step: Counting, call: Call, empty: Slot) -> None:
    """R4: one more error, or a place without one for a call that could have met it."""
    reading = call.reading
    error = _met(step, reading)
    if error is not None:
        step.errors = (*step.errors, Slot(call.seq, 1.0, error))[-ERROR_WINDOW:]
        step.touch("same_error", f"error:{error}")
        step.touch("same_error", "again")
    elif reading.pace == "work":
        step.errors = (*step.errors, empty)[-ERROR_WINDOW:]
    if reading.changes:
        step.kicked = call.seq


def _met(step: Counting, reading: Reading) -> str | None:
    """The error that counts; those of a red build are R5's, whose mode is debug.

    A call that waits or looks on is shown an error, and may be shown the same as often as it looks:
    it counts once after each call that was meant to change something.
    """
    if reading.build is not None and reading.build.result == "red":
        return None
    if reading.failed and reading.pace != "drain":
        return reading.error
    shown = reading.pace != "work" and not _shown(step, reading.error)
    return reading.error if shown else None


def _shown(step: Counting, error: str | None) -> bool:
    """Whether an error was met since the last call that was meant to change something."""
    return any(slot.key == error and slot.seq > step.kicked for slot in step.errors)


def _streak(step: Counting, call: Call) -> None:
    if not call.reading.failed:
        step.error_streak = NO_FAILURE
        return
    step.error_streak = grown(step.error_streak, call.seq)
    step.touch("error_streak", "count")


def _rated(step: Counting, call: Call) -> None:
    reading = call.reading
    if reading.test is not None or reading.pace != "work":
        return
    slot = Slot(call.seq, 0.0 if reading.failed else 1.0, reading.identity)
    step.rates = (*step.rates, slot)[-RATE_WINDOW:]
    if reading.failed:
        step.touch("success_rate", "severe")
        step.touch("success_rate", "low")


def _cleaned(step: Counting, call: Call) -> None:
    """Distinct clean calls in a row; where verdicts are asked for, only calls that had one."""
    reading = call.reading
    if reading.failed:
        step.clean, step.clean_ids = NO_FAILURE, ()
        return
    unpaired = step.asks and call.ref is None
    if unpaired or len(step.clean_ids) >= STREAK_LIMIT or reading.identity in step.clean_ids:
        return
    step.clean = grown(step.clean, call.seq)
    step.clean_ids = (*step.clean_ids, reading.identity)
    step.touch("streak", "clean")
