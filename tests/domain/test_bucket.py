"""What a token bucket lets through."""

from __future__ import annotations

from app.domain.bucket import full, take


def test_a_full_bucket_lets_a_burst_through_and_then_no_more() -> None:
    bucket, allowed, _ = take(full(0.0, rate=10, burst=20), 20, now=0.0)
    assert allowed
    assert take(bucket, 1, now=0.0) == (bucket, False, 0.1)


def test_a_refusal_says_when_to_come_back_and_coming_back_then_works() -> None:
    bucket, _, _ = take(full(0.0, rate=10, burst=20), 20, now=0.0)
    bucket, allowed, wait = take(bucket, 5, now=0.0)
    assert (allowed, wait) == (False, 0.5)
    assert take(bucket, 5, now=0.5)[1]


def test_what_was_refused_is_not_counted() -> None:
    bucket, _, _ = take(full(0.0, rate=10, burst=20), 15, now=0.0)
    bucket, allowed, _ = take(bucket, 6, now=0.0)
    assert not allowed
    assert take(bucket, 5, now=0.0)[1]


def test_more_than_a_burst_goes_through_a_full_bucket_and_leaves_a_debt() -> None:
    bucket, allowed, _ = take(full(0.0, rate=10, burst=20), 50, now=0.0)
    assert allowed
    assert take(bucket, 1, now=0.0)[2] == 3.1


def test_a_clock_that_goes_back_adds_nothing() -> None:
    bucket, _, _ = take(full(100.0, rate=10, burst=20), 20, now=100.0)
    bucket, allowed, _ = take(bucket, 1, now=0.0)
    assert not allowed
    assert not take(bucket, 1, now=100.0)[1]
