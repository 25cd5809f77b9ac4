"""Wiring: the only place where the parts of the daemon are put together.

    lock -> log (migrated) -> desk (folded) -> writer -> control -> application

The lock is taken before the database file is opened; whoever holds it is named. A daemon that has
its process to itself migrates in a child, for what a migration imports is as much as all sessions.
"""

from __future__ import annotations

import getpass
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fastapi import FastAPI

from app.api.application import application
from app.api.limits import Limits
from app.api.wiring import Wiring
from app.config import Settings
from app.domain.entries import Entry
from app.domain.reconfiguration import reconfigured
from app.service.bell import Bell
from app.service.control import Control
from app.service.desk import Desk, Unreadable
from app.service.feed import Feed
from app.service.folding import Folding
from app.service.past import StoredPast
from app.service.private_files import private_folder
from app.service.refusals import Refusals
from app.service.tokens import Tokens
from app.service.writer import Unavailable, Writer
from app.store.errors import StoreError
from app.store.lock import Lock, Locked, take
from app.store.log import Log
from app.store.migrate import upgrade
from app.store.reader import Reader

if TYPE_CHECKING:
    from app.proposer.gate import Gate

SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True, kw_only=True)
class CannotStart:
    """Why the daemon does not start, and what to do, in plain words."""

    detail: str
    status: int  # the process's exit code


@dataclass(slots=True, kw_only=True)
class Daemon:
    """A running daemon without its socket: everything behind the application."""

    settings: Settings
    app: FastAPI
    control: Control
    tokens: Tokens
    feed: Feed
    bell: Bell
    log: Log
    reader: Reader
    lock: Lock
    configured: tuple[Entry, ...]  # what this start wrote about the settings
    gate: Gate | None = None  # where a model may be asked; None: there is nothing of it

    def close(self) -> None:
        """Write what waits, leave the database in one file, let the next daemon have it."""
        if self.gate is not None:
            self.gate.close()
        self.control.close()
        self.reader.close()
        self.log.close()
        self.lock.release()


def now() -> str:
    """The time as the log has it: UTC, RFC 3339, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def start(settings: Settings, *, alone: bool = False) -> Daemon | CannotStart:
    """Open everything that the daemon needs; nothing is left open when it cannot start.

    `alone`: no thread runs in this process yet, so that it may be forked.
    """
    database = database_path(settings.database_url)
    if database is None:
        return CannotStart(
            detail="database_url: expected sqlite:/// and a path; other databases come later",
            status=2,
        )
    lacks = _lacking(settings)
    if lacks is not None:
        return CannotStart(detail=lacks, status=2)
    private_folder(settings.state_dir)
    lock = take(database)
    if isinstance(lock, Locked):
        return _locked(database, lock)
    if alone:
        _upgrade_apart(database)
    try:
        return _open(settings, database, lock)
    except (StoreError, Unreadable) as problem:
        lock.release()
        return CannotStart(detail=f"{database}: {problem}", status=4)


def database_path(url: str) -> Path | None:
    """The file a database URL names; None for another kind of database."""
    return Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None


def _lacking(settings: Settings) -> str | None:
    """What the proposer needs and does not find; off, nothing of it is imported."""
    if not settings.proposer.enabled:
        return None
    from app.proposer.needs import lacking

    return lacking(settings, os.environ)


def _gate(settings: Settings, writer: Writer, feed: Feed, reader: Reader) -> Gate | None:
    if not settings.proposer.enabled:
        return None
    from app.proposer.start import started

    return started(settings, os.environ, writer, feed, reader)


def _locked(database: Path, holder: Locked) -> CannotStart:
    who = f"process {holder.pid} (since {holder.since})" if holder.pid else "another process"
    return CannotStart(
        detail=f"{database} is in use by {who}. One daemon writes one log: use that one, "
        "stop it, or choose another FLOORBOSS_STATE_DIR.",
        status=3,
    )


def _upgrade_apart(database: Path) -> None:
    """Upgrade the log in a child; what fails there is tried again, and told, by `Log.open`."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        upgrade(database)
    finally:
        os._exit(0)


def _open(settings: Settings, database: Path, lock: Lock) -> Daemon:
    log, tokens, feed = Log.open(database), Tokens(settings.state_dir), Feed()
    reader = Reader(database)
    tokens.ensure_harness()
    desk = Desk(StoredPast(log, reader), settings.configuration(), own=settings.own)
    writer = Writer(desk, log, now, feed.publish)
    control = Control(desk, writer, Refusals(time.monotonic), Folding(reader, writer))
    feed.listen(control.count)
    writer.start()
    written = _configure(settings, writer)
    limits = Limits(settings.limits.rate, settings.limits.burst)
    wiring = Wiring(control=control, reader=reader, tokens=tokens, settings=settings, limits=limits)
    feed.listen(wiring.bell.ring)
    return Daemon(
        settings=settings,
        app=application(wiring),
        control=control,
        tokens=tokens,
        feed=feed,
        bell=wiring.bell,
        log=log,
        reader=reader,
        lock=lock,
        configured=written,
        gate=_gate(settings, writer, feed, reader),
    )


def _configure(settings: Settings, writer: Writer) -> tuple[Entry, ...]:
    """Log the settings that hold now, and propose what waits for a person; what was written."""
    values, actor = settings.values(), f"human:{login()}"

    def run(desk: Desk, at: str) -> tuple[Entry, ...]:
        pending = reconfigured(desk.begin(at), values, actor)
        desk.take(pending)
        return pending.entries

    answer = writer.submit(run).result()
    if isinstance(answer, Unavailable):
        writer.stop()
        raise StoreError(answer.cause)
    return cast("tuple[Entry, ...]", answer)


def login() -> str:
    """The name of the person this process runs for; `unknown` where the system has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without a name for its user
        return "unknown"
