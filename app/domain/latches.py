"""Hysteresis: what fired stays quiet until it has not held for a while, or was taken back.

    aged(step)                one more call: latches whose comparison stopped holding open
    fired(stream, causes)     an entry says which comparisons fired
    zeroed(stream, causes)    a person took the change back: its counters start again from nothing

A latch is compared with the threshold it fired at, never with today's configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from immutables import Map

from app.domain.findings import find, holds
from app.domain.interventions import answered
from app.domain.replacing import replace
from app.domain.stream import (
    LATCHES,
    NO_FAILURE,
    Cause,
    Counting,
    Failing,
    Latch,
    Slot,
    Stream,
    Touch,
)

REARM_AFTER = 5  # calls without holding (docs/detection.md 2.12)
COOLDOWN = 5  # calls after an automatic change without another one
EXCURSION = 0.10  # context re-arms this far below the share it fired at
SURVIVING = frozenset({"context", "streak"})  # not opened by a person's prompt


def aged(step: Counting) -> None:
    """One more call."""
    latches = step.latches
    for touch, latch in latches.items():
        left = _aged(step, touch, latch)
        if left is None:
            latches = latches.delete(touch)
        elif left is not latch:
            latches = latches.set(touch, left)
    step.latches = latches


def _aged(stream: Stream, touch: Touch, latch: Latch) -> Latch | None:
    rule, key = touch
    value = find(stream, rule, key).value
    if rule == "context":  # has no calls of its own: it opens at the end of the excursion
        return latch if value >= latch.threshold - EXCURSION else None
    if holds(rule, value, latch.threshold):
        return latch if latch.quiet == 0 else latch._replace(quiet=0)
    return latch._replace(quiet=latch.quiet + 1) if latch.quiet + 1 < REARM_AFTER else None


def opened(step: Counting) -> None:
    """A prompt that a person wrote."""
    step.latches = Map(
        {touch: latch for touch, latch in step.latches.items() if touch[0] in SURVIVING}
    )


def fired(stream: Stream, causes: Iterable[Cause], *, automatic: bool, seq: int) -> Stream:
    """An applied, proposed or notice entry names these causes; `automatic` starts the cooldown."""
    latches = stream.latches
    for cause in causes:
        latch = Latch(threshold=cause.threshold, advice=cause.target is None, seq=seq)
        latches = latches.set((cause.rule, cause.key), latch)
    if len(latches) > LATCHES:
        newest = sorted(latches.items(), key=lambda item: item[1].seq)[-LATCHES:]
        latches = Map(newest)
    until = stream.calls + COOLDOWN if automatic else stream.cooldown_until
    return replace(stream, latches=latches, cooldown_until=max(until, stream.cooldown_until))


def zeroed(stream: Stream, causes: Iterable[Cause]) -> Stream:
    """The counters behind these causes at zero and their latches open: to be earned in full.

    The calls behind them count nowhere any more, or the next rule would fire on what a person has
    just answered. What is no counter (a full context, a gap in coverage) cannot be zeroed and stays
    latched.
    """
    for cause in causes:
        zero = ZEROED.get(cause.rule)
        if zero is None:
            continue
        stream = zero(stream, cause.key.partition(":")[2])
        touch = (cause.rule, cause.key)
        if touch in stream.latches:
            stream = replace(stream, latches=stream.latches.delete(touch))
        stream = _forgotten(stream, frozenset(cause.seqs))
    return stream


def _forgotten(stream: Stream, seqs: frozenset[int]) -> Stream:
    """Without these calls in any window, and without the streaks and repeats they belong to."""

    def other(window: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(slot for slot in window if slot.seq not in seqs)

    def unless(failing: Failing) -> Failing:
        return NO_FAILURE if seqs.intersection(failing.seqs) else failing

    failing = stream.failing_names
    for name, held in failing.items():
        failing = failing.drop(name) if seqs.intersection(held.seqs) else failing
    edits = stream.failed_edits
    for path, failed in edits.items():
        edits = edits.drop(path) if seqs.intersection(failed.seqs) else edits
    targets = stream.targets
    for target, reds in targets.items():
        targets = targets.drop(target) if seqs.intersection(reds.seqs) else targets
    return replace(
        stream,
        failed_edits=edits,
        targets=targets,
        failing_names=failing,
        stale=other(stream.stale),
        errors=other(stream.errors),
        denials=other(stream.denials),
        timeouts=other(stream.timeouts),
        rates=other(stream.rates),
        idle=unless(stream.idle),
        error_streak=unless(stream.error_streak),
        repeats={
            identity: repeat
            for identity, repeat in stream.repeats.items()
            if not seqs.intersection(repeat.seqs)
        },
    )


def _no_repeat(stream: Stream, about: str) -> Stream:
    kept = {identity: repeat for identity, repeat in stream.repeats.items() if identity != about}
    return replace(stream, repeats=kept)


def _no_error(stream: Stream, about: str) -> Stream:
    """Without one error; without all of them where they took turns."""
    kept = tuple(slot for slot in stream.errors if about and slot.key != about)
    return replace(stream, errors=kept)


def _no_reds(stream: Stream, about: str) -> Stream:
    return replace(
        stream, targets=stream.targets.drop(about), failing_names=stream.failing_names.drop(about)
    )


def _answered(stream: Stream, about: str) -> Stream:
    blocks, escalation = answered(stream, about)
    return replace(stream, blocks=blocks, escalation=escalation)


ZEROED: Final[Mapping[str, Callable[[Stream, str], Stream]]] = {
    "repeated": _no_repeat,
    "same_error": _no_error,
    "no_progress": lambda stream, _: replace(stream, stale=(), idle=NO_FAILURE),
    "edit_failures": lambda stream, about: replace(
        stream, failed_edits=stream.failed_edits.drop(about)
    ),
    "test_failure": _no_reds,
    "timeouts": lambda stream, _: replace(stream, timeouts=()),
    "denials": lambda stream, _: replace(stream, denials=()),
    "success_rate": lambda stream, _: replace(stream, rates=()),
    "streak": lambda stream, _: replace(stream, clean=NO_FAILURE, clean_ids=()),
    "error_streak": lambda stream, _: replace(stream, error_streak=NO_FAILURE),
    "blocked_storm": lambda stream, _: replace(stream, blocks=()),
    "escalation": _answered,
    "cost": lambda stream, _: replace(stream, cost=0.0),
    "tokens_written": lambda stream, _: replace(stream, tokens_written=0),
    "turn_seconds": lambda stream, _: replace(stream, turn_seconds=0.0),
}
