"""One daemon per database: an exclusive lock on `<database>.lock`, taken before SQLite opens it.

The kernel drops the lock when the process ends, however it ends; a file left behind means
nothing. It is never deleted: a second daemon could hold the deleted file and a third a new one.
"""

from __future__ import annotations

import fcntl
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_CONTENT: Final = re.compile(r"pid (\d+)\nsince (\S+)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """Another process has the database. Both are None for the instant before it wrote them."""

    pid: int | None
    since: str | None  # when it took the lock, UTC


class Lock:
    """The lock on one database, held until `release` or the end of the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Let another process have the database; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def lock_path(database: Path) -> Path:
    """The lock's file: beside the real database, so that a symbolic link leads to the same one."""
    real = database.resolve()
    return real.with_name(real.name + ".lock")


def take(database: Path) -> Lock | Locked:
    """Take the lock on a database, or say who has it; creates the folder where it is missing."""
    path = lock_path(database)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _holder(descriptor)
        os.close(descriptor)
        return holder
    os.ftruncate(descriptor, 0)
    since = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    os.pwrite(descriptor, f"pid {os.getpid()}\nsince {since}\n".encode(), 0)
    return Lock(descriptor)


def _holder(descriptor: int) -> Locked:
    match _CONTENT.fullmatch(os.pread(descriptor, 200, 0).decode(errors="replace")):
        case None:
            return Locked(pid=None, since=None)
        case found:
            return Locked(pid=int(found[1]), since=found[2])
