"""Refused attempts in the log: the first of identical ones at once, the others counted.

The further ones of the next minute become one more entry with their count, so that
a caller who is refused in a loop does not fill the log.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.domain.entries import Draft
from app.domain.events import Json
from app.service.desk import Desk

WINDOW = 60.0  # seconds in which identical refusals are counted


@dataclass(slots=True)
class _Counted:
    draft: Draft
    until: float
    seq: int  # of the entry; none stands there when the log did not take it
    more: int = 0


class Refusals:
    """Counts identical refusals; `now` is a clock in seconds that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._known: dict[tuple[str, ...], _Counted] = {}

    def write(self, desk: Desk, at: str, draft: Draft) -> None:
        """Make the refusal an entry, or count it to the one of the last minute."""
        self.flush(desk, at)
        key = _key(draft)
        known = self._known.get(key)
        if known is not None and _stands(desk, known):
            known.more += 1
            return
        desk.load(draft.scope)
        made = desk.begin(at).append(draft)
        desk.take(made)
        self._known[key] = _Counted(draft=draft, until=self.now() + WINDOW, seq=made.last.seq)

    def due(self, now: float) -> bool:
        """Whether a counted minute is over."""
        return any(counted.until <= now for counted in self._known.values())

    def flush(self, desk: Desk, at: str, *, everything: bool = False) -> None:
        """Write the counts of the minutes that are over; with `everything`, of all."""
        now = self.now()
        for key, counted in list(self._known.items()):
            if counted.until > now and not everything:
                continue
            del self._known[key]
            if counted.more:
                more: dict[str, Json] = {**counted.draft.body, "count": counted.more}
                desk.load(counted.draft.scope)
                desk.take(desk.begin(at).append(replace(counted.draft, body=more)))


def _stands(desk: Desk, counted: _Counted) -> bool:
    """Whether the first of the identical refusals is in the log: its group may have been lost."""
    first = desk.get(counted.seq)
    return first is not None and first.body == counted.draft.body


def _key(draft: Draft) -> tuple[str, ...]:
    body = draft.body
    return (
        draft.scope,
        draft.action,
        str(draft.ref),
        *(str(body.get(part)) for part in ("why", "attempted", "by")),
    )
