"""A token bucket as a value: what one sender may still send, at a time that is handed in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

RATE: Final = 50_000.0  # events per second (docs/design.md 9): a bench and a replay stay below it
BURST: Final = 100_000.0  # events at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """`level` events may still be sent at second `at`; a rate of 0 means without limit."""

    level: float
    at: float  # seconds of a clock that does not jump
    rate: float = RATE
    burst: float = BURST


def full(at: float, rate: float = RATE, burst: float = BURST) -> Bucket:
    """A bucket from which nothing was taken yet."""
    return Bucket(level=burst, at=at, rate=rate, burst=burst)


def take(bucket: Bucket, count: int, now: float) -> tuple[Bucket, bool, float]:
    """The bucket afterwards, whether `count` events may go, and else the seconds until they may.

    What is larger than the burst may go when the bucket is full and leaves it in debt: refusing
    it for ever would help nobody, and the rate holds over time. A clock that goes back adds
    nothing.
    """
    if bucket.rate <= 0:
        return bucket, True, 0.0
    filled = _filled(bucket, now)
    short = min(float(count), bucket.burst) - filled.level
    if short > 0:
        return filled, False, short / bucket.rate
    return replace(filled, level=filled.level - count), True, 0.0


def _filled(bucket: Bucket, now: float) -> Bucket:
    elapsed = max(0.0, now - bucket.at)
    level = min(bucket.burst, bucket.level + elapsed * bucket.rate)
    return replace(bucket, level=level, at=max(bucket.at, now))
