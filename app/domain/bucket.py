"""A token bucket as a value: what one sender may still send, at a time that is handed in."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """`level` events may still be sent at second `at`."""

    level: float
    at: float  # seconds of a clock that does not jump
    rate: float  # events a second, above 0
    burst: float  # events at once


def full(at: float, rate: float, burst: float) -> Bucket:
    """A bucket from which nothing was taken yet."""
    return Bucket(level=burst, at=at, rate=rate, burst=burst)


def take(bucket: Bucket, count: int, now: float) -> tuple[Bucket, bool, float]:
    """The bucket afterwards, whether `count` events may go, and else the seconds until they may.

    What is larger than the burst may go when the bucket is full and leaves it in debt: refusing
    it for ever would help nobody, and the rate holds over time. A clock that goes back adds
    nothing.
    """
    filled = _filled(bucket, now)
    short = min(float(count), bucket.burst) - filled.level
    if short > 0:
        return filled, False, short / bucket.rate
    return replace(filled, level=filled.level - count), True, 0.0


def _filled(bucket: Bucket, now: float) -> Bucket:
    elapsed = max(0.0, now - bucket.at)
    level = min(bucket.burst, bucket.level + elapsed * bucket.rate)
    return replace(bucket, level=level, at=max(bucket.at, now))
