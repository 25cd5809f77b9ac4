"""The two profiles: every threshold of every check, as plain tables. 0 turns a check off.

`default` has the numbers of docs/detection.md 2; `strict` those of the documents that floorboss
grew from, seeds 000 to 003 (docs/adr/0006-what-the-seeds-got-wrong.md). Where a seed speaks of a
rule, only its numbers hold in `strict`; where none does, the default's number stands in both. The
sources R1 to R9 are docs/detection.md 2.1 to 2.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.modes import ProfileName


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One threshold: its number in both profiles, what it means, and where it comes from."""

    default: float
    strict: float
    meaning: str
    source: str


def _t(default: float, strict: float, meaning: str, source: str) -> Threshold:
    return Threshold(default=default, strict=strict, meaning=meaning, source=source)


MEANINGS: Final[Mapping[str, Threshold]] = MappingProxyType(
    {
        "repeated.failed": _t(3, 3, "the same failing call, nothing changed", "R1; seed 000"),
        "repeated.ok": _t(
            4, 3, "the same call with the same answer, nothing changed", "R1; seed 000"
        ),
        "repeated.poll_failed": _t(
            7, 7, "the same unchanged failure of a poll, however long apart", "first contact"
        ),
        "repeated.poll": _t(10, 10, "the same unchanged answer to a poll, asked in haste", "R1"),
        "repeated.drain": _t(15, 15, "the same for output drains and lines with sleep", "R1"),
        "repeated.poll_seconds": _t(
            5, 5, "mean seconds between polls below which it is haste", "R1"
        ),
        "repeated.dead": _t(8, 8, "unchanged answers to a poll of something long dead", "R1"),
        "repeated.dead_minutes": _t(45, 45, "minutes without change after which it is dead", "R1"),
        "same_error.count": _t(5, 5, "one error among the last 20 counted calls", "R4"),
        "same_error.again": _t(
            5, 5, "errors that a window of 20 counted calls holds already", "R4"
        ),
        "no_progress.stale": _t(6, 0, "weight of stale calls among the last 16 counted ones", "R2"),
        "no_progress.calls": _t(
            0, 11, "calls in a row that brought nothing new", "seed 001: over 10"
        ),
        "edit_failures.count": _t(
            4, 4, "failed edits of one path without a success", "R6; seed 001"
        ),
        "test_failure.reds": _t(
            5, 1, "red runs of one target since its last progress", "R5; seed 000"
        ),
        "test_failure.names": _t(5, 5, "runs in which the same tests failed", "R5"),
        "test_failure.builds": _t(
            5, 5, "red builds, type checks or linter runs of one target without progress", "R5"
        ),
        "test_failure.errors": _t(5, 5, "builds in which the same errors came", "R5"),
        "timeouts.count": _t(3, 3, "timeouts among the last 10 calls, polls aside", "R8; seed 000"),
        "denials.same": _t(3, 0, "denials of the same call among the last 20", "R7"),
        "denials.mark": _t(4, 0, "denials on one rule, path or URL among the last 20", "R7"),
        "denials.dense": _t(4, 0, "denials among the last 10 calls; refusals half", "R7"),
        "denials.rate": _t(0, 0.30, "share of the last 20 calls denied, exceeded", "seed 000"),
        "denials.count": _t(0, 15, "denials among the last 20 calls", "seed 000"),
        "success_rate.low": _t(
            0.50, 0.50, "share of the last 10 calls that worked", "R9; seed 000"
        ),
        "success_rate.severe": _t(0.30, 0, "the same share, below which the mode changes", "R9"),
        "success_rate.distinct": _t(5, 0, "different failing calls a severe rate needs", "R9"),
        "streak.clean": _t(30, 30, "distinct clean calls in a row", "seed 000"),
        "context.share": _t(0.80, 0.80, "share of the context window in use", "seed 000"),
        "review.green": _t(1, 1, "a turn that ended green after edits", "seed 001"),
        "review.to_mode": _t(0, 1, "1 changes to review, 0 only says so", "seed 001"),
        "coverage.gap": _t(1, 1, "a coverage report below what is required", "seed 001"),
        "blocked_storm.same": _t(
            3, 2, "blocks on one rule in 10 calls, nothing changed", "seed 002"
        ),
        "blocked_storm.any": _t(5, 5, "blocks of any kind in 10 calls, nothing changed", "blocked"),
        "escalation.blocks": _t(
            2, 2, "blocks of one step in a row by which the agent is told to stop", "seed 002"
        ),
        "escalation.further": _t(
            5, 5, "calls blocked after that in the turn, by which it ends", "escalation"
        ),
        "error_streak.count": _t(0, 0, "failed calls in a row", "seed 003, which names no number"),
        "cost.cap": _t(0, 0, "cost a day, in the harness's currency; 0 = no cap", "seed 003"),
        "cost.share": _t(0.80, 0.80, "share of the cap that counts as near it", "seed 003"),
        "tokens_written.count": _t(0, 0, "tokens written in one turn", "seed 003"),
        "turn_seconds.count": _t(0, 0, "seconds one turn took", "seed 003"),
    }
)

THRESHOLDS: Final[Mapping[ProfileName, Mapping[str, float]]] = MappingProxyType(
    {
        "default": MappingProxyType({name: row.default for name, row in MEANINGS.items()}),
        "strict": MappingProxyType({name: row.strict for name, row in MEANINGS.items()}),
    }
)
