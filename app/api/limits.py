"""How much one token may send: a bucket for each name, for the own routes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from starlette.responses import Response

from app.api.problems import problem
from app.domain.bucket import Bucket, full, take


class Limits:
    """The buckets of all senders; `clock` gives seconds and does not jump."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: dict[str, Bucket] = {}

    def refusal(self, name: str, count: int) -> Response | None:
        """The 429 for `count` events from the token `name`; None: they are counted and may go."""
        now = self._clock()
        bucket = self._buckets.get(name) or full(now, self._rate, self._burst)
        self._buckets[name], allowed, wait = take(bucket, count, now)
        if allowed:
            return None
        seconds = max(1, math.ceil(wait))
        return problem(
            429,
            "too_many_events",
            f"This token sends faster than {self._rate:g} events a second; wait {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )
