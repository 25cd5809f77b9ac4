"""Read a whole database in seq order and check its chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from app.store import queries
from app.store.chain import Broken, Verified, verify
from app.store.connections import READER_PRAGMAS, connect
from app.store.rows import Row

_BEFORE_ALL: Final = -(2**63)  # an entry smuggled in below 1 must be seen
_FETCH: Final = 2000  # rows a statement; a longer one would keep the -wal file from shrinking
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class _Unreadable(Exception):
    """The file is damaged behind this seq."""

    def __init__(self, seq: int, cause: str) -> None:
        super().__init__(cause)
        self.seq = seq


def verify_file(path: Path, upto: int) -> Verified | Broken:
    """Check every entry up to and including `upto`; damage to the file counts as broken."""
    with closing(connect(path, "ro", READER_PRAGMAS)) as connection:
        connection.text_factory = bytearray  # the bytes as stored, and text told from blob
        try:
            return verify(_rows(connection, upto))
        except _Unreadable as error:
            return Broken(seq=error.seq + 1, why=f"the file is damaged: {error}")


def _rows(connection: sqlite3.Connection, upto: int) -> Iterator[Row]:
    last, seen = _BEFORE_ALL, 0
    try:
        while True:
            start = last
            for row in connection.execute(queries.CHAIN, (start, upto, _FETCH)):
                last = seen = row[0]
                yield row
            if last == start:
                return
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in _DAMAGED:
            raise
        raise _Unreadable(seen, str(error)) from error
