"""What each comparison compares: the value of one counter now, and the calls behind it.

    find(stream, rule, key) -> Finding

A key is `kind` or `kind:about`; FINDINGS maps (rule, kind) to the function that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from app.domain.interventions import row
from app.domain.stream import EVIDENCE, REPEAT_WITHIN, Failing, Slot, Stream

_tuple = tuple.__new__  # what a named tuple's own constructor calls, at a third of its price
DENSE = 10  # calls; the short denial window
BELOW: Final = frozenset({"success_rate"})  # rules that hold below their threshold, not above


class Finding(NamedTuple):
    """A counter's value and the seqs of the calls behind it, newest last."""

    value: float
    seqs: tuple[int, ...] = ()


NOTHING = Finding(value=0)


def find(stream: Stream, rule: str, key: str) -> Finding:
    """The value that `rule` compares for `key`."""
    kind, _, about = key.partition(":")
    found = FINDINGS.get((rule, kind))
    return NOTHING if found is None else found(stream, about)


def holds(rule: str, value: float, threshold: float) -> bool:
    """Whether a value is on the tripping side of its threshold."""
    return value < threshold if rule in BELOW else value >= threshold


def _repeats(stream: Stream, about: str) -> Finding:
    repeat = stream.repeats.get(about)
    if repeat is None or stream.calls - repeat.call > REPEAT_WITHIN:
        return NOTHING
    return Finding(value=repeat.times, seqs=repeat.seqs)


def _failing(failing: Failing | None) -> Finding:
    return NOTHING if failing is None else _tuple(Finding, failing)


def _reds(stream: Stream, about: str) -> Finding:
    reds = stream.targets.get(about)
    return NOTHING if reds is None else Finding(value=int(reds.count), seqs=reds.seqs)


def _sum(slots: Iterable[Slot]) -> Finding:
    counted = [slot for slot in slots if slot.weight]
    return Finding(sum([slot.weight for slot in counted]), _seqs(counted))


def _errors(stream: Stream, about: str) -> Finding:
    return _sum([slot for slot in stream.errors if slot.key == about])


def _errors_again(stream: Stream, _: str) -> Finding:
    """Failed calls that met an error which the window holds already."""
    met, again = set(), []
    for slot in stream.errors:
        if slot.weight and slot.key in met:
            again.append(slot)
        met.add(slot.key)
    return _sum(again)


def _denied_same(stream: Stream, about: str) -> Finding:
    return _sum([slot for slot in stream.denials if slot.key == about])


def _denied_mark(stream: Stream, about: str) -> Finding:
    return _sum([slot for slot in stream.denials if about in slot.marks])


def _denied(stream: Stream) -> Finding:
    """Denials alone: what the system refused stands in the window with half a weight."""
    return _sum([slot for slot in stream.denials if slot.weight >= 1])


def _denied_share(stream: Stream, _: str) -> Finding:
    denied = _denied(stream)
    return Finding(value=denied.value / max(1, len(stream.denials)), seqs=denied.seqs)


def _success(stream: Stream, _: str) -> Finding:
    failed = [slot for slot in stream.rates if not slot.weight]
    share = 1 - len(failed) / len(stream.rates) if stream.rates else 1.0
    return Finding(value=round(share, 3), seqs=_seqs(failed))


def _blocked_same(stream: Stream, about: str) -> Finding:
    blocks = [block for block in stream.blocks if block.key == about]
    return Finding(value=len(blocks), seqs=tuple(block.seq for block in blocks))


def _blocked_any(stream: Stream, _: str) -> Finding:
    return Finding(value=len(stream.blocks), seqs=tuple(block.seq for block in stream.blocks))


def _row(stream: Stream, about: str) -> Finding:
    blocks = row(stream, about)
    return Finding(blocks[-1].row, tuple(block.seq for block in blocks)) if blocks else NOTHING


def _further(stream: Stream, _: str) -> Finding:
    opened = stream.escalation
    return NOTHING if opened is None else Finding(opened.further, (opened.seq,))


def _context(stream: Stream, _: str) -> Finding:
    return _tuple(Finding, (round(stream.context, 3), (stream.context_seq,)))


def _coverage(stream: Stream, _: str) -> Finding:
    return Finding(value=int(stream.gap), seqs=(stream.gap_seq,) if stream.gap else ())


def _used(stream: Stream, value: float) -> Finding:
    return Finding(value=value, seqs=(stream.usage_seq,) if stream.usage_seq else ())


def _seqs(slots: list[Slot]) -> tuple[int, ...]:
    return tuple([slot.seq for slot in slots[-EVIDENCE:]])


FINDINGS: Final[Mapping[tuple[str, str], Callable[[Stream, str], Finding]]] = {
    ("repeated", "same"): _repeats,
    ("repeated", "poll"): _repeats,
    ("same_error", "error"): _errors,
    ("same_error", "again"): _errors_again,
    ("no_progress", "stale"): lambda stream, _: _sum(stream.stale),
    ("no_progress", "calls"): lambda stream, _: _failing(stream.idle),
    ("edit_failures", "path"): lambda stream, about: _failing(stream.failed_edits.get(about)),
    ("test_failure", "target"): _reds,
    ("test_failure", "build"): _reds,
    ("test_failure", "errors"): lambda stream, about: _failing(stream.failing_names.get(about)),
    ("test_failure", "names"): lambda stream, about: _failing(stream.failing_names.get(about)),
    ("timeouts", "count"): lambda stream, _: _sum(stream.timeouts),
    ("denials", "same"): _denied_same,
    ("denials", "mark"): _denied_mark,
    ("denials", "dense"): lambda stream, _: _sum(stream.denials[-DENSE:]),
    ("denials", "rate"): _denied_share,
    ("denials", "count"): lambda stream, _: _denied(stream),
    ("success_rate", "low"): _success,
    ("success_rate", "severe"): _success,
    ("streak", "clean"): lambda stream, _: _failing(stream.clean),
    ("error_streak", "count"): lambda stream, _: _failing(stream.error_streak),
    ("blocked_storm", "same"): _blocked_same,
    ("blocked_storm", "any"): _blocked_any,
    ("escalation", "step"): _row,
    ("escalation", "further"): _further,
    ("context", "share"): _context,
    ("review", "green"): lambda stream, _: Finding(value=int(stream.ended_green)),
    ("coverage", "gap"): _coverage,
    ("cost", "spent"): lambda stream, _: _used(stream, stream.cost),
    ("tokens_written", "count"): lambda stream, _: _used(stream, stream.tokens_written),
    ("turn_seconds", "count"): lambda stream, _: _used(stream, stream.turn_seconds),
}
