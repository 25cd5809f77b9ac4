"""How the file is opened, and which SQLite is worth a warning."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from app.store.connections import READER_PRAGMAS, connect, reading_engine, sqlite_warning
from app.store.log import Log
from tests.store.samples import entry

CASES = json.loads((Path(__file__).parents[1] / "cases" / "sqlite_versions.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_sqlite_with_the_wal_reset_bug_is_named(case: dict[str, Any]) -> None:
    warning = sqlite_warning(tuple(case["given"]))
    assert (warning is not None) == case["then"]
    assert warning is None or ".".join(map(str, case["given"])) in warning


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM controls", "DROP TABLE controls", "PRAGMA user_version = 7", "VACUUM"],
)
def test_a_reading_connection_cannot_write(statement: str, log: Log, database: Path) -> None:
    log.commit((entry(1),))
    engine = reading_engine(database)
    with (
        engine.connect() as connection,
        pytest.raises(OperationalError, match="readonly database"),
    ):
        connection.exec_driver_sql(statement)
    engine.dispose()


def test_a_reading_connection_does_not_create_a_database(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(missing, "ro", ())
    assert not missing.exists()


def test_a_reading_connection_trusts_no_schema(log: Log, database: Path) -> None:
    with closing(connect(database, "ro", READER_PRAGMAS)) as connection:
        assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
        assert connection.execute("PRAGMA query_only").fetchone() == (1,)
