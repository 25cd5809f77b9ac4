"""How sure a share or a mean is that was counted in some trials: its 95 % interval.

share(right, count)   Wilson's interval; it fits few trials and shares near 0 and 1
mean(values)          the normal interval, mean +- 1.96 s / sqrt(n), for 30 values or more
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Final

SURE: Final = NormalDist().inv_cdf(0.975)  # standard errors on each side: 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def below(self, other: Estimate) -> bool:
        """Whether the whole interval lies below another one."""
        return self.high < other.low


def share(right: int, count: int) -> Estimate:
    """Wilson's 95 % interval of a share, from 0 to 1; `count` is 1 or more."""
    part, square = right / count, SURE * SURE
    centre = part + square / (2 * count)
    spread = SURE * math.sqrt(part * (1 - part) / count + square / (4 * count * count))
    scale = 1 + square / count
    # Rounding must not put an end beyond the share itself, nor beyond what a share can be.
    low = min(part, max(0.0, (centre - spread) / scale))
    return Estimate(value=part, low=low, high=max(part, min(1.0, (centre + spread) / scale)))


def mean(values: Sequence[float]) -> Estimate:
    """The normal 95 % interval of a mean, of two values or more; of equal ones it has no width."""
    middle = fmean(values)
    spread = SURE * stdev(values, middle) / math.sqrt(len(values))
    return Estimate(value=middle, low=middle - spread, high=middle + spread)
