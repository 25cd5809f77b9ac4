"""Sessions that share nothing, tried one by one: a value is run only where it can matter.

What a session is told depends on no other session. So the files fall into parts, and where a part
came to something under one value, every value that can change nothing there comes to the same.

parts(held)       the files, by the sessions in them
Trial.run(...)    what fires with one threshold at a value, in all parts
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from app.domain.configuration import Configuration
from app.replay.comparison import Read, Side
from app.replay.fires import Fire
from app.replay.lines import Line
from app.replay.run import START, timed
from app.replay.sweep import inert

Watch: TypeAlias = Callable[[Iterable[Line]], Iterable[Line]]  # counts events as they pass


class Placed(NamedTuple):
    """Files that were read together, and where the whole run stands before them."""

    read: Read
    events: int  # taken before
    at: str  # when the last of them happened


Part: TypeAlias = tuple[Placed, ...]


def parts(held: Sequence[Read]) -> list[Part]:
    """The files, those with a session in common together; in the order of the first of each."""
    found: list[tuple[set[str], list[Placed]]] = []
    for placed in _placed(held):
        names = {line.event.session_id for line in placed.read[1]}
        same = [part for part in found if part[0] & names]
        found = [part for part in found if part not in same]
        joined = [one for _, reads in same for one in reads]
        found.append((names.union(*(names for names, _ in same)), [*joined, placed]))
    return sorted((tuple(reads) for _, reads in found), key=lambda part: part[0].events)


def _placed(held: Sequence[Read]) -> Iterator[Placed]:
    events, at = 0, START
    for read in held:
        yield Placed(read, events, at)
        events += len(read[1])
        for line in read[1]:
            at = timed(line.event, at)


def folded(part: Part, configuration: Configuration, watch: Watch, own: tuple[str, ...]) -> Side:
    """One part under one configuration; `own` is what no agent may write."""
    side = Side(configuration, own)
    for (counts, lines), events, at in part:
        side.go_on(events, at)
        side.take(counts, watch(lines))
    return side


@dataclass(slots=True)
class Known:
    """A part, and what fired in it under each value of the threshold that is tried now."""

    part: Part
    base: Sequence[Fire]
    values: list[tuple[float, Sequence[Fire]]]


class Trial:
    """One threshold after another, tried on sessions that are known under `base`."""

    def __init__(
        self, held: Sequence[Read], base: Side, watch: Watch, own: tuple[str, ...] = ()
    ) -> None:
        self._base, self._watch, self._own, self._threshold = base, watch, own, ""
        self._known = [Known(part, _of(part, base.fires), []) for part in parts(held)]

    def run(self, threshold: str, value: float, under: Configuration) -> list[Fire]:
        """What fires with a threshold at a value; `under` is the base with nothing else changed."""
        if threshold != self._threshold:
            self._begin(threshold)
        found = [fire for known in self._known for fire in self._at(known, value, under)]
        return sorted(found, key=attrgetter("seq"))

    def _begin(self, threshold: str) -> None:
        now = self._base.configuration.thresholds.get(threshold, 0)
        self._threshold = threshold
        for known in self._known:
            known.values = [(now, known.base)]

    def _at(self, known: Known, value: float, under: Configuration) -> Sequence[Fire]:
        thresholds = self._base.configuration.thresholds
        for at, fires in known.values:
            now = {**thresholds, self._threshold: at}
            if inert(self._threshold, value, now, {fire.rule for fire in fires}):
                return fires
        found = folded(known.part, under, self._watch, self._own).fires
        known.values.append((value, found))
        return found


def _of(part: Part, fires: Iterable[Fire]) -> list[Fire]:
    logs = {log for placed in part for log in placed.read[0]}
    return [fire for fire in fires if fire.log in logs]
