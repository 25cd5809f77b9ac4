"""A log that leaves nothing behind: what the desk asks of a log, in memory that does not grow.

    append -> newest entries, at hand -> spilled, thousands at once, to a file without a name

The file is private to the process and gone with it. What was spilled is looked for only where a
small table says that it may be there: an event that comes for the first time asks nothing of it.
"""

from __future__ import annotations

import errno
import pickle
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from app.domain.entries import Entry

# Text that no fold reads; every digest over it was made before. Without it an entry takes some
# two kilobytes, whatever the call printed.
TEXT: Final = frozenset({"arguments", "result"})
AT_HAND: Final = 250  # entries; as many more before they are spilled
KEYS: Final = 1 << 23  # bits of the table that says which keys cannot have been spilled: 1 MB
CACHE: Final = 1_024  # kilobytes of the file kept in memory

_TABLES: Final = (
    f"PRAGMA cache_size = -{CACHE}",
    "PRAGMA journal_mode = OFF",
    "CREATE TABLE entries (seq INTEGER PRIMARY KEY, entry BLOB)",
    "CREATE TABLE sessions (session INTEGER, seq INTEGER, PRIMARY KEY (session, seq))"
    " WITHOUT ROWID",
    "CREATE TABLE keys (key INTEGER, seq INTEGER, PRIMARY KEY (key, seq)) WITHOUT ROWID",
)
_OF_SESSION: Final = (
    "SELECT entry FROM sessions JOIN entries USING (seq) WHERE session = ? AND seq > ? ORDER BY seq"
)
_OF_KEY: Final = "SELECT entry FROM keys JOIN entries USING (seq) WHERE key = ? ORDER BY seq DESC"


class Memory:
    """Entries in the order of their seq, without the text of what a harness reported."""

    def __init__(self, at_hand: int = AT_HAND) -> None:
        self._head = 0
        self._at_hand = at_hand
        self._entries: dict[int, Entry] = {}  # the newest
        self._keys: dict[str, int] = {}  # theirs
        self._spilled: _Spilled | None = None  # what is older; None: nothing is

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
            self._spilled = _Spilled()
        old = [*self._entries.values()][: -self._at_hand or None]
        self._spilled.add(old)
        for entry in old:
            del self._entries[entry.seq]
            if entry.dedup_key is not None and self._keys.get(entry.dedup_key) == entry.seq:
                del self._keys[entry.dedup_key]


class _Spilled:
    """Entries in a file without a name, which the system removes."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("", isolation_level=None)
        for statement in _TABLES:
            self._file.execute(statement)
        self._known = bytearray(KEYS >> 3)

    def add(self, entries: list[Entry]) -> None:
        """Keep some more."""
        keyed = [(e.dedup_key, e.seq) for e in entries if e.dedup_key is not None]
        try:
            self._file.execute("BEGIN")
            self._insert("entries", [(e.seq, pickle.dumps(e, protocol=5)) for e in entries])
            self._insert("sessions", sorted((hash(e.session), e.seq) for e in entries))
            self._insert("keys", sorted((hash(key), seq) for key, seq in keyed))
            self._file.execute("COMMIT")
        except sqlite3.OperationalError as fault:  # the disk is full, or may not be written
            raise OSError(errno.EIO, str(fault), "the temporary file of the run") from fault
        for key, _ in keyed:
            for bit in _bits(key):
                self._known[bit >> 3] |= 1 << (bit & 7)

    def entries_of(self, session: str, after: int) -> Iterator[Entry]:
        """Entries of a session behind `after`; of another one too where their hashes are alike."""
        return map(_entry, self._file.execute(_OF_SESSION, (hash(session), after)))

    def find(self, dedup_key: str) -> Entry | None:
        """The entry kept under this key."""
        if not all(self._known[bit >> 3] >> (bit & 7) & 1 for bit in _bits(dedup_key)):
            return None
        found = map(_entry, self._file.execute(_OF_KEY, (hash(dedup_key),)))
        return next((entry for entry in found if entry.dedup_key == dedup_key), None)

    def get(self, seq: int) -> Entry | None:
        """The entry at one place."""
        row = self._file.execute("SELECT entry FROM entries WHERE seq = ?", (seq,)).fetchone()
        return None if row is None else _entry(row)

    def _insert(self, table: str, rows: list[tuple[int, bytes]] | list[tuple[int, int]]) -> None:
        self._file.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)


def _bits(key: str) -> tuple[int, int]:
    """Two places of a key in the table of keys."""
    digest = hash(key)
    return digest & (KEYS - 1), (digest >> 32) & (KEYS - 1)


def _entry(row: tuple[bytes]) -> Entry:
    entry = pickle.loads(row[0])  # this process wrote it, where nobody else can
    assert isinstance(entry, Entry)
    return entry


def _slim(entry: Entry) -> Entry:
    """The entry without text; a session's start keeps its arguments, which say what it goes on."""
    if entry.action == "session" or entry.kind not in ("observed", "decided"):
        return entry
    if not TEXT & entry.body.keys():
        return entry
    return replace(entry, body={k: v for k, v in entry.body.items() if k not in TEXT})
