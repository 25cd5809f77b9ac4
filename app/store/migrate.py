"""Bring the database to the newest revision at start, then re-assert the guards.

All of it is one BEGIN IMMEDIATE transaction: a process that is killed halfway leaves the file as
it was. Alembic is imported only where there is something to do, for it costs a start 0.3 s.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from app.store.connections import connect, create_private, immediate, writing_engine
from app.store.errors import NewerDatabase, OldSqlite
from app.store.guards import assert_guards

OLDEST_SQLITE: Final = (3, 37, 0)  # STRICT tables
PACKAGE: Final = Path(__file__).resolve().parent.parent


def migrations_folder(package: Path = PACKAGE) -> Path:
    """Where the migrations are: inside the package in a wheel, beside it in a checkout."""
    shipped = package / "_migrations"
    return shipped if shipped.is_dir() else package.parent / "migrations"


def revisions(folder: Path) -> tuple[str, ...]:
    """The known revisions, oldest first: a file's first four characters are its revision."""
    return tuple(sorted(path.name[:4] for path in (folder / "versions").glob("[0-9]*.py")))


def revision_of(database: Path) -> str | None:
    """The revision the file is at, read without writing; None: no floorboss database yet."""
    with closing(connect(database, "ro", ())) as connection:
        known = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        if connection.execute(known).fetchone() is None:
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def upgrade(database: Path, folder: Path | None = None) -> None:
    """Create or upgrade the database; raises NewerDatabase, OldSqlite or SQLite's own errors.

    `folder` holds the migrations; None: those this version ships.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise OldSqlite(f"SQLite {sqlite3.sqlite_version} is too old: 3.37.0 or newer is needed")
    folder = folder or migrations_folder()
    known = revisions(folder)
    create_private(database)
    current = revision_of(database)
    if current is not None and current not in known:
        raise NewerDatabase(current, known[-1])
    with writing_engine(database).connect() as connection, immediate(connection.exec_driver_sql):
        if current != known[-1]:
            _run(connection, folder)
        assert_guards(connection)


def _run(connection: Connection, folder: Path) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    # Alembic's configuration interpolates: a percent sign in a path must be doubled
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    command.upgrade(config, "head")
