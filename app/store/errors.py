"""What can go wrong in the store.

StoreError
├── LogUnavailable   nothing was stored; the same entries may succeed later (disk full, locked)
├── LogRefused       nothing was stored; the same entries will never be (a guard, a CHECK, a body)
├── NewerDatabase    the file was written by a newer floorboss; it was not touched
└── OldSqlite        this Python's SQLite cannot hold the table
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError

# SQLite's primary result codes for "this row will never do": too big, constraint, mismatch
_NEVER: Final = frozenset({18, 19, 20})


class StoreError(Exception):
    """Anything the store reports."""


class LogUnavailable(StoreError):
    """The log cannot be written at the moment; `str()` is the cause in SQLite's words."""


class LogRefused(StoreError):
    """The log does not take these entries; `str()` names the guard or the fault."""


class NewerDatabase(StoreError):
    """The database has a revision that this version of floorboss does not know."""

    def __init__(self, revision: str, newest: str) -> None:
        super().__init__(
            f"the database is at revision {revision}, this version knows up to {newest}: "
            "start the newer floorboss, or restore a backup from before the upgrade"
        )
        self.revision = revision
        self.newest = newest


class OldSqlite(StoreError):
    """STRICT tables need a newer SQLite than this Python has."""


@contextmanager
def as_store_errors() -> Iterator[None]:
    """Report what SQLite, its driver or the file system raise as one of the above."""
    try:
        yield
    except DBAPIError as error:
        raise _store_error(error.orig) from error
    except (sqlite3.Error, OSError, OverflowError) as error:
        raise _store_error(error) from error


def _store_error(cause: BaseException | None) -> StoreError:
    code = getattr(cause, "sqlite_errorcode", None)
    if isinstance(cause, OSError) or (code is not None and code & 0xFF not in _NEVER):
        return LogUnavailable(str(cause))
    return LogRefused(str(cause))  # without a code the driver itself did not take a value
