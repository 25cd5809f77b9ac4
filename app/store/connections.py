"""How the file is opened: one writing connection, any number of read-only ones.

The writing connection also owns every checkpoint: SQLite before 3.51.3 can corrupt a file when
two connections write or checkpoint at once (the WAL-reset bug), and reading ones never do either.
Every connection is in autocommit; a write transaction is said aloud with `immediate`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

BUSY_MS: Final = 1000  # the pre-call answer must leave within 2 s

WRITER_PRAGMAS: Final = (
    "busy_timeout = 1000",
    "journal_mode = WAL",
    "synchronous = FULL",  # NORMAL may lose an acknowledged entry with the power
    "recursive_triggers = ON",  # REPLACE then fires the DELETE trigger as well
    # trusted_schema stays ON here: SQLite 3.40 calls json_valid in a CHECK unsafe without it, and
    # foreign triggers are dropped at start (guards.py), before the first INSERT could run one
    "cell_size_check = ON",
    "journal_size_limit = 67108864",  # bytes
    "wal_autocheckpoint = 4000",  # pages
    "fullfsync = ON",  # macOS: fsync alone does not reach the disk; elsewhere without effect
    "checkpoint_fullfsync = ON",
)
READER_PRAGMAS: Final = (
    "busy_timeout = 1000",
    "query_only = ON",
    "trusted_schema = OFF",
    "cell_size_check = ON",
)


def create_private(path: Path) -> None:
    """Create the file readable by its owner only; the -wal and -shm files inherit its mode."""
    # Only before SQLite has it open: closing another descriptor would drop SQLite's POSIX locks.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    path.chmod(0o600)


def connect(path: Path, mode: str, pragmas: tuple[str, ...]) -> sqlite3.Connection:
    """A driver connection in autocommit; `mode` is SQLite's own: ro or rw."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def writing_engine(path: Path) -> Engine:
    """An engine whose connections may write; there must never be two at once."""
    return create_engine(
        "sqlite://",
        creator=lambda: connect(path, "rw", WRITER_PRAGMAS),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )


def reading_engine(path: Path) -> Engine:
    """An engine for any number of threads; its connections cannot write."""
    return create_engine(
        "sqlite://",
        creator=lambda: connect(path, "ro", READER_PRAGMAS),
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=-1,  # more threads wait for nothing; the surplus is closed afterwards
        isolation_level="AUTOCOMMIT",
    )


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection, for what runs with every event or every group of them.

    A statement through the engine costs some 25 us of CPU time more, whatever it does.
    """
    return cast(sqlite3.Connection, connection.connection.driver_connection)


@contextmanager
def immediate(execute: Callable[[str], object]) -> Iterator[None]:
    """One write transaction: all of it is stored when this ends, or nothing is.

    `execute` runs one statement on the connection that the transaction is for.
    """
    execute("BEGIN IMMEDIATE")
    try:
        yield
        execute("COMMIT")
    except BaseException:
        # SQLite rolls back by itself on a full disk; then there is nothing left to undo
        with suppress(sqlite3.Error, DBAPIError):
            execute("ROLLBACK")
        raise


sqlite_version: Final = sqlite3.sqlite_version  # as SQLite itself writes it


def sqlite_warning(version: tuple[int, int, int] = sqlite3.sqlite_version_info) -> str | None:
    """What to tell the operator about this SQLite, or None where it has the WAL-reset fix."""
    backported = version[:2] in {(3, 50), (3, 44)} and version >= _BACKPORTS[version[:2]]
    if backported or version >= _FIXED:
        return None
    name = ".".join(str(part) for part in version)
    return (
        f"SQLite {name} has the WAL-reset bug (fixed in 3.51.3, 3.50.7 and 3.44.6): "
        "let nothing but floorboss write to the database"
    )


_FIXED: Final = (3, 51, 3)
_BACKPORTS: Final = {(3, 50): (3, 50, 7), (3, 44): (3, 44, 6)}
