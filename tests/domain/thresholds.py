"""Every threshold with a way to reach any value of what it is compared with: nothing else trips.

ROWS[name].reach(value)    a stream whose last event brought the counter to `value`
WINDOWS[name]              for counts in a window: how long it is, one more count, and a call
                           that takes a place in it without counting
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from app.domain.calls import Call
from app.domain.events import Usage
from app.domain.interventions import Said
from app.domain.signals import EMPTY, Stream, asked, finished, turned, used
from tests.domain.calls import after, build, call, edit, red

Trips = Literal["from", "above", "below"]  # where a value trips: >=, > or < the threshold
SECOND = 1000


@dataclass(frozen=True, kw_only=True)
class Row:
    """One threshold: `step` is the next value, `beside` what else has to be switched on."""

    reach: Callable[[float], Stream]
    trips: Trips = "from"
    step: float = 1
    beside: Mapping[str, float] = field(default_factory=dict)
    highest: float | None = None  # no higher value exists
    tried: float = 3  # the number to try where both profiles have it off


def _many(count: float, one: Callable[[int], Call]) -> Stream:
    return after(one(seq) for seq in range(1, round(count) + 1))


def _polls(count: float, seconds: float, pace: str = "poll") -> Stream:
    return _many(count, lambda seq: call(seq, pace=pace, at_ms=round(seq * seconds * SECOND)))


def _over(count: float, minutes: float) -> Stream:
    """Polls that are spread evenly over a time."""
    return _polls(count, minutes * 60 / max(1, count - 1))


def _stale(weight: float) -> Stream:
    """New answers, then as many of them again as weigh that much; a short one weighs half."""
    names = [f"n{at}" for at in range(round(weight + 0.5))]
    calls = [call(0, name, tool_class="read") for name in names]
    again = [call(0, name, tool_class="read") for name in names[: int(weight)]]
    half = [call(0, names[-1], tool_class="read", short=True)] if weight % 1 else []
    return after(_numbered([*calls, *again, *half]))


def _numbered(calls: Iterable[Call]) -> Iterable[Call]:
    return (one._replace(seq=seq, at_ms=seq * 60_000) for seq, one in enumerate(calls, 1))


def _idle(count: float) -> Stream:
    return _many(count + 1, lambda seq: call(seq, "a"))


def _mixed(share: float, window: int, outcome: Any, rest: Any, *, last: bool) -> Stream:
    """A full window with a share of calls of one outcome; they come last, or first."""
    count = round(share * window)
    ends = [outcome] * count + [rest] * (window - count)
    ordered = reversed(ends) if last else ends
    return after(call(seq, str(seq), end) for seq, end in enumerate(ordered, 1))


def _failing(identities: float) -> Stream:
    return _many(10, lambda seq: call(seq, str(seq % round(identities)), "error"))


def _full(share: float) -> Stream:
    one = call(1, context_tokens=round(share * 100_000), context_limit=100_000)
    return finished(EMPTY, one)


def _ended_green(times: float) -> Stream:
    green = red(2)._replace(outcome="ok")
    run = green.reading.test
    assert run is not None
    passed = call(2, "tests", test=type(run)(runner="pytest", target="pytest a", result="green"))
    return turned(after([edit(1), passed] if times else [edit(1)]))


def _gap(times: float) -> Stream:
    return finished(EMPTY, call(1, gap=bool(times)))


def _used(**usage: Any) -> Stream:
    return used(turned(EMPTY), Usage(**usage), day="2026-11-30", seq=1)


def denied(identities: Sequence[str], said: Said) -> Stream:
    """Attempts that were denied one after another, each with what its entry said besides."""
    stream = EMPTY
    for seq, identity in enumerate(identities, 1):
        stream = asked(stream, call(seq, identity), said, "r")
    return stream


ROWS: Final[Mapping[str, Row]] = {
    "repeated.failed": Row(reach=lambda n: _many(n, lambda seq: call(seq, outcome="error"))),
    "repeated.ok": Row(reach=lambda n: _many(n, call)),
    "repeated.poll_failed": Row(
        reach=lambda n: _many(
            n, lambda seq: call(seq, pace="drain", error="E", at_ms=seq * 60 * SECOND)
        )
    ),
    "repeated.poll": Row(
        reach=lambda n: _polls(n, 1), beside={"repeated.poll_seconds": 5}
    ),
    "repeated.drain": Row(
        reach=lambda n: _polls(n, 1, "drain"), beside={"repeated.poll_seconds": 5}
    ),
    "repeated.poll_seconds": Row(
        reach=lambda mean: _polls(10, mean), trips="below", beside={"repeated.poll": 10}
    ),
    "repeated.dead": Row(
        reach=lambda n: _over(n, 50), beside={"repeated.dead_minutes": 45}
    ),
    "repeated.dead_minutes": Row(
        reach=lambda minutes: _over(8, minutes), beside={"repeated.dead": 8}
    ),
    "same_error.count": Row(
        reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "error", error="E"))
    ),
    "same_error.again": Row(
        reach=lambda n: _many(n + 2, lambda seq: call(seq, str(seq), "error", error="EF"[seq % 2]))
    ),
    "no_progress.stale": Row(reach=_stale, step=0.5),
    "no_progress.calls": Row(reach=_idle),
    "edit_failures.count": Row(reach=lambda n: _many(n, lambda seq: edit(seq, str(seq), "error"))),
    "test_failure.reds": Row(reach=lambda n: _many(n, red)),
    "test_failure.names": Row(reach=lambda n: _many(n, lambda seq: red(seq, names=("t::a",)))),
    "test_failure.builds": Row(reach=lambda n: _many(n, build)),
    "test_failure.errors": Row(reach=lambda n: _many(n, build)),
    "timeouts.count": Row(reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "timeout"))),
    "denials.same": Row(reach=lambda n: _many(n, lambda seq: call(seq, "rm", "denied"))),
    "denials.mark": Row(
        reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "denied", marks=("m",)))
    ),
    "denials.dense": Row(reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "denied"))),
    "denials.rate": Row(
        reach=lambda share: _mixed(share, 20, "denied", "ok", last=True), trips="above", step=0.05
    ),
    "denials.count": Row(reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "denied"))),
    "success_rate.low": Row(
        reach=lambda share: _mixed(share, 10, "ok", "error", last=False), trips="below", step=0.1
    ),
    "success_rate.severe": Row(
        reach=lambda share: _mixed(share, 10, "ok", "error", last=False), trips="below", step=0.1,
        beside={"success_rate.distinct": 5},
    ),
    "success_rate.distinct": Row(reach=_failing, beside={"success_rate.severe": 0.3}),
    "streak.clean": Row(reach=lambda n: _many(n, lambda seq: call(seq, str(seq)))),
    "context.share": Row(reach=_full, step=0.001),
    "review.green": Row(reach=_ended_green, highest=1),
    "review.to_mode": Row(reach=lambda _: _ended_green(1), beside={"review.green": 1}),
    "coverage.gap": Row(reach=_gap, highest=1),
    "blocked_storm.same": Row(
        reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "blocked", rule="r"))
    ),
    "blocked_storm.any": Row(
        reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "blocked", rule=f"r{seq}"))
    ),
    "escalation.blocks": Row(
        reach=lambda n: denied(["a"] * round(n), Said("deny", escalated=True))
    ),
    "escalation.further": Row(
        reach=lambda n: denied(["a", *map(str, range(round(n)))], Said("deny", True, True))
    ),
    "error_streak.count": Row(
        reach=lambda n: _many(n, lambda seq: call(seq, str(seq), "error"))
    ),
    "cost.cap": Row(
        reach=lambda cost: _used(cost=cost), step=0.1, beside={"cost.share": 1}, tried=10
    ),
    "cost.share": Row(
        reach=lambda share: _used(cost=round(10 * share, 6)), step=0.01, beside={"cost.cap": 10}
    ),
    "tokens_written.count": Row(reach=lambda n: _used(output_tokens=round(n)), tried=1000),
    "turn_seconds.count": Row(reach=lambda n: _used(seconds=n), step=0.5, tried=60),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Window:
    """How many calls back a threshold looks."""

    size: int
    count: Callable[[int], Call]
    other: Callable[[int], Call] = lambda seq: call(seq, f"other {seq}")
    first: tuple[Call, ...] = ()  # what has to be there before anything counts


WINDOWS: Final[Mapping[str, Window]] = {
    "timeouts.count": Window(size=10, count=lambda seq: call(seq, str(seq), "timeout")),
    "same_error.count": Window(
        size=20, count=lambda seq: call(seq, str(seq), "error", error="E")
    ),
    "no_progress.stale": Window(
        size=16, count=lambda seq: call(seq, "a"), first=(call(0, "a"),)
    ),
    "denials.same": Window(size=20, count=lambda seq: call(seq, "rm", "denied")),
    "denials.mark": Window(
        size=20, count=lambda seq: call(seq, str(seq), "denied", marks=("m",))
    ),
    "denials.dense": Window(size=10, count=lambda seq: call(seq, str(seq), "denied")),
    "denials.count": Window(size=20, count=lambda seq: call(seq, str(seq), "denied")),
    "blocked_storm.same": Window(
        size=10, count=lambda seq: call(seq, str(seq), "blocked", rule="r")
    ),
    "blocked_storm.any": Window(
        size=10, count=lambda seq: call(seq, str(seq), "blocked", rule=f"r{seq}")
    ),
}  # fmt: skip


def spaced(window: Window, counted: int, others: int) -> Stream:
    """All counts but one, other calls, and the last count."""
    calls = [*window.first, *(window.count(seq) for seq in range(1, counted))]
    calls += [window.other(seq) for seq in range(counted, counted + others)]
    return after(_numbered([*calls, window.count(counted + others)]))
