"""The table of checks: which counter is compared with which threshold, and what follows.

Documentation's table of rules is made from CHECKS; checks.py evaluates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import ge, gt, lt
from typing import Final, Literal, NamedTuple

from app.domain.configuration import Thresholds
from app.domain.findings import Finding
from app.domain.modes import ModeName
from app.domain.stream import Stream

Response = Literal["mode", "notice", "compact", "looser_posture", "proposal"]
RATE_CALLS = 10  # the success rate needs a full window
SHARE_CALLS = 20  # and so does the share of denials

When = Callable[[Stream, str, Finding, Thresholds], bool]
Beyond = Callable[[float, float], bool]


def _always(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    return True


class Check(NamedTuple):
    """One comparison: `rule` and `kind` name the counter, `threshold` the number it meets."""

    rule: str
    kind: str
    threshold: str  # "rule.name" in the profiles
    detail: str  # {n} is the value
    target: ModeName | None = None
    response: Response = "mode"
    when: When = _always
    beyond: Beyond = ge  # how the value meets its threshold
    share_of: str | None = None  # the threshold is a share of this number; without it there is none


def _last_failed(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    return bool(stream.recent) and stream.recent[-1].failed


def _last_worked(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    """Each of the two thresholds of repetition is for its own kind of call, whatever the other."""
    return not _last_failed(stream, about, finding, thresholds)


def _drains(stream: Stream) -> bool:
    return bool(stream.recent) and stream.recent[-1].pace == "drain"


def _span_seconds(stream: Stream, about: str) -> float:
    repeat = stream.repeats.get(about)
    return 0.0 if repeat is None else (repeat.at_ms - repeat.since_ms) / 1000


def _in_vain(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    repeat = stream.repeats.get(about)
    return repeat is not None and repeat.failed


def _hasty(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    """The polls came closer together than anything they wait for would change."""
    mean = _span_seconds(stream, about) / max(1.0, finding.value - 1)
    return mean < thresholds.get("repeated.poll_seconds", 0)


def _busy(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    return not _drains(stream) and _hasty(stream, about, finding, thresholds)


def _draining(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    return _drains(stream) and _hasty(stream, about, finding, thresholds)


def _dead(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    minutes = thresholds.get("repeated.dead_minutes", 0)  # 0: off, like any other number
    return minutes > 0 and _span_seconds(stream, about) >= 60 * minutes


def _full(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    return len(stream.rates) >= RATE_CALLS


def _severe(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    failing = {slot.key for slot in stream.rates if not slot.weight}
    return len(stream.rates) >= RATE_CALLS and len(failing) >= thresholds.get(
        "success_rate.distinct", 0
    )


def _share(stream: Stream, about: str, finding: Finding, thresholds: Thresholds) -> bool:
    return len(stream.denials) >= SHARE_CALLS


def _plan(
    rule: str, kind: str, number: str, detail: str, when: When = _always, beyond: Beyond = ge
) -> Check:
    threshold = f"{rule}.{number}"
    return Check(rule, kind, threshold, detail, target="plan", when=when, beyond=beyond)


def _debug(rule: str, kind: str, number: str, detail: str) -> Check:
    return Check(rule, kind, f"{rule}.{number}", detail, target="debug")


def _says(
    response: Response,
    rule: str,
    kind: str,
    number: str,
    detail: str,
    when: When = _always,
    beyond: Beyond = ge,
) -> Check:
    target: ModeName | None = "test_development" if response == "proposal" else None
    return Check(rule, kind, f"{rule}.{number}", detail, target, response, when, beyond)


_UNCHANGED = "nothing changed in between"

CHECKS: Final[tuple[Check, ...]] = (
    _plan("timeouts", "count", "count", "{n} timeouts in 10 calls"),
    _debug("edit_failures", "path", "count", "{n} failed edits of one file"),
    _debug("test_failure", "target", "reds", "red runs of one target without progress: {n}"),
    _debug("test_failure", "names", "names", "the same tests failed in {n} runs"),
    _debug("test_failure", "build", "builds", "red builds of one target without progress: {n}"),
    _debug("test_failure", "errors", "errors", "the same errors in {n} builds"),
    _plan("same_error", "error", "count", "same error {n} times in 20 calls"),
    _plan("same_error", "again", "again", "{n} errors in 20 calls that were met before"),
    _plan(
        "success_rate",
        "severe",
        "severe",
        "{n} of the last 10 calls worked, many failed",
        _severe,
        lt,
    ),
    _says(
        "notice",
        "success_rate",
        "low",
        "low",
        "{n} of the last 10 calls worked; consider compaction",
        _full,
        lt,
    ),
    _plan(
        "repeated", "same", "failed", f"same failing call {{n}} times, {_UNCHANGED}", _last_failed
    ),
    _plan(
        "repeated",
        "same",
        "ok",
        f"same call and answer {{n}} times, {_UNCHANGED}",
        _last_worked,
    ),
    _plan(
        "repeated",
        "poll",
        "poll_failed",
        "met the same error {n} times, waiting for what does not come",
        _in_vain,
    ),
    _plan("repeated", "poll", "poll", "polled {n} times in haste without a change", _busy),
    _plan("repeated", "poll", "drain", "waited {n} times in haste without a change", _draining),
    _plan("repeated", "poll", "dead", "polled {n} times what has long not changed", _dead),
    _plan("no_progress", "stale", "stale", "little new in the last 16 calls, stale weight {n}"),
    _plan("no_progress", "calls", "calls", "{n} calls in a row without anything new"),
    _plan("denials", "same", "same", "same call denied {n} times in 20 calls"),
    _plan("denials", "mark", "mark", "{n} denials in 20 calls on one rule, path or address"),
    _plan("denials", "dense", "dense", "{n} of the last 10 calls denied or refused"),
    _plan("denials", "rate", "rate", "{n} of the last 20 calls denied", _share, gt),
    _plan("denials", "count", "count", "{n} of the last 20 calls denied"),
    _says("looser_posture", "streak", "clean", "clean", "{n} distinct clean calls in a row"),
    _says(
        "compact",
        "context",
        "share",
        "share",
        "context {n} full: compact, or go on in a new session from the handoff",
    ),
    _says("notice", "review", "green", "green", "done and green; review?"),
    _says("proposal", "coverage", "gap", "gap", "coverage below what is required"),
    _says(
        "notice", "blocked_storm", "same", "same", f"blocked {{n}} times on one rule, {_UNCHANGED}"
    ),
    _says(
        "notice", "blocked_storm", "any", "any", f"blocked {{n}} times in 10 calls, {_UNCHANGED}"
    ),
    _says(
        "notice",
        "escalation",
        "step",
        "blocks",
        f"one step blocked {{n}} times, {_UNCHANGED}: the agent needs an answer",
    ),
    _says(
        "notice",
        "escalation",
        "further",
        "further",
        "{n} more calls blocked since the agent was told to stop: its turn ends",
    ),
    _debug("error_streak", "count", "count", "{n} failed calls in a row"),
    _says("notice", "cost", "spent", "share", "near the day's cap of cost")._replace(
        share_of="cost.cap"
    ),
    _says("notice", "tokens_written", "count", "count", "{n} tokens written in one turn"),
    _says("notice", "turn_seconds", "count", "count", "one turn took {n} seconds"),
)


def _by_counter() -> Iterator[tuple[tuple[str, str], tuple[Check, ...]]]:
    for counter in dict.fromkeys((check.rule, check.kind) for check in CHECKS):
        yield counter, tuple(c for c in CHECKS if (c.rule, c.kind) == counter)


CHECKS_OF: Final[Mapping[tuple[str, str], tuple[Check, ...]]] = dict(_by_counter())
