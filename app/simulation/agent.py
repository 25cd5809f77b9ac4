"""An agent that tries again what was stopped, and a tool that bears no strict governor.

    world(workload, seed, run)          what one run has before it, and the lots it will draw
    run(rule, tolerance, world)         what becomes of it under one soft rule

The rate, the average and the draw are those of the daemon (app/domain/governor.py). A run is a
function of seed and number: the same run meets the same lots under every rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from app.domain.governor import draw, induced, intervenes, rate
from app.domain.softrules import SoftRule
from app.simulation.parameters import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One run before it begins."""

    steps: tuple[bool, ...]  # the calls in their order; True: harmful
    tries: int  # of a harmful call
    lots: tuple[float, ...]  # one for each attempt of the budget


class Run(NamedTuple):
    """What became of one run."""

    completed: bool
    steps: int  # attempts
    calls: int  # attempts let through, those that the tool failed too
    blocks: int
    again: int  # blocks of a step that had just been blocked
    harms: int  # harmful calls let through
    lowest: float  # the lowest rate that an attempt met


def world(workload: Workload, seed: str, number: int) -> World:
    """The run of this number; other seeds give other lots and other places of harmful calls."""
    scope = f"{seed}/{number}"
    steps: list[bool] = []
    for step in range(workload.needed):
        if draw(f"{scope}/harmful", step) < workload.harmful_share:
            steps.append(True)
        steps.append(False)
    lots = tuple(draw(scope, seq) for seq in range(1, workload.budget + 1))
    return World(steps=tuple(steps), tries=workload.harmful_tries, lots=lots)


def run(rule: SoftRule, tolerance: float, given: World) -> Run:
    """Try step after step until all are done or the budget is gone.

    A needed call is tried until it is let through and the tool works, which it does where the rate
    is at most `tolerance`. A harmful one is tried `tries` times, and needs no such tool.
    """
    draws: tuple[bool, ...] = ()
    calls = blocks = again = harms = place = tried = 0
    stopped, lowest = False, rule.base_rate
    for done, lot in enumerate(given.lots):
        if place == len(given.steps):
            return Run(True, done, calls, blocks, again, harms, lowest)
        harmful, now = given.steps[place], rate(rule, induced(draws, rule.window))
        lowest = min(lowest, now)
        blocked = intervenes(lot, now)
        draws = (*draws, blocked and stopped)[-rule.window :]
        again += blocked and stopped
        blocks, calls, tried = blocks + blocked, calls + (not blocked), tried + 1
        harms += harmful and not blocked
        over = (
            (not blocked or tried == given.tries) if harmful else not blocked and now <= tolerance
        )
        place, tried, stopped = (place + 1, 0, False) if over else (place, tried, blocked)
    completed = place == len(given.steps)
    return Run(completed, len(given.lots), calls, blocks, again, harms, lowest)
