"""Reading the log: connections that cannot write, for any number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from app.domain.entries import EVERYWHERE, Action, Entry, Kind, session_of
from app.store import queries
from app.store.chain import GENESIS, Broken, Verified
from app.store.connections import reading_engine
from app.store.errors import as_store_errors
from app.store.rows import Row, entry_of
from app.store.schema import controls
from app.store.verification import verify_file

_FETCH: Final = 500  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The head of the chain, to be kept elsewhere. Empty log: seq 0, zeros, no time."""

    seq: int
    hash: str
    at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session the log knows, with the seq of its newest entry, agents included."""

    session: str
    last_seq: int


class Reader:
    """The reading end of `controls`; safe to share between threads. Raises LogUnavailable."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = reading_engine(path)

    def get(self, seq: int) -> Entry | None:
        """The entry at one place, or None."""
        rows = self._all(queries.ENTRY, (seq,))
        return entry_of(rows[0]) if rows else None

    def referring_to(self, seq: int) -> tuple[Entry, ...]:
        """The entries whose `ref` is `seq`, in seq order."""
        return tuple(map(entry_of, self._all(queries.REFERRING, (seq,))))

    def page(
        self,
        *,
        scope: str | None = None,
        agents: bool = False,
        kind: Kind | None = None,
        action: Action | None = None,
        before: int | None = None,
        after: int | None = None,
        limit: int = 100,
        newest_first: bool = True,
    ) -> tuple[Entry, ...]:
        """Up to `limit` entries between two seqs, both excluded; None: no restriction.

        `agents` widens `scope`, a session, to its agents. The next page starts `before` the last
        entry of this one (or `after` it, oldest first).
        """
        column = controls.c
        wanted = (
            None if scope is None else queries.within(scope, agents),
            None if kind is None else column.kind == kind,
            None if action is None else column.action == action,
            None if before is None else column.seq < before,
            None if after is None else column.seq > after,
        )
        statement = queries.page([w for w in wanted if w is not None], limit, newest_first)
        with self._connection() as connection:
            return tuple(map(entry_of, connection.execute(statement)))

    def sessions(self, limit: int = 100, before: int | None = None) -> tuple[SessionRow, ...]:
        """Sessions by their newest entry, newest first; `before` is a `last_seq`, excluded."""
        newest: dict[str, int] = {}
        for scope, seq in self._all(queries.SCOPES, ()):
            session = session_of(scope)
            newest[session] = max(seq, newest.get(session, 0))
        newest.pop(EVERYWHERE, None)
        ordered = sorted(newest.items(), key=lambda item: -item[1])
        older = (item for item in ordered if before is None or item[1] < before)
        return tuple(SessionRow(session=s, last_seq=n) for s, n in islice(older, limit))

    def entries_of(self, session: str) -> Iterator[Entry]:
        """All entries of a session and its agents, in seq order."""
        values = queries.of_session(session, 0)
        with self._connection() as connection:
            result = connection.exec_driver_sql(queries.OF_SESSION, values)
            for rows in result.partitions(_FETCH):
                yield from map(entry_of, rows)

    def longer_than(self, session: str, entries: int) -> bool:
        """Whether a session and its agents have more than so many entries."""
        values = (session, *queries.agents_range(session), entries + 1)
        return bool(self._all(queries.COUNTED, values)[0][0] > entries)

    def head(self) -> int:
        """The newest seq; 0 for an empty log."""
        return self.checkpoint().seq

    def checkpoint(self) -> Checkpoint:
        """The newest entry's seq, hash and time."""
        rows = self._all(queries.HEAD, ())
        seq, digest, at = rows[0] if rows else (0, GENESIS, None)
        return Checkpoint(seq=seq, hash=digest, at=at)

    def verify(self, upto: int | None = None) -> Verified | Broken:
        """Check the chain from the first entry to `upto`, included; None: to the present head."""
        last = self.head() if upto is None else upto
        with as_store_errors():
            return verify_file(self._path, last)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with as_store_errors(), self._engine.connect() as connection:
            yield connection

    def _all(self, query: str, values: tuple[object, ...]) -> list[Row]:
        with self._connection() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query, values)]
