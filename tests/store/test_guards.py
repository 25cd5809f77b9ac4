"""The database itself refuses everything but an entry at head + 1."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from app.store.guards import GUARDS, intact
from app.store.log import Log
from tests.store.samples import COLUMNS, applied, entry, reverted

ROW = "INSERT {} INTO controls (" + ", ".join(COLUMNS) + ") VALUES ({}, {}, {})"
MIDDLE = "'2026-11-30T14:02:11.482Z', 'reverted', 's', 'mode', 'loosen'"


def insert(seq: object, *, how: str = "", ref: object = 1, dedup_key: str = "NULL") -> str:
    tail = f"{ref}, 'human:ann', {dedup_key}, '{{}}', '{'0' * 64}'"
    return ROW.format(how, seq, MIDDLE, tail)


STATEMENTS = {
    "an update": ("UPDATE controls SET scope = 'x' WHERE seq = 2", "no UPDATE"),
    "an update that replaces": ("UPDATE OR REPLACE controls SET seq = 1", "no UPDATE"),
    "an update that changes nothing": ("UPDATE controls SET seq = seq", "no UPDATE"),
    "a delete": ("DELETE FROM controls WHERE seq = 3", "no DELETE"),
    "a delete of all": ("DELETE FROM controls", "no DELETE"),
    "a replaced entry": (insert(2, how="OR REPLACE"), "head + 1"),
    "an ignored conflict": (insert(2, how="OR IGNORE"), "head + 1"),
    "an upsert": (
        insert(2) + " ON CONFLICT (seq) DO UPDATE SET scope = 'x'",
        "head + 1",
    ),
    "seq 0": (insert(0), "head + 1"),
    "seq -5": (insert(-5), "head + 1"),
    "a gap": (insert(5), "head + 1"),
    "no seq": (insert("NULL"), "head + 1"),
    "a replaced dedup_key": (insert(4, how="OR REPLACE", dedup_key="'k1'"), "dedup_key exists"),
    "a second revert": (insert(4, ref=2), "already reverted"),
    "a replaced revert": (insert(4, how="OR REPLACE", ref=2), "already reverted"),
}


@pytest.fixture
def rows(log: Log, stranger: sqlite3.Connection) -> list[object]:
    log.commit([entry(1, dedup_key="k1"), applied(2, ref=1), reverted(3, 2)])
    return stranger.execute("SELECT * FROM controls").fetchall()


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_plain_connection_cannot_do_anything_but_append(
    name: str, rows: list[object], stranger: sqlite3.Connection
) -> None:
    statement, why = STATEMENTS[name]
    with pytest.raises(sqlite3.IntegrityError, match=why.replace("+", r"\+")):
        stranger.execute(statement)
    assert stranger.execute("SELECT * FROM controls").fetchall() == rows


def test_the_same_statement_at_head_plus_1_is_taken(
    rows: list[object], stranger: sqlite3.Connection
) -> None:
    stranger.execute(insert(4, ref=1))
    assert stranger.execute("SELECT count(*) FROM controls").fetchone() == (4,)


@pytest.mark.parametrize("name", GUARDS)
def test_a_dropped_guard_is_back_after_the_next_start(
    name: str, log: Log, database: Path, stranger: sqlite3.Connection
) -> None:
    stranger.execute(f"DROP TRIGGER {name}")
    assert not intact(log.connection)
    Log.open(database).close()
    assert intact(log.connection)


def test_a_guard_that_was_weakened_and_a_foreign_trigger_are_gone_after_the_next_start(
    log: Log, database: Path, stranger: sqlite3.Connection
) -> None:
    stranger.execute("DROP TRIGGER controls_no_delete")
    stranger.execute(
        "CREATE TRIGGER controls_no_delete BEFORE DELETE ON controls BEGIN SELECT 1; END"
    )
    stranger.execute(
        'CREATE TRIGGER "a ""foreign"" one" AFTER INSERT ON controls BEGIN SELECT 1; END'
    )
    Log.open(database).close()
    assert intact(log.connection)


def test_a_start_with_all_guards_in_place_writes_nothing(log: Log, database: Path) -> None:
    before = log.connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    Log.open(database).close()
    assert log.connection.exec_driver_sql("PRAGMA schema_version").scalar_one() == before


def test_our_own_connection_fires_the_delete_guard_even_inside_a_replace(log: Log) -> None:
    assert log.connection.exec_driver_sql("PRAGMA recursive_triggers").scalar_one() == 1
