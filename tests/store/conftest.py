"""A fresh database for each test, and ways to it that are not ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.store.guards import GUARDS
from app.store.log import Log
from app.store.reader import Reader


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where the test's database will be: in a folder whose name needs quoting in a URI."""
    folder = tmp_path / "state ?#%25 é"
    folder.mkdir()
    return folder / "controls.db"


@pytest.fixture
def log(database: Path) -> Iterator[Log]:
    """The writing end of a new database."""
    opened = Log.open(database)
    yield opened
    opened.close()


@pytest.fixture
def reader(log: Log, database: Path) -> Iterator[Reader]:
    """The reading end of the same database."""
    opened = Reader(database)
    yield opened
    opened.close()


@pytest.fixture
def stranger(log: Log, database: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection as any program would open it, with none of our settings."""
    connection = sqlite3.connect(database, isolation_level=None)
    yield connection
    connection.close()


@pytest.fixture
def bypass(stranger: sqlite3.Connection) -> Callable[[str], None]:
    """Run one statement as the file's owner can: guards dropped, CHECKs ignored."""

    def run(statement: str) -> None:
        for name in GUARDS:
            stranger.execute(f"DROP TRIGGER IF EXISTS {name}")
        stranger.execute("DROP INDEX IF EXISTS controls_dedup_key")
        stranger.execute("PRAGMA ignore_check_constraints = ON")
        stranger.execute(statement)

    return run
