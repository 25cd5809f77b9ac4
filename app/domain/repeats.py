"""Counting what brings nothing: the same call again (R1), a stale window (R2), calls without gain.

All of them start again at a change of state; docs/detection.md 2 has the arithmetic.
"""

from __future__ import annotations

from app.domain.calls import Call, Reading
from app.domain.findings import REPEAT_WITHIN
from app.domain.novelty import Novelty
from app.domain.replacing import replace
from app.domain.stream import Failing, Repeat, Slot, Stream, evidence, grown

STALE_WINDOW = 16  # counted calls
FULL, HALF = 1.0, 0.5  # half: a short answer that is no failure, or bookkeeping


def cleared(stream: Stream) -> Stream:
    """The counters after a change of state: what was repeated before may answer differently now."""
    return replace(
        stream,
        changes=stream.changes + 1,
        repeats=stream.repeats.cleared(),
        stale=(),
        idle=Failing(),
        blocks=(),
    )


def repeated(stream: Stream, call: Call, novelty: Novelty) -> Stream:
    """R1 after one more call: a repeat counts, a new answer to a poll starts again."""
    reading = call.reading
    if _settled(reading):
        return replace(stream, repeats=stream.repeats.drop(reading.identity))
    if _counted_elsewhere(reading):
        return stream
    known = stream.repeats.get(reading.identity)
    if known is None or stream.calls - known.call > REPEAT_WITHIN:
        return _first(stream, call)
    if novelty == "new":
        return _first(stream, call) if reading.pace != "work" else _seen_at(stream, call, known)
    if novelty == "free":
        return _seen_at(stream, call, known)
    counted = Repeat(
        count=known.count + 1,
        call=stream.calls,
        since_ms=known.since_ms,
        at_ms=call.at_ms,
        seqs=evidence(known.seqs, call.seq),
    )
    kind = "same" if reading.pace == "work" else "poll"
    return replace(
        stream,
        repeats=stream.repeats.put(reading.identity, counted),
        touched=(*stream.touched, ("repeated", f"{kind}:{reading.identity}")),
    )


def _settled(reading: Reading) -> bool:
    """A green or empty test run: nothing is stuck there, whatever came before."""
    return reading.test is not None and reading.test.result != "red" and not reading.failed


def _counted_elsewhere(reading: Reading) -> bool:
    """A failed edit of a known path is R6's: one thing, one counter, and its mode is debug."""
    failed_edit = reading.tool_class in ("edit", "write") and reading.failed
    return failed_edit and reading.path is not None


def _first(stream: Stream, call: Call) -> Stream:
    first = Repeat(
        count=1, call=stream.calls, since_ms=call.at_ms, at_ms=call.at_ms, seqs=(call.seq,)
    )
    return replace(stream, repeats=stream.repeats.put(call.reading.identity, first))


def _seen_at(stream: Stream, call: Call, known: Repeat) -> Stream:
    later = replace(known, call=stream.calls, at_ms=call.at_ms)
    return replace(stream, repeats=stream.repeats.put(call.reading.identity, later))


def progressed(stream: Stream, call: Call, novelty: Novelty, *, change: bool) -> Stream:
    """R2 after one more call, and the plain count of calls without progress."""
    if change or novelty != "stale":
        weight = 0.0
        stream = replace(stream, idle=Failing())
    else:
        weight = _weight(call.reading)
    if not _counts(call.reading, novelty):
        return stream
    return _weighed(stream, call, weight)


def noted(stream: Stream, call: Call) -> Stream:
    """R2 after a call of the agent's own bookkeeping: half a stale call."""
    return _weighed(stream, call, HALF)


def _weighed(stream: Stream, call: Call, weight: float) -> Stream:
    stream = replace(
        stream, stale=(*stream.stale, Slot(seq=call.seq, weight=weight))[-STALE_WINDOW:]
    )
    if not weight:
        return stream
    touches = (("no_progress", "stale"), ("no_progress", "calls"))
    return replace(stream, idle=grown(stream.idle, call.seq), touched=(*stream.touched, *touches))


def _weight(reading: Reading) -> float:
    return HALF if reading.short and not reading.failed else FULL


def _counts(reading: Reading, novelty: Novelty) -> bool:
    """Tests and polls say nothing about progress, nor do short shell answers and failed edits."""
    if reading.test is not None or reading.pace != "work":
        return False
    if novelty != "stale":
        return True
    if reading.tool_class in ("edit", "write"):
        return not reading.failed
    return not (reading.tool_class == "shell" and reading.short)
