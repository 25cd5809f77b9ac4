"""Counting failures: edits of one path (R6), test targets (R5), errors (R4), rates, timeouts."""

from __future__ import annotations

from app.domain.calls import Call, TestRun
from app.domain.replacing import replace
from app.domain.stream import NAME_SETS, Failing, Reds, Slot, Stream, Touch, evidence, grown

TIMEOUT_WINDOW = 10  # calls that are no polls
RATE_WINDOW = 10  # counted calls
ERROR_WINDOW = 20  # counted calls
NAMES_LENGTH = 200  # characters of failing names that tell one set from another
STREAK_LIMIT = 64  # distinct clean calls remembered; more than any threshold asks for


def failures(stream: Stream, call: Call) -> Stream:
    """Every counter of failures after one more ordinary call."""
    for count in (_timed, _edited, _tested, _errored, _rated, _cleaned):
        stream = count(stream, call)
    return stream


def _timed(stream: Stream, call: Call) -> Stream:
    if call.reading.pace != "work":
        return stream
    late = call.reading.timed_out
    slot = Slot(seq=call.seq, weight=float(late))
    stream = replace(stream, timeouts=(*stream.timeouts, slot)[-TIMEOUT_WINDOW:])
    return _touch(stream, ("timeouts", "count")) if late else stream


def _edited(stream: Stream, call: Call) -> Stream:
    reading = call.reading
    if reading.path is None or reading.tool_class not in ("edit", "write"):
        return stream
    if not reading.failed:
        return replace(stream, failed_edits=stream.failed_edits.drop(reading.path))
    failing = grown(stream.failed_edits.get(reading.path) or Failing(), call.seq)
    stream = replace(stream, failed_edits=stream.failed_edits.put(reading.path, failing))
    return _touch(stream, ("edit_failures", f"path:{reading.path}"))


def _tested(stream: Stream, call: Call) -> Stream:
    run = call.reading.test
    if run is None or run.result == "unknown":
        return stream
    if run.result == "green":
        return _green(stream, run)
    return _named(_red(stream, call, run), call, run)


def _green(stream: Stream, run: TestRun) -> Stream:
    """Green clears the target and what failed under its runner."""
    names = stream.failing_names
    for key, _ in names.items():
        if key.startswith(f"{run.runner}|"):
            names = names.drop(key)
    return replace(
        stream,
        targets=stream.targets.drop(run.target),
        failing_names=names,
        done_green=stream.edited or stream.done_green,
        edited=False,
    )


def _red(stream: Stream, call: Call, run: TestRun) -> Stream:
    before = stream.targets.get(run.target)
    after = _reds(before, call, run)
    stream = replace(stream, targets=stream.targets.put(run.target, after), done_green=False)
    counted = before is None or after.count > before.count
    return _touch(stream, ("test_failure", f"target:{run.target}")) if counted else stream


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
    if failed is None and call.reading.digest != before.digest:
        return after  # an unknown count and another text: neither better nor worse
    return replace(after, count=before.count + 1, seqs=evidence(before.seqs, call.seq))


def _improved(before: Reds, failed: int | None, names: tuple[str, ...]) -> bool:
    """Fewer failures than ever, or other tests fail now and no more of them than at best."""
    if failed is not None and before.best is not None and failed < before.best:
        return True
    if not names or not before.names or names in before.known:
        return False
    others = not set(names) >= set(before.names)
    return others and (before.best is None or (failed or len(names)) <= before.best)


def _named(stream: Stream, call: Call, run: TestRun) -> Stream:
    """The same failing tests under one runner, whatever target was asked for.

    Where the runner names only some of them, as many have to fail: fewer is progress.
    """
    if not run.names:
        return stream
    count = len(run.names) if run.failed is None else run.failed
    key = f"{run.runner}|{count}|{' '.join(run.names)[:NAMES_LENGTH]}"
    failing = grown(stream.failing_names.get(key) or Failing(), call.seq)
    stream = replace(stream, failing_names=stream.failing_names.put(key, failing))
    return _touch(stream, ("test_failure", f"names:{key}"))


def _errored(stream: Stream, call: Call) -> Stream:
    error = call.reading.error
    if error is None and call.reading.pace != "work":
        return stream
    slot = Slot(seq=call.seq, weight=float(error is not None), key=error or "")
    stream = replace(stream, errors=(*stream.errors, slot)[-ERROR_WINDOW:])
    return stream if error is None else _touch(stream, ("same_error", f"error:{error}"))


def _rated(stream: Stream, call: Call) -> Stream:
    reading = call.reading
    stream = _streak(stream, call)
    if reading.test is not None or reading.pace != "work":
        return stream
    slot = Slot(seq=call.seq, weight=float(not reading.failed), key=reading.identity)
    stream = replace(stream, rates=(*stream.rates, slot)[-RATE_WINDOW:])
    if not reading.failed:
        return stream
    return _touch(_touch(stream, ("success_rate", "severe")), ("success_rate", "low"))


def _streak(stream: Stream, call: Call) -> Stream:
    if not call.reading.failed:
        return replace(stream, error_streak=Failing())
    streak = grown(stream.error_streak, call.seq)
    return _touch(replace(stream, error_streak=streak), ("error_streak", "count"))


def _cleaned(stream: Stream, call: Call) -> Stream:
    """Distinct clean calls in a row; where verdicts are asked for, only calls that had one."""
    reading = call.reading
    if reading.failed:
        return replace(stream, clean=Failing(), clean_ids=frozenset())
    unpaired = stream.asks and call.ref is None
    if unpaired or reading.identity in stream.clean_ids or len(stream.clean_ids) >= STREAK_LIMIT:
        return stream
    stream = replace(
        stream,
        clean=grown(stream.clean, call.seq),
        clean_ids=stream.clean_ids | {reading.identity},
    )
    return _touch(stream, ("streak", "clean"))


def _touch(stream: Stream, touch: Touch) -> Stream:
    return replace(stream, touched=(*stream.touched, touch))
