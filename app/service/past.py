"""The committed log as the desk reads it: through the writing connection, and a reader."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.entries import Entry
from app.service.intake import session_of_key
from app.store.log import Log
from app.store.reader import Reader


class StoredPast:
    """Everything committed; used by the writer's thread only."""

    def __init__(self, log: Log, reader: Reader) -> None:
        self._log = log
        self._reader = reader

    @property
    def head_seq(self) -> int:
        """The newest committed seq; 0 for an empty log."""
        return self._log.head_seq

    def entries_of(self, session: str, after: int = 0) -> Iterator[Entry]:
        """Entries of a session and its agents, behind `after`, in seq order."""
        return self._log.entries_of(session, after)

    def find(self, dedup_key: str) -> Entry | None:
        """The entry stored under this key."""
        return self._log.find(dedup_key, session_of_key(dedup_key))

    def get(self, seq: int) -> Entry | None:
        """The entry at one place."""
        return self._reader.get(seq)
