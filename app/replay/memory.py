"""A log that leaves nothing behind: what the desk asks of a log, in memory that does not grow.

    append -> newest entries, at hand -> spilled, thousands at once, to a file without a name

The file is private to the process and gone with it (app/store/spilled.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from app.domain.entries import Entry
from app.store.spilled import Spilled

# Text that no fold reads; every digest over it was made before. Without it an entry takes some
# two kilobytes, whatever the call printed.
TEXT: Final = frozenset({"arguments", "result"})
AT_HAND: Final = 250  # entries; as many more before they are spilled


class Memory:
    """Entries in the order of their seq, without the text of what a harness reported."""

    def __init__(self, at_hand: int = AT_HAND) -> None:
        self._head = 0
        self._at_hand = at_hand
        self._entries: dict[int, Entry] = {}  # the newest
        self._keys: dict[str, int] = {}  # theirs
        self._spilled: Spilled | None = None  # what is older; None: nothing is

    @property
    def head_seq(self) -> int:
        """The newest seq; 0 for an empty log."""
        return self._head

    def append(self, entries: Iterable[Entry]) -> None:
        """Keep entries, each in the next place."""
        for entry in entries:
            if entry.seq != self._head + 1:
                raise ValueError(f"entry {entry.seq} cannot follow {self._head}")
            self._head = entry.seq
            self._entries[entry.seq] = _slim(entry)
            if entry.dedup_key is not None:
                self._keys[entry.dedup_key] = entry.seq
        if len(self._entries) >= 2 * self._at_hand:
            self._spill()

    def entries_of(self, session: str, after: int = 0) -> Iterator[Entry]:
        """Entries of a session and its agents, behind `after`, in seq order."""
        older = () if self._spilled is None else self._spilled.entries_of(session, after)
        newer = (entry for entry in [*self._entries.values()] if entry.seq > after)
        return (entry for entry in chain(older, newer) if entry.session == session)

    def find(self, dedup_key: str) -> Entry | None:
        """The entry kept under this key."""
        seq = self._keys.get(dedup_key)
        if seq is not None:
            return self._entries[seq]
        return None if self._spilled is None else self._spilled.find(dedup_key)

    def get(self, seq: int) -> Entry | None:
        """The entry at one place."""
        found = self._entries.get(seq)
        if found is not None or not 0 < seq <= self._head:
            return found
        return None if self._spilled is None else self._spilled.get(seq)

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = Spilled()
        old = [*self._entries.values()][: -self._at_hand or None]
        self._spilled.add(old)
        for entry in old:
            del self._entries[entry.seq]
            if entry.dedup_key is not None and self._keys.get(entry.dedup_key) == entry.seq:
                del self._keys[entry.dedup_key]


def _slim(entry: Entry) -> Entry:
    """The entry without text; a session's start keeps its arguments, which say what it goes on."""
    if entry.action == "session" or entry.kind not in ("observed", "decided"):
        return entry
    if not TEXT & entry.body.keys():
        return entry
    return replace(entry, body={k: v for k, v in entry.body.items() if k not in TEXT})
