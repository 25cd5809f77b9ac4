"""A log in memory: what the desk asks of a log, for a run that leaves nothing behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from app.domain.entries import Entry

# Text that no fold reads; every digest over it was made before. Without it an entry takes some
# two kilobytes, whatever the call printed.
TEXT: Final = frozenset({"arguments", "result"})


class Memory:
    """Entries in the order of their seq, without the text of what a harness reported."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._keys: dict[str, int] = {}
        self._sessions: defaultdict[str, list[int]] = defaultdict(list)

    @property
    def head_seq(self) -> int:
        """The newest seq; 0 for an empty log."""
        return len(self._entries)

    def append(self, entries: Iterable[Entry]) -> None:
        """Keep entries, each in the next place."""
        for entry in entries:
            if entry.seq != self.head_seq + 1:
                raise ValueError(f"entry {entry.seq} cannot follow {self.head_seq}")
            self._entries.append(_slim(entry))
            self._sessions[entry.session].append(entry.seq)
            if entry.dedup_key is not None:
                self._keys[entry.dedup_key] = entry.seq

    def entries_of(self, session: str, after: int = 0) -> Iterator[Entry]:
        """Entries of a session and its agents, behind `after`, in seq order."""
        return (self._at(seq) for seq in self._sessions.get(session, ()) if seq > after)

    def find(self, dedup_key: str) -> Entry | None:
        """The entry kept under this key."""
        seq = self._keys.get(dedup_key)
        return None if seq is None else self._at(seq)

    def get(self, seq: int) -> Entry | None:
        """The entry at one place."""
        return self._at(seq) if 0 < seq <= self.head_seq else None

    def _at(self, seq: int) -> Entry:
        return self._entries[seq - 1]


def _slim(entry: Entry) -> Entry:
    if entry.kind not in ("observed", "decided") or not TEXT & entry.body.keys():
        return entry
    return replace(entry, body={k: v for k, v in entry.body.items() if k not in TEXT})
