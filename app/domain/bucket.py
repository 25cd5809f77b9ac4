"""A token bucket as a value: what one sender may still send, at a time that is handed in."""

from __future__ import annotations

from dataclasses import dataclass


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
    at = max(bucket.at, now)
    level = min(bucket.burst, bucket.level + (at - bucket.at) * bucket.rate)
    short = min(float(count), bucket.burst) - level
    left = level if short > 0 else level - count
    after = Bucket(level=left, at=at, rate=bucket.rate, burst=bucket.burst)
    return after, short <= 0, max(0.0, short) / bucket.rate
