"""The checks: each named comparison of a counter with a threshold, evaluated.

    tripped(stream, thresholds)     what the last event made trip, and nobody answered yet

A check can only trip after an event that added to its evidence (`Stream.touched`). A threshold of
0 turns it off. What has fired is latched; after an automatic change the next one waits a few
calls, unanswered and not latched, so that it is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.domain.comparisons import CHECKS_OF, Check, Response
from app.domain.configuration import Thresholds
from app.domain.findings import FINDINGS, Finding
from app.domain.modes import ModeName
from app.domain.replacing import replace
from app.domain.stream import Stream

SHADOWED = frozenset({"repeated", "no_progress"})  # only advice in the shadow of a block of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A check that tripped: its number, the calls behind it, and what it asks for.

    `target` is None where no mode is asked for, so also where `advice` says that a block of ours
    turned the change into advice.
    """

    rule: str
    key: str
    value: float
    threshold: float
    seqs: tuple[int, ...]
    target: ModeName | None
    response: Response
    detail: str
    advice: bool = False


def tripped(stream: Stream, thresholds: Thresholds) -> tuple[Trip, ...]:
    """What the last event made trip, in the order of the rules; latched checks stay quiet."""
    if not stream.touched:
        return ()
    trips: dict[tuple[str, str], Trip] = {}
    comparing = _comparing(_Same(thresholds))
    for rule, key in stream.touched:
        kind, _, about = key.partition(":")
        compared = comparing.get((rule, kind))
        if compared is None:
            continue
        finding = FINDINGS[rule, kind](stream, about)
        for check, threshold in compared:
            if not check.beyond(finding.value, threshold):
                continue
            if check.when(stream, about, finding, thresholds):
                trip = _shadowed(stream, _found(check, key, finding, threshold, thresholds))
                if not _latched(stream, trip) and not _waits(stream, trip):
                    trips.setdefault((rule, key), trip)
    return tuple(trips.values())


class _Same:
    """Thresholds as the key of what was made of them: the same object, not an equal one."""

    __slots__ = ("thresholds",)

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds

    def __hash__(self) -> int:
        return len(self.thresholds)  # few are in use at once, so that alike is no matter

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thresholds is self.thresholds


@lru_cache(maxsize=8)
def _comparing(under: _Same) -> Mapping[tuple[str, str], tuple[tuple[Check, float], ...]]:
    """The checks of each counter that are on, with their thresholds."""
    found: dict[tuple[str, str], tuple[tuple[Check, float], ...]] = {}
    for counter, checks in CHECKS_OF.items():
        pairs = ((check, _threshold(check, under.thresholds)) for check in checks)
        if on := tuple((check, threshold) for check, threshold in pairs if threshold):
            found[counter] = on
    return found


def _threshold(check: Check, thresholds: Thresholds) -> float:
    """The number a check's value meets; 0: the check is off."""
    threshold = thresholds.get(check.threshold, 0)
    if check.share_of is not None:
        threshold *= thresholds.get(check.share_of, 0)
    return threshold


def _found(
    check: Check, key: str, finding: Finding, threshold: float, thresholds: Thresholds
) -> Trip:
    review = check.rule == "review" and bool(thresholds.get("review.to_mode", 0))
    return Trip(
        rule=check.rule,
        key=key,
        value=finding.value,
        threshold=threshold,
        seqs=finding.seqs,
        target="review" if review else check.target,
        response="mode" if review else check.response,
        detail=check.detail.format(n=_number(finding.value)),
    )


def _shadowed(stream: Stream, trip: Trip) -> Trip:
    if trip.rule in SHADOWED and stream.calls <= stream.shadow_until:
        return replace(trip, advice=True, target=None, response="notice")
    return trip


def _latched(stream: Stream, trip: Trip) -> bool:
    """Whether it fired before; advice that fired leaves a change of mode open."""
    latch = stream.latches.get((trip.rule, trip.key))
    return latch is not None and (trip.target is None or not latch.advice)


def _waits(stream: Stream, trip: Trip) -> bool:
    """Whether an automatic change has to wait for the end of a cooldown."""
    return trip.response == "mode" and stream.calls <= stream.cooldown_until


def _number(value: float) -> str:
    """A count as it is, a share as per cent."""
    return f"{value:.0%}" if 0 < value < 1 else f"{value:g}"
