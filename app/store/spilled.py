"""Entries of a run that keeps no log: in a file without a name, private to the process.

The system removes it with the process. What was spilled is looked for by its key only where a
small table says that it may be there: an event that comes for the first time asks nothing of it.
"""

from __future__ import annotations

import errno
import pickle
import sqlite3
from collections.abc import Iterator
from typing import Final

from app.domain.entries import Entry

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


class Spilled:
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
