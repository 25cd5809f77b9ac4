"""Every signal of a stream beside its threshold, for people (`GET /controller/sessions`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from app.domain.configuration import Thresholds
from app.domain.findings import find
from app.domain.stream import Stream


def readings(stream: Stream, thresholds: Thresholds) -> dict[str, tuple[float | None, float]]:
    """Each signal's value now and the threshold it is compared with; a threshold of 0 is off.

    How full the context is may be unknown (None): where no harness told, nothing was read as empty.
    Counters kept per call, path or target show the highest of them. The three counters of
    interventions, and `cost` without a cap, are compared with nothing.
    """
    return {
        name: (value(stream), _threshold(threshold, thresholds))
        for name, (value, threshold) in SIGNALS.items()
    }


def _threshold(name: str, thresholds: Thresholds) -> float:
    number = thresholds.get(name, 0)
    return number * thresholds.get("cost.cap", 0) if name == "cost.share" else number


def _repeated(stream: Stream) -> float:
    return max((find(stream, "repeated", f"same:{key}").value for key in stream.repeats), default=0)


def _edits(stream: Stream) -> float:
    return max((failing.times for _, failing in stream.failed_edits.items()), default=0)


def _tests(stream: Stream) -> float:
    return max((reds.count for _, reds in stream.targets.items()), default=0)


def _context(stream: Stream) -> float | None:
    return find(stream, "context", "share").value if stream.context_seq else None


def _interventions(stream: Stream) -> float:
    return round(stream.interventions / max(1, stream.attempts), 3)


def _of(rule: str, key: str) -> Callable[[Stream], float]:
    return lambda stream: find(stream, rule, key).value


SIGNALS: Final[Mapping[str, tuple[Callable[[Stream], float | None], str]]] = {
    "repeated": (_repeated, "repeated.failed"),
    "timeouts": (_of("timeouts", "count"), "timeouts.count"),
    "success_rate": (_of("success_rate", "low"), "success_rate.low"),
    "context": (_context, "context.share"),
    "denials": (_of("denials", "dense"), "denials.dense"),
    "denial_rate": (_of("denials", "rate"), "denials.rate"),
    "edit_failures": (_edits, "edit_failures.count"),
    "no_progress": (_of("no_progress", "stale"), "no_progress.stale"),
    "calls_without_progress": (_of("no_progress", "calls"), "no_progress.calls"),
    "test_failure": (_tests, "test_failure.reds"),
    "streak": (_of("streak", "clean"), "streak.clean"),
    "intervention_rate": (_interventions, ""),
    "blocked_then_blocked": (lambda stream: stream.blocked_then_blocked, ""),
    "steps_after_first_terminal_block": (lambda stream: stream.after_terminal, ""),
    "error_streak": (_of("error_streak", "count"), "error_streak.count"),
    "cost": (_of("cost", "spent"), "cost.share"),
    "tokens_written": (_of("tokens_written", "count"), "tokens_written.count"),
    "turn_seconds": (_of("turn_seconds", "count"), "turn_seconds.count"),
}
