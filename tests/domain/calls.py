"""Calls for tests of the counters, as short as what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.domain.calls import BuildRun, Call, Reading, TestResult, TestRun
from app.domain.checks import Trip, tripped
from app.domain.configuration import Thresholds
from app.domain.events import Outcome
from app.domain.profiles import THRESHOLDS
from app.domain.signals import EMPTY, Cause, Stream, finished, fired

DEFAULT = THRESHOLDS["default"]
STRICT = THRESHOLDS["strict"]


def call(seq: int, identity: str = "a", outcome: Outcome = "ok", **fields: Any) -> Call:
    """A call whose answer is always the same for its identity, unless told otherwise."""
    of_call = {key: fields.pop(key) for key in tuple(fields) if key in CALL_FIELDS}
    reading: dict[str, Any] = {
        "tool_class": "shell",
        "identity": identity,
        "digest": f"answer to {identity}",
        "failed": outcome in ("error", "timeout"),
        "timed_out": outcome == "timeout",
        **fields,
    }
    return Call(
        seq=seq,
        at_ms=of_call.pop("at_ms", seq * 60_000),
        agent="",
        tool="Bash",
        outcome=outcome,
        reading=Reading(**reading),
        **of_call,
    )


CALL_FIELDS = frozenset(Call._fields)


def red(seq: int, failed: int | None = 2, names: tuple[str, ...] = (), **fields: Any) -> Call:
    """A red run of one target."""
    run = TestRun(runner="pytest", target="pytest a", result="red", failed=failed, names=names)
    return call(seq, "tests", "error", test=run, tool_class="test", **fields)


def build(
    seq: int, failed: int | None = 2, said: str | None = "E", outcome: Outcome = "error"
) -> Call:
    """A build of one target, red unless it worked; `said` is the digest of its errors."""
    result: TestResult = "green" if outcome == "ok" else "red"
    run = BuildRun(runner="make", target="make all", result=result, failed=failed, digest=said)
    return call(seq, "make", outcome, build=run, error="E", digest=f"text {seq}")


def edit(seq: int, what: str = "1", outcome: Outcome = "ok", path: str = "a.py") -> Call:
    """An edit of a path that nobody made before, unless `what` was."""
    return call(
        seq,
        f"edit {what} {path}",
        outcome,
        tool_class="edit",
        path=path,
        edit=f"{path} {what}",
        changes=outcome == "ok",
    )


def after(calls: Iterable[Call], stream: Stream = EMPTY) -> Stream:
    """The stream after some calls that nobody reacts to."""
    for one in calls:
        stream = finished(stream, one)
    return stream


def answered(stream: Stream, thresholds: Thresholds = DEFAULT) -> tuple[Stream, list[Trip]]:
    """The stream after everything that tripped was answered, and what it was."""
    trips = []
    while found := tripped(stream, thresholds):
        trips.append(found[0])
        cause = cause_of(found[0])
        automatic = found[0].response == "mode"
        stream = fired(stream, (cause,), automatic=automatic, seq=stream.calls)
    return stream, trips


def reacted(
    calls: Iterable[Call], stream: Stream = EMPTY, thresholds: Thresholds = DEFAULT
) -> tuple[Stream, list[Trip]]:
    """The stream after some calls, each answered at once, and everything that fired."""
    trips = []
    for one in calls:
        stream, found = answered(finished(stream, one), thresholds)
        trips += found
    return stream, trips


def cause_of(trip: Trip) -> Cause:
    """What an entry would say about a trip."""
    return Cause(rule=trip.rule, key=trip.key, threshold=trip.threshold, target=trip.target)


def again(one: Call, seq: int) -> Call:
    """The same call once more."""
    return one._replace(seq=seq, at_ms=seq * 60_000)
