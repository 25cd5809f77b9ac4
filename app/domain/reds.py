"""Counting red runs of one target since its last progress (R5): tests, and builds beside them.

Both fail in runs of one target; a count of failures, their names or their text tell whether it gets
any better. A green build says nothing about tests, and nothing about work that is done.
"""

from __future__ import annotations

from typing import NamedTuple

from app.domain.calls import BuildRun, Call, TestRun
from app.domain.replacing import replace
from app.domain.stream import NAME_SETS, NO_FAILURE, Counting, Reds, evidence, grown

NAMES_LENGTH = 200  # characters of failing names that tell one set from another
UNCLEAR = 0.75  # of a red run that nobody can call better or worse
ANSWERED = 0.5  # of a linter's findings: an answer, and they may be long known


class Red(NamedTuple):
    """What one red run tells: how many failed, which ones, and a digest of what it said."""

    failed: int | None  # None: no count is known
    names: tuple[str, ...]
    said: str | None
    weight: float = 1


def tested(step: Counting, call: Call) -> None:
    """R5 after a test run."""
    run = call.reading.test
    if run is None or run.result == "unknown":
        return
    if run.result == "green":
        _green(step, run)
        return
    step.done_green = False
    failed = run.failed if run.failed is not None else (len(run.names) or None)
    _red(step, call, f"target:{run.target}", Red(failed, run.names, call.reading.digest))
    _named(step, call, run)


def built(step: Counting, call: Call) -> None:
    """R5 after a build, a type check or a linter: all its errors together are its one name."""
    run = call.reading.build
    if run is None or run.result == "unknown":
        return
    if run.result == "green":
        _mended(step, run)
        return
    said = run.digest or call.reading.digest
    names = () if run.digest is None else (run.digest,)
    weight = 1 if call.reading.failed else ANSWERED
    _red(step, call, f"build:{run.target}", Red(run.failed, names, said, weight), build=True)
    if call.reading.failed and run.digest is not None:
        _again(step, call, f"errors:{run.failed}|{run.digest}")


def _green(step: Counting, run: TestRun) -> None:
    """Green clears the target and what failed under its runner."""
    for key in step.failing_names.values:
        if key.startswith(f"{run.runner}|"):
            step.failing_names = step.failing_names.drop(key)
    step.targets = step.targets.drop(run.target)
    step.done_green = step.edited or step.done_green
    step.edited = False


def _mended(step: Counting, run: BuildRun) -> None:
    """A green build clears its target and the errors that were its own."""
    reds = step.targets.get(run.target)
    own = {name for names in (() if reds is None else reds.known) for name in names}
    for key in step.failing_names.values:
        if key.partition("|")[2] in own:
            step.failing_names = step.failing_names.drop(key)
    step.targets = step.targets.drop(run.target)


def _red(step: Counting, call: Call, key: str, red: Red, *, build: bool = False) -> None:
    target = key.partition(":")[2]
    before = step.targets.get(target)
    after = _reds(before, red, call.seq, build=build)
    step.targets = step.targets.put(target, after)
    if before is None or after.count > before.count:
        step.touch("test_failure", key)


def _reds(before: Reds | None, red: Red, seq: int, *, build: bool) -> Reds:
    failed, names, said, full = red
    if before is None:
        known: tuple[tuple[str, ...], ...] = (names,) if names else ()
        return Reds(count=1, best=failed, names=names, known=known, digest=said, seqs=(seq,))
    known = before.known if not names or names in before.known else (*before.known, names)
    after = replace(
        before,
        best=failed if before.best is None else min(before.best, failed or before.best),
        names=names or before.names,
        known=known[-NAME_SETS:],
        digest=said,
    )
    if _fewer(before, red) or (not build and _moved(before, red)):
        return replace(after, count=1, seqs=(seq,))
    unclear = _other_errors(before, red) if build else failed is None and said != before.digest
    weight = min(UNCLEAR, full) if unclear else full
    return replace(after, count=before.count + weight, seqs=evidence(before.seqs, seq))


def _fewer(before: Reds, red: Red) -> bool:
    """Whether fewer failed than ever."""
    return red.failed is not None and before.best is not None and red.failed < before.best


def _moved(before: Reds, red: Red) -> bool:
    """Whether tests fail that never did, in place of others, and no more of them than at best.

    Tests that only take turns in failing are a see-saw and no progress.
    """
    failed, names = red.failed, red.names
    if not names or not before.names or set(names) <= set().union(*before.known):
        return False
    others = not set(names) >= set(before.names)
    return others and (before.best is None or (failed or len(names)) <= before.best)


def _other_errors(before: Reds, red: Red) -> bool:
    """Whether a build failed in a way not seen before: work that gets on looks so, and all other.

    A compiler that stops at its first error tells of another one each time it is given a better
    program, and each time it is given a program that is only different.
    """
    return red.names not in before.known if red.names else red.said != before.digest


def _named(step: Counting, call: Call, run: TestRun) -> None:
    """The same failing tests under one runner, whatever target was asked for.

    Where the runner names only some of them, as many have to fail: fewer is progress.
    """
    if not run.names:
        return
    count = len(run.names) if run.failed is None else run.failed
    key = f"{run.runner}|{count}|{' '.join(run.names)[:NAMES_LENGTH]}"
    _again(step, call, f"names:{key}")


def _again(step: Counting, call: Call, key: str) -> None:
    """The same failures once more; a key is a kind and what names them."""
    name = key.partition(":")[2]
    failing = grown(step.failing_names.get(name) or NO_FAILURE, call.seq)
    step.failing_names = step.failing_names.put(name, failing)
    step.touch("test_failure", key)
