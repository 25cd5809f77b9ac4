"""Which keys the log can have, as far as that is known without asking the database.

A session is known from the moment its whole past was read, or found to be empty, and every commit
adds to it. Only the key's hash is kept: two keys of one hash cost a look into the database, and no
key of a known session can be missed. Sessions not written to for the longest time are let go.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from app.domain.entries import Entry

MOST: Final = 50_000  # keys; 70 to 140 bytes each, 4 MB in all
_SESSION: Final = 8  # keys: what a session takes besides its own


class KnownKeys:
    """The keys of the sessions that are known; used by the writer's thread only."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._size = 0
        self._hashes: OrderedDict[str, set[int]] = OrderedDict()  # by session, as written to

    def learn(self, session: str, keys: Iterable[str]) -> None:
        """Know a session from now on: `keys` are all it has."""
        self._forget(session)
        self._hashes[session] = hashes = set(map(hash, keys))
        self._size += len(hashes) + _SESSION
        self._shrink()

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in what was committed."""
        for entry in entries:
            session, key = entry.session, entry.dedup_key
            hashes = self._hashes.get(session)
            if hashes is None or key is None or hash(key) in hashes:
                continue
            hashes.add(hash(key))
            self._size += 1
            self._hashes.move_to_end(session)
        self._shrink()

    def rules_out(self, session: str, dedup_key: str) -> bool:
        """Whether no entry of the session can have this key; False: ask the database."""
        hashes = self._hashes.get(session)
        return hashes is not None and hash(dedup_key) not in hashes

    def _shrink(self) -> None:
        while self._size > self._most:
            self._forget(next(iter(self._hashes)))

    def _forget(self, session: str) -> None:
        hashes = self._hashes.pop(session, None)
        if hashes is not None:
            self._size -= len(hashes) + _SESSION
