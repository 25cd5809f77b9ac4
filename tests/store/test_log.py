"""Committing to the log, and what the writer reads from it."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from immutables import Map

from app.store.chain import GENESIS, Verified
from app.store.errors import LogRefused, LogUnavailable
from app.store.log import Log
from app.store.reader import Reader
from tests.store.samples import applied, entry


def test_a_new_log_has_no_head(log: Log) -> None:
    assert (log.head_seq, log.head_hash) == (0, GENESIS)


def test_committed_entries_come_back_with_their_hashes_and_are_stored_as_they_are(
    log: Log, reader: Reader
) -> None:
    entries = (entry(1, dedup_key="k"), applied(2, ref=1))
    stored = log.commit(entries)
    assert [e.seq for e in stored] == [1, 2]
    assert (log.head_seq, log.head_hash) == (2, stored[1].hash)
    assert reader.page(newest_first=False) == stored


def test_the_head_goes_on_after_a_restart(log: Log, database: Path) -> None:
    log.commit((entry(1),))
    log.close()
    again = Log.open(database)
    assert (again.head_seq, again.head_hash) == (log.head_seq, log.head_hash)
    again.commit((entry(2),))
    again.close()
    with closing(Reader(database)) as reader:
        assert reader.verify() == Verified(count=2, head_seq=2, head_hash=again.head_hash)


def test_a_body_is_stored_as_compact_json_in_its_own_order(
    log: Log, stranger: sqlite3.Connection
) -> None:
    log.commit((entry(1, body=Map({"z": {"é": [1, 2.5, None, True, "\u0000"]}})),))
    stored = stranger.execute("SELECT body FROM controls").fetchone()[0]
    assert stored == '{"z":{"é":[1,2.5,null,true,"\\u0000"]}}'


def test_an_empty_commit_is_nothing(log: Log) -> None:
    assert log.commit(()) == ()
    assert log.head_seq == 0


@pytest.mark.parametrize("ending", ["", "-wal"])
def test_nothing_is_committed_to_a_file_that_is_not_there_any_more(
    log: Log, database: Path, reader: Reader, ending: str
) -> None:
    log.commit((entry(1),))
    file = database.with_name(database.name + ending)
    away = file.rename(file.with_name("away"))
    for _ in range(2):
        with pytest.raises(LogUnavailable, match="deleted, moved or replaced"):
            log.commit((entry(2),))
        file.write_bytes(away.read_bytes())  # another file in its place is no better
    away.replace(file)
    log.commit((entry(2),))
    assert reader.head() == 2


def test_a_database_is_recognised_behind_a_symbolic_link(log: Log, database: Path) -> None:
    log.close()
    link = database.with_name("link.db")
    link.symlink_to(database)
    with closing(Log.open(link)) as again:
        again.commit((entry(1),))
        assert again.head_seq == 1


BAD = {
    "a seq that is taken": entry(1),
    "a gap": entry(4),
    "a body with infinity": entry(3, body={"x": float("inf")}),
    "a body with a set": entry(3, body={"x": {1}}),
    "a body with a lone surrogate": entry(3, body={"x": "\ud800"}),
    "a scope with a lone surrogate": entry(3, scope="\udcff"),
    "a ref that is too large": entry(3, ref=2**63),
    "a ref to what comes later": entry(3, ref=4),
    "a machine that loosens": applied(3, direction="loosen"),
    "a dedup_key that exists": entry(3, dedup_key="k"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_refused_entry_takes_the_whole_commit_with_it_and_leaves_the_log_usable(
    name: str, log: Log, reader: Reader
) -> None:
    log.commit((entry(1, dedup_key="k"),))
    head = log.head_hash
    with pytest.raises(LogRefused):
        log.commit((entry(2), BAD[name]))
    assert (log.head_seq, log.head_hash, reader.head()) == (1, head, 1)
    log.commit((entry(2),))
    assert reader.verify() == Verified(count=2, head_seq=2, head_hash=log.head_hash)


def test_a_full_database_is_unavailable_until_there_is_room(log: Log, reader: Reader) -> None:
    log.commit((entry(1),))
    head = log.head_hash
    pages = log.connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    log.connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    large = entry(2, body={"text": "x" * 100_000})
    for _ in range(3):
        with pytest.raises(LogUnavailable, match="full"):
            log.commit((large,))
        assert (log.head_seq, log.head_hash, reader.head()) == (1, head, 1)
    log.connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1000}")
    log.commit((large,))
    assert reader.verify() == Verified(count=2, head_seq=2, head_hash=log.head_hash)


def test_a_database_that_another_program_holds_is_unavailable_until_it_lets_go(
    log: Log, reader: Reader, stranger: sqlite3.Connection
) -> None:
    log.connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    stranger.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogUnavailable, match="locked"):
        log.commit((entry(1),))
    stranger.execute("ROLLBACK")
    log.commit((entry(1),))
    assert reader.head() == 1


def test_an_entry_that_another_program_slipped_in_stops_the_log_and_not_silently(
    log: Log, stranger: sqlite3.Connection
) -> None:
    log.commit((entry(1),))
    stranger.execute(
        "INSERT INTO controls SELECT 2, at, kind, scope, action, direction, ref, actor,"
        " dedup_key, body, hash FROM controls"
    )
    with pytest.raises(LogRefused, match="head"):
        log.commit((entry(2),))


def test_a_path_that_cannot_hold_a_database_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable):
        Log.open(tmp_path / "no such folder" / "controls.db")


def test_a_file_that_is_no_database_is_unavailable_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "controls.db"
    path.write_bytes(b"not a database, and longer than a header " * 100)
    before = path.read_bytes()
    with pytest.raises(LogUnavailable, match="not a database"):
        Log.open(path)
    assert path.read_bytes() == before


PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "busy_timeout": 1000,
    "recursive_triggers": 1,
    "cell_size_check": 1,
    "journal_size_limit": 64 * 1024 * 1024,
    "wal_autocheckpoint": 4000,
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
}


@pytest.mark.parametrize("name", PRAGMAS)
def test_the_writing_connection_is_durable(name: str, log: Log) -> None:
    assert log.connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() == PRAGMAS[name]


def test_the_files_belong_to_their_owner_only(log: Log, database: Path) -> None:
    log.commit((entry(1),))
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in database.parent.iterdir()}
    assert modes == {"controls.db": 0o600, "controls.db-wal": 0o600, "controls.db-shm": 0o600}


def test_close_leaves_everything_in_the_one_file(log: Log, database: Path, tmp_path: Path) -> None:
    stored = log.commit((entry(1), entry(2)))
    log.close()
    copy = tmp_path / "copy.db"
    copy.write_bytes(database.read_bytes())
    with closing(Reader(copy)) as reader:
        assert reader.page(newest_first=False) == stored


SCOPES = ["s", "s/a", "s-1", "s.1", "s/", "s/b/c", "s0", "S", "s!", "*", "t", "s/\U0010ffff"]


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        ("s", ["s", "s/a", "s/", "s/b/c", "s/\U0010ffff", "s"]),
        ("*", ["*"]),
        ("t", ["t"]),
        ("s-1", ["s-1"]),
        ("nobody", []),
    ],
)
def test_the_entries_of_a_session_are_its_own_and_its_agents_in_seq_order(
    session: str, expected: list[str], log: Log
) -> None:
    log.commit([entry(i, scope=s) for i, s in enumerate([*SCOPES, "s"], 1)])
    found = list(log.entries_of(session))
    assert [e.scope for e in found] == expected
    assert [e.seq for e in found] == sorted(e.seq for e in found)


def test_a_commit_while_a_session_is_still_being_read_is_no_problem(log: Log) -> None:
    log.commit([entry(i) for i in range(1, 1201)])
    reading = log.entries_of("s-1")
    first = next(reading)
    log.commit((entry(1201),))
    assert [first.seq, *(e.seq for e in reading)][:1200] == list(range(1, 1201))


def test_an_entry_is_found_by_its_dedup_key(log: Log) -> None:
    (stored,) = log.commit((entry(1, dedup_key="s-1\x00post\x00é"),))
    assert log.find("s-1\x00post\x00é") == stored
    assert log.find("s-1") is None
