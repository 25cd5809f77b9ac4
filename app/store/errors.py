"""What can go wrong in the store.

StoreError
├── LogUnavailable   nothing was stored; the same entries may succeed later (disk full, locked)
├── LogRefused       nothing was stored; the same entries will never be (a guard, a CHECK, a body)
├── NewerDatabase    the file was written by a newer floorboss; it was not touched
└── OldSqlite        this Python's SQLite cannot hold the table
"""

from __future__ import annotations


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
