"""The log: the one connection that writes.

    lock.take -> Log.open (migrate, guards) -> commit, commit, ... -> close

An entry whose `commit` returned survives kill -9 and power loss. Nobody but the writer's thread
uses a Log; everyone else reads through a Reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from app.domain.entries import Entry
from app.domain.replacing import replace
from app.store import queries
from app.store.chain import GENESIS, link
from app.store.connections import driver_of, immediate, writing_engine
from app.store.errors import LogRefused, LogUnavailable, as_store_errors
from app.store.known_keys import KnownKeys
from app.store.migrate import upgrade
from app.store.rows import Row, body_text, entry_of, row_of

_FETCH: Final = 500  # rows


class Log:
    """The writing end of `controls`. `head_seq` is 0 and `head_hash` zeros for an empty log."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self.connection: Final = connection  # the only one that may write
        self._driver: Final = driver_of(connection)
        self._keys: Final = KnownKeys()
        head = connection.exec_driver_sql(queries.HEAD).first()
        self.head_seq: int = head[0] if head else 0
        self.head_hash: str = head[1] if head else GENESIS
        real = path.resolve()
        wal = real.with_name(f"{real.name}-wal")
        self._files = {file: _file_at(file) for file in (real, wal)}

    @classmethod
    def open(cls, path: Path) -> Log:
        """Open the database for writing, created or upgraded first; take its lock before."""
        with as_store_errors():
            upgrade(path)
            return cls(writing_engine(path).connect(), path)

    def commit(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """Store entries that go on from the head, all or none; returns them with their hashes.

        Raises LogUnavailable when the file cannot be written now and LogRefused when these
        entries can never be; the head then stays where it was.
        """
        if not entries:
            return ()
        sealed, rows = self._seal(entries)
        self._check_files()
        with as_store_errors(), immediate(self._driver.execute):
            self._driver.executemany(queries.INSERT, rows)
        self.head_seq, self.head_hash = sealed[-1].seq, sealed[-1].hash
        self._keys.add(sealed)
        return sealed

    def entries_of(self, session: str, after: int = 0) -> Iterator[Entry]:
        """Entries of a session and its agents, behind `after`, in seq order; of `*` its own."""
        head, keys = self.head_seq, list[str]()
        for entry in self._stored(session, after):
            if entry.dedup_key is not None:
                keys.append(entry.dedup_key)
            yield entry
        if after == 0 and head == self.head_seq:  # all of it was read, and nothing came meanwhile
            self._keys.learn(session, keys)

    def find(self, dedup_key: str, session: str | None = None) -> Entry | None:
        """The entry that was stored under this key, if any.

        `session` is the only one whose entries can have the key, where the caller knows that.
        """
        if session is not None and self._keys.rules_out(session, dedup_key):
            return None
        with as_store_errors():
            row = self._driver.execute(queries.FIND, (dedup_key,)).fetchone()
        return entry_of(row) if row else None

    def close(self) -> None:
        """Move everything into the database file, so that it can be copied alone, and close it.

        A second call does nothing.
        """
        if self.connection.closed:
            return
        with suppress(DBAPIError):  # a full disk: the -wal file still has it all
            self.connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()

    def _stored(self, session: str, after: int) -> Iterator[Entry]:
        values = queries.of_session(session, after)
        with as_store_errors():
            result = self.connection.exec_driver_sql(queries.OF_SESSION, values)
            for rows in result.partitions(_FETCH):
                yield from map(entry_of, rows)

    def _check_files(self) -> None:
        """SQLite would go on writing to files that were deleted or replaced, and lose it all."""
        for file, opened in self._files.items():
            if _file_at(file) != opened:
                name = file.name
                raise LogUnavailable(f"{name} was deleted, moved or replaced: stop this daemon")

    def _seal(self, entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], list[Row]]:
        sealed: list[Entry] = []
        rows: list[Row] = []
        digest = self.head_hash
        for seq, entry in enumerate(entries, self.head_seq + 1):
            if entry.seq != seq:
                raise LogRefused(f"entry {entry.seq} cannot follow {seq - 1}")
            body, digest = _hashed(digest, entry)
            sealed.append(replace(entry, hash=digest))
            rows.append(row_of(entry, body, digest))
        return tuple(sealed), rows


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path; None: there is none, or nobody may look."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _hashed(previous: str, entry: Entry) -> tuple[str, str]:
    try:
        body = body_text(entry.body)
        return body, link(previous, entry, body.encode())
    except (ValueError, TypeError, RecursionError) as error:
        raise LogRefused(
            f"{entry.kind} {entry.action} {entry.seq} cannot be stored: {error}"
        ) from error
