"""The doctor on where floorboss runs: the tier, the disk, SQLite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.cli.facts import Facts, Layer
from app.cli.findings import Finding, fail, ok, warn
from app.config import Settings

SCARCE: Final = 1 << 30  # bytes free; below it a person should look
FULL: Final = 100 << 20  # bytes free; below it entries will soon be refused
LISTENS: Final = "0A"  # a listening socket in /proc/net/tcp (Linux, net/tcp_states.h)
SOCKETS: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ADVICE: Final = "It is advice with a memory, not a wall; SECURITY.md tells how to build one."


def place(found: Settings, facts: Facts) -> Iterator[Finding]:
    """What can be said without asking the daemon."""
    listener = owner_of_port(found.port)
    yield tier(listener, os.geteuid(), facts.managed, facts.file.path)
    yield disk(found.state_dir)
    yield sqlite()


def tier(listener: int | None, caller: int, managed: Layer, settings: Path) -> Finding:
    """Who could stop the daemon or take the hooks away, by who owns them.

    `listener` and `caller` are user ids; None: nobody listens, or this system does not tell.
    """
    if listener is None:
        return warn("tier", "unknown: no process is seen on the daemon's port", ADVICE)
    if listener == caller:
        who = f"the daemon runs as this user (uid {caller})"
        return warn("tier", f"0, advisory: {who}, and so does an agent", ADVICE)
    if managed.ours and managed.owner == 0:
        who = f"the daemon runs as uid {listener}, root owns the hooks in {managed.path}"
        return ok("tier", f"1, managed: {who}")
    return warn(
        "tier",
        f"0, advisory: the daemon runs as uid {listener}, but this user may write {settings}",
        "Have root put the hooks into Claude Code's managed settings (SECURITY.md).",
    )


def disk(folder: Path) -> Finding:
    """The room left for the log."""
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    return room(shutil.disk_usage(there).free, folder)


def room(free: int, folder: Path) -> Finding:
    """Whether `free` bytes are enough for the log in `folder`."""
    text = f"{free / SCARCE:.1f} GiB free for {folder}"
    if free < FULL:
        return fail("disk", text, "Make room: what cannot be logged is refused.")
    if free < SCARCE:
        return warn("disk", text, "Make room before entries are refused.")
    return ok("disk", text)


def sqlite() -> Finding:
    """Whether this SQLite has a bug that can destroy the log."""
    from app.service.archive import sqlite_version, sqlite_warning

    if (warning := sqlite_warning()) is not None:
        return warn("sqlite", warning, "Update SQLite or Python when you can.")
    return ok("sqlite", f"{sqlite_version}, without the WAL-reset bug")


def owner_of_port(port: int, tables: tuple[Path, ...] = SOCKETS) -> int | None:
    """The user id of who listens on a TCP port, as Linux tells; None: nobody, or another system."""
    for table in tables:
        lines = table.read_text().splitlines()[1:] if table.exists() else []
        for line in lines:
            fields = line.split()
            if fields[3] == LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                return int(fields[7])
    return None
