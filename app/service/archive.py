"""The committed log for whoever only reads: what the ways in may use of the store."""

from __future__ import annotations

from app.store.chain import Broken, Verified
from app.store.connections import sqlite_version, sqlite_warning
from app.store.errors import LogUnavailable, StoreError
from app.store.reader import Checkpoint, SessionRow
from app.store.reader import Reader as Archive

__all__ = (
    "Archive",
    "Broken",
    "Checkpoint",
    "LogUnavailable",
    "SessionRow",
    "StoreError",
    "Verified",
    "sqlite_version",
    "sqlite_warning",
)
