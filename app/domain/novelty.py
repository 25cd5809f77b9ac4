"""Whether a call was worth something: an answer this stream has not seen, or a changed world.

    learnt(stream, call) -> (stream, novelty)     docs/detection.md 2.1, 2.2 count the rest
    changed(stream, call) -> (stream, bool)

An answer is `free` the first time it is met again after a compaction: the agent had to look.
"""

from __future__ import annotations

from typing import Literal

from app.domain.calls import Call
from app.domain.replacing import replace
from app.domain.stream import Learnt, Stream

Novelty = Literal["new", "free", "stale"]
RANGES = 200  # ten-line pieces looked at for one ranged read


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


def learnt(stream: Stream, call: Call) -> tuple[Stream, Novelty]:
    """The stream knowing this call's answer, and whether it knew it before."""
    seen = stream.seen
    novelty: Novelty = "stale"
    for unit in units(stream, call):
        known = seen.get(unit)
        if known is None:
            seen, novelty = seen.put(unit, Learnt(generation=stream.generation)), "new"
        elif known.generation < stream.generation and not known.regained:
            seen = seen.put(unit, replace(known, regained=True))
            novelty = "free" if novelty == "stale" else novelty
        else:
            seen = seen.put(unit, known)
    return replace(stream, seen=seen), novelty


def changed(stream: Stream, call: Call) -> tuple[Stream, bool]:
    """The stream after a call that may have changed the world, and whether it did.

    An edit that was applied before, or whose reverse was, only goes back; a mutating command
    that already ran since the last prompt by a person changes nothing new.
    """
    reading = call.reading
    if not reading.changes or reading.failed or call.outcome != "ok":
        return stream, False
    if reading.edit is None:
        known = stream.done.get(reading.identity) is not None
        return replace(stream, done=stream.done.put(reading.identity, True)), not known
    back = reading.edit == reading.reverse or any(
        digest is not None and stream.edits.get(digest) is not None
        for digest in (reading.edit, reading.reverse)
    )
    return replace(stream, edits=stream.edits.put(reading.edit, True)), not back
