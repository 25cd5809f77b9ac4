"""Calls and their results: what every reader does with a call once it knows what a line means.

    asked   a call begins; with attempts it is told as it was asked for
    noted   a line between says something about a call that is not over
    ended   its result: one event, where the result stands
    rest    the file is over: calls without a result were interrupted

At most HELD calls are open at once and REMEMBERED ids known: memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.events import Event, Json
from app.harness import neutral
from app.harness.base import Fault
from app.replay.lines import Counts, Fields, Line, Source

REMEMBERED: Final = 16_384  # line and call ids; a resume repeats what was written last
HELD: Final = 1_024  # calls without a result; of more the oldest will not get one


class Recent:
    """The last ids seen, at most REMEMBERED of them."""

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}

    def repeats(self, name: Json) -> bool:
        """Whether this id was seen before; it is from now on. No id repeats nothing."""
        if not isinstance(name, str) or name in self._ids:
            return isinstance(name, str)
        self._ids[name] = None
        if len(self._ids) > REMEMBERED:
            del self._ids[next(iter(self._ids))]
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call without its result: what its event says already, and where it began."""

    fields: Fields
    line_no: int


class Pairing:
    """The calls of one file of a harness."""

    def __init__(self, source: Source, counts: Counts, harness: str, *, attempts: bool) -> None:
        self._source = source
        self._counts = counts
        self._harness = harness
        self._attempts = attempts
        self._seen = Recent()
        self._open: dict[str, Asked] = {}

    def told(self, line_no: int, fields: Fields) -> Iterator[Line]:
        """An event that is no call."""
        yield from told(self._source, self._counts, line_no, {"harness": self._harness, **fields})

    def asked(self, line_no: int, key: str, fields: Fields) -> Iterator[Line]:
        """A call begins, known by `key` within its file; one that was seen before is left out."""
        if self._seen.repeats(key):
            return
        self._open[key] = Asked(fields=fields, line_no=line_no)
        if self._attempts:
            own = f"{fields.get('event_id') or self.name(line_no)}:attempt"
            told = {**fields, "kind": "attempt", "event_id": own, "context_tokens": None}
            yield from self.told(line_no, told)
        if len(self._open) > HELD:
            yield from self._given_up(next(iter(self._open)))

    def noted(self, key: str, fields: Fields) -> None:
        """Say more about a call that is open."""
        call = self._open.get(key)
        if call is not None:
            self._open[key] = Asked(fields={**call.fields, **fields}, line_no=call.line_no)

    def held(self, key: str) -> Fields | None:
        """What is known of a call that is open."""
        call = self._open.get(key)
        return None if call is None else call.fields

    def ended(self, line_no: int, key: str, fields: Fields) -> Iterator[Line]:
        """The end of a call; a result that no open call waits for says nothing."""
        call = self._open.pop(key, None)
        if call is not None:
            yield from self.told(line_no, {**call.fields, **fields})

    def rest(self) -> Iterator[Line]:
        """End the calls that are still open: nobody heard what came of them."""
        for key in [*self._open]:
            yield from self._given_up(key)

    def name(self, line_no: int, part: str = "") -> str:
        """An event's id where the file has none, the same whenever it is read."""
        return f"{self._source.name}:{line_no}{part and f':{part}'}"

    def _given_up(self, key: str) -> Iterator[Line]:
        line_no = self._open[key].line_no
        known = self._open[key].fields.get("outcome")
        yield from self.ended(line_no, key, {} if known else {"outcome": "interrupted"})


def told(source: Source, counts: Counts, line_no: int, fields: Fields) -> Iterator[Line]:
    """The event of some fields; a line of which none can be made is counted as unreadable."""
    event = _checked(source, fields)
    if isinstance(event, Fault):
        counts.refuse(line_no, event.detail)
        return
    counts.calls += event.kind == "tool"
    yield Line(event=event, line_no=line_no)


def _checked(source: Source, fields: Fields) -> Event | Fault:
    """The event; a field that holds what it cannot mean, a time that is none, is dropped."""
    while True:
        session = source.name if fields.get("session_id") is None else None
        event = neutral.event(fields, session=session)
        at = event.at.partition(".")[0] if isinstance(event, Fault) else "tool"
        if at == "tool" or fields.get(at) is None:
            return event
        fields = {**fields, at: None}
