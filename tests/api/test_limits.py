"""One sender's flood is answered 429; the others do not notice."""

from __future__ import annotations

from app.api.limits import Limits
from app.config import schema as config


def test_a_flood_is_told_when_to_come_back() -> None:
    now = [0.0]
    limits = Limits(rate=10, burst=20, clock=lambda: now[0])
    assert limits.refusal("a", 20) is None
    refused = limits.refusal("a", 15)
    assert refused is not None
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
    now[0] = 2.0
    assert limits.refusal("a", 15) is None


def test_the_flood_of_one_does_not_slow_another() -> None:
    limits = Limits(rate=10, burst=20, clock=lambda: 0.0)
    assert limits.refusal("a", 20) is None
    assert limits.refusal("a", 1) is not None
    assert limits.refusal("b", 20) is None


def test_the_default_lets_the_largest_requests_of_a_bench_through() -> None:
    usual = config.Limits()
    limits = Limits(usual.rate, usual.burst, clock=lambda: 0.0)
    assert [limits.refusal("a", 10_000) for _ in range(10)] == [None] * 10
