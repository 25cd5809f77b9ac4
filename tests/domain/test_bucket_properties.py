"""Over any stretch of time a bucket lets through a burst and its rate, and not less than asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.bucket import full, take

BURST, RATE = 100, 7.0
requests = st.lists(st.tuples(st.floats(0, 20), st.integers(1, BURST)), max_size=40)


@given(requests)
def test_no_more_than_a_burst_and_the_rate_goes_through(asked: list[tuple[float, int]]) -> None:
    bucket, now, let_through = full(0.0, RATE, BURST), 0.0, 0
    for pause, count in asked:
        now += pause
        bucket, allowed, _ = take(bucket, count, now)
        let_through += count if allowed else 0
    assert let_through <= BURST + RATE * now + 1e-6


@given(requests)
def test_whoever_waits_as_told_is_let_through(asked: list[tuple[float, int]]) -> None:
    bucket, now = full(0.0, RATE, BURST), 0.0
    for pause, count in asked:
        now += pause
        bucket, allowed, wait = take(bucket, count, now)
        if not allowed:
            now += wait + 1e-9
            bucket, allowed, _ = take(bucket, count, now)
        assert allowed


@given(requests)
def test_nobody_is_refused_without_having_used_up_what_was_there(
    asked: list[tuple[float, int]],
) -> None:
    bucket, now, since = full(0.0, RATE, BURST), 0.0, 0
    for pause, count in asked:
        now += pause
        bucket, allowed, _ = take(bucket, count, now)
        assert allowed or since + count > BURST
        since += count if allowed else 0
