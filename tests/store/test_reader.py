"""Reading the log: pages, references, sessions, what is in force."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.domain.entries import Entry
from app.store.chain import GENESIS
from app.store.errors import LogUnavailable
from app.store.log import Log
from app.store.reader import Checkpoint, Reader, SessionRow
from tests.store.samples import applied, entry, overrides, reverted


@pytest.fixture
def stored(log: Log) -> Sequence[Entry]:
    """Eight entries of three sessions, one agent and `*`."""
    return log.commit(
        (
            entry(1, scope="a"),
            entry(2, scope="b"),
            applied(3, scope="a", ref=1),
            entry(4, scope="a/x"),
            applied(5, scope="*"),
            entry(6, scope="a-1", action="prompt"),
            reverted(7, 3, scope="a"),
            applied(8, scope="a/x", ref=4, action="policy"),
        )
    )


PAGES: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [8, 7, 6, 5, 4, 3, 2, 1]),
    ({"newest_first": False}, [1, 2, 3, 4, 5, 6, 7, 8]),
    ({"limit": 3}, [8, 7, 6]),
    ({"limit": 3, "before": 6}, [5, 4, 3]),
    ({"limit": 2, "after": 5, "newest_first": False}, [6, 7]),
    ({"after": 2, "before": 5}, [4, 3]),
    ({"scope": "a"}, [7, 3, 1]),
    ({"scope": "a", "agents": True}, [8, 7, 4, 3, 1]),
    ({"scope": "a/x"}, [8, 4]),
    ({"scope": "*"}, [5]),
    ({"kind": "applied"}, [8, 5, 3]),
    ({"kind": "applied", "action": "mode"}, [5, 3]),
    ({"kind": "applied", "scope": "a", "agents": True, "before": 8}, [3]),
    ({"action": "prompt"}, [6]),
    ({"before": 1}, []),
    ({"scope": "nobody"}, []),
]


@pytest.mark.parametrize(("asked", "expected"), PAGES, ids=[str(p[0]) for p in PAGES])
def test_a_page_holds_what_was_asked_in_order(
    asked: dict[str, Any], expected: list[int], stored: Sequence[Entry], reader: Reader
) -> None:
    assert reader.page(**asked) == tuple(stored[seq - 1] for seq in expected)


def test_pages_joined_by_their_last_seq_are_the_whole_log(
    stored: Sequence[Entry], reader: Reader
) -> None:
    found: list[Entry] = []
    while page := reader.page(before=found[-1].seq if found else None, limit=3):
        found += page
    assert found == list(reversed(stored))


def test_an_entry_is_read_by_its_seq(stored: Sequence[Entry], reader: Reader) -> None:
    assert reader.get(3) == stored[2]
    assert reader.get(9) is None


def test_what_refers_to_an_entry(stored: Sequence[Entry], reader: Reader) -> None:
    assert reader.referring_to(3) == (stored[6],)
    assert reader.referring_to(7) == ()


def test_the_head_and_the_checkpoint_are_the_newest_entry(
    stored: Sequence[Entry], reader: Reader
) -> None:
    assert reader.head() == 8
    assert reader.checkpoint() == Checkpoint(seq=8, hash=stored[7].hash, at=stored[7].at)


def test_an_empty_log_has_a_checkpoint_too(reader: Reader) -> None:
    assert reader.checkpoint() == Checkpoint(seq=0, hash=GENESIS, at=None)
    assert (reader.page(), reader.sessions(), overrides(reader)) == ((), (), {})


def test_sessions_come_newest_first_with_their_agents_counted_in(
    stored: Sequence[Entry], reader: Reader
) -> None:
    a, a1, b = (SessionRow(session=s, last_seq=n) for s, n in (("a", 8), ("a-1", 6), ("b", 2)))
    assert reader.sessions() == (a, a1, b)
    assert reader.sessions(limit=1) == (a,)
    assert reader.sessions(before=8, limit=1) == (a1,)


def test_what_is_in_force_is_the_newest_applied_entry_that_still_stands(
    stored: Sequence[Entry], reader: Reader
) -> None:
    assert overrides(reader) == {("*", "mode"): 5, ("a/x", "policy"): 8}


def test_reverting_the_newest_puts_the_older_one_back_in_force(log: Log, reader: Reader) -> None:
    log.commit((applied(1), applied(2, body={"mode": "debug"})))
    assert overrides(reader) == {("s-1", "mode"): 2}
    log.commit((reverted(3, 2),))
    assert overrides(reader) == {("s-1", "mode"): 1}


def test_newest_is_the_place_of_the_applied_entry_and_not_of_its_proposal(
    log: Log, reader: Reader
) -> None:
    proposal = {"kind": "proposed", "direction": "neutral"}
    log.commit((applied(1, **proposal), applied(2, **proposal), applied(3, ref=2)))
    log.commit((applied(4, ref=1),))
    assert overrides(reader) == {("s-1", "mode"): 4}


def test_a_reader_sees_each_commit_once_it_is_acknowledged_from_any_thread(
    log: Log, reader: Reader
) -> None:
    with ThreadPoolExecutor(16) as threads:
        for seq in range(1, 40):
            log.commit((entry(seq),))
            heads = [threads.submit(reader.head) for _ in range(16)]
            assert {head.result() for head in heads} == {seq}


def test_a_reader_that_holds_a_transaction_does_not_stop_the_log(log: Log, database: Path) -> None:
    log.commit((entry(1),))
    with closing(Reader(database)) as reading, reading._connection() as connection:
        connection.exec_driver_sql("BEGIN")
        connection.exec_driver_sql("SELECT * FROM controls").all()
        for seq in range(2, 50):
            log.commit((entry(seq),))
        assert connection.exec_driver_sql("SELECT max(seq) FROM controls").scalar_one() == 1
        connection.exec_driver_sql("COMMIT")
        assert reading.head() == 49


def test_a_missing_database_is_unavailable(tmp_path: Path) -> None:
    with closing(Reader(tmp_path / "missing.db")) as reader, pytest.raises(LogUnavailable):
        reader.head()


def test_two_folds_of_a_copied_file_are_equal_to_the_byte(
    stored: Sequence[Entry], log: Log, database: Path, tmp_path: Path
) -> None:
    log.close()
    copy = tmp_path / "copy.db"
    copy.write_bytes(database.read_bytes())
    answers = []
    for path in (database, database, copy):
        with closing(Reader(path)) as reader:
            answers.append(repr((overrides(reader), reader.sessions(), reader.verify())).encode())
    assert answers[0] == answers[1] == answers[2]
