"""Counting failures: edits of one path (R6), test targets (R5), errors (R4), rates, timeouts."""

from __future__ import annotations

from app.domain.calls import ERRORS_OF, Call, Reading, TestRun
from app.domain.replacing import replace
from app.domain.stream import NAME_SETS, NO_FAILURE, Counting, Reds, Slot, evidence, grown

TIMEOUT_WINDOW = 10  # calls that are no polls
RATE_WINDOW = 10  # counted calls
ERROR_WINDOW = 20  # counted calls
NAMES_LENGTH = 200  # characters of failing names that tell one set from another
UNCLEAR = 0.5  # a red run with no count and another text: neither better nor worse
STREAK_LIMIT = 64  # distinct clean calls remembered; more than any threshold asks for


def failures(step: Counting, call: Call, empty: Slot) -> None:
    """Every counter of failures after one more ordinary call; `empty` is its place in windows."""
    _timed(step, call, empty)
    _edited(step, call)
    _tested(step, call)
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


def _tested(step: Counting, call: Call) -> None:
    run = call.reading.test
    if run is None or run.result == "unknown":
        return
    if run.result == "green":
        _green(step, run)
    else:
        _red(step, call, run)
        _named(step, call, run)


def _green(step: Counting, run: TestRun) -> None:
    """Green clears the target and what failed under its runner."""
    for key in step.failing_names.values:
        if key.startswith(f"{run.runner}|"):
            step.failing_names = step.failing_names.drop(key)
    step.targets = step.targets.drop(run.target)
    step.done_green = step.edited or step.done_green
    step.edited = False


def _red(step: Counting, call: Call, run: TestRun) -> None:
    before = step.targets.get(run.target)
    after = _reds(before, call, run)
    step.targets = step.targets.put(run.target, after)
    step.done_green = False
    if before is None or after.count > before.count:
        step.touch("test_failure", f"target:{run.target}")


def _reds(before: Reds | None, call: Call, run: TestRun) -> Reds:
    names = run.names
    failed = run.failed if run.failed is not None else (len(names) or None)
    if before is None:
        return Reds(
            count=1,
            best=failed,
            names=names,
            known=(names,) if names else (),
            digest=call.reading.digest,
            seqs=(call.seq,),
        )
    known = before.known if not names or names in before.known else (*before.known, names)
    after = replace(
        before,
        best=failed if before.best is None else min(before.best, failed or before.best),
        names=names or before.names,
        known=known[-NAME_SETS:],
        digest=call.reading.digest,
    )
    if _improved(before, failed, names):
        return replace(after, count=1, seqs=(call.seq,))
    unclear = failed is None and call.reading.digest != before.digest
    weight = UNCLEAR if unclear else 1
    return replace(after, count=before.count + weight, seqs=evidence(before.seqs, call.seq))


def _improved(before: Reds, failed: int | None, names: tuple[str, ...]) -> bool:
    """Fewer failures than ever, or other tests fail now and no more of them than at best."""
    if failed is not None and before.best is not None and failed < before.best:
        return True
    if not names or not before.names or names in before.known:
        return False
    others = not set(names) >= set(before.names)
    return others and (before.best is None or (failed or len(names)) <= before.best)


def _named(step: Counting, call: Call, run: TestRun) -> None:
    """The same failing tests under one runner, whatever target was asked for.

    Where the runner names only some of them, as many have to fail: fewer is progress.
    """
    if not run.names:
        return
    count = len(run.names) if run.failed is None else run.failed
    key = f"{run.runner}|{count}|{' '.join(run.names)[:NAMES_LENGTH]}"
    failing = grown(step.failing_names.get(key) or NO_FAILURE, call.seq)
    step.failing_names = step.failing_names.put(key, failing)
    step.touch("test_failure", f"names:{key}")


def _errored(step: Counting, call: Call, empty: Slot) -> None:
    error = call.reading.error if call.reading.failed else None
    if call.reading.pace == "drain" or (error is None and not _may_err(call.reading)):
        return
    slot = empty if error is None else Slot(call.seq, 1.0, error)
    step.errors = (*step.errors, slot)[-ERROR_WINDOW:]
    if error is not None:
        step.touch("same_error", f"error:{error}")


def _may_err(reading: Reading) -> bool:
    """Whether a call takes a place in the window: what an agent reads meanwhile hides no error."""
    return reading.tool_class in ERRORS_OF and reading.pace == "work"


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
