"""Whether a call was worth something: an answer this stream has not seen, or a changed world.

    learnt(step, call) -> novelty     docs/detection.md 2.1, 2.2 count the rest
    changed(step, call, novelty) -> bool

An answer is `free` the first time it is met again after a compaction: the agent had to look.
"""

from __future__ import annotations

from typing import Final, Literal

from app.domain.calls import Call
from app.domain.stream import Counting, Stream

Novelty = Literal["new", "free", "stale"]
RANGES = 200  # ten-line pieces looked at for one ranged read
REGAINED: Final = 1 << 62  # a compaction has given the answer back once; none does so again


def units(stream: Stream, call: Call) -> tuple[str, ...]:
    """What novelty is measured in: the lines a range asks for, else the whole answer."""
    reading = call.reading
    if reading.lines is not None and reading.path is not None and not reading.failed:
        first, last = reading.lines
        pieces = range(first, min(last, first + RANGES - 1) + 1)
        return tuple(f"{reading.path}:{stream.changes}:{piece}" for piece in pieces)
    if reading.digest is not None:
        return (reading.digest,)
    return (f"{reading.identity}:{reading.failed}",)  # no answer was reported: the call stands in


def learnt(step: Counting, call: Call) -> Novelty:
    """Whether the stream knew this call's answer; now it does."""
    seen = step.seen
    novelty: Novelty = "stale"
    for unit in units(step, call):
        known = seen.get(unit)
        if known is None:
            known, novelty = step.generation, "new"
        elif known < step.generation:
            known, novelty = REGAINED, "free" if novelty == "stale" else novelty
        seen = seen.put(unit, known)
    step.seen = seen
    return novelty


def changed(step: Counting, call: Call, novelty: Novelty) -> bool:
    """Whether a call that may have changed the world did.

    An edit that was applied before, or whose reverse was, only goes back; a mutating command
    that already ran since the last prompt by a person changes nothing new, unless its answer is one
    that the stream has not seen: the next step of a bisect, of a rebase, of a queue.
    """
    reading = call.reading
    if not reading.changes or reading.failed or call.outcome != "ok":
        return False
    if reading.edit is None:
        known = step.done.get(reading.identity) is not None
        step.done = step.done.put(reading.identity, True)
        return not known or novelty == "new"
    back = reading.edit == reading.reverse or any(
        digest is not None and step.edits.get(digest) is not None
        for digest in (reading.edit, reading.reverse)
    )
    step.edits = step.edits.put(reading.edit, True)
    return not back
