"""Another program holds the database: verdicts leave all the same, and the daemon goes on."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from tests.e2e.process import Process


def attempt(number: int) -> dict[str, Any]:
    tool = "Write" if number % 2 else "Read"
    arguments = {"file_path": f"{number}.py"}
    return {"session_id": "s", "tool": tool, "arguments": arguments, "call_id": f"c{number}"}


def test_many_verdicts_leave_while_the_database_is_held_and_none_is_stored_twice(
    process: Process,
) -> None:
    def decide(number: int) -> tuple[int, Any]:
        return process.ask("POST", "/controller/decide", attempt(number))

    assert decide(0)[1]["seq"] is not None
    with (
        closing(sqlite3.connect(process.database, isolation_level=None)) as other,
        ThreadPoolExecutor(12) as asking,
    ):
        other.execute("BEGIN IMMEDIATE")
        # The lock is held until the last answer is here: none of them waited for it.
        answers = list(asking.map(decide, range(1, 13)))
        event = process.ask("POST", "/controller/events", {"session_id": "s", "kind": "prompt"})
        health = process.ask("GET", "/healthz")
        other.execute("ROLLBACK")
    assert {status for status, _ in answers} == {200}
    for number, (_, answer) in enumerate(answers, 1):
        assert answer["seq"] is None
        assert answer["verdict"] == ("deny" if number % 2 else "none")
    assert (event[0], health[0]) == (503, 503)

    assert (
        process.ask("POST", "/controller/events", {"session_id": "s", "kind": "prompt"})[0] == 201
    )
    gaps = process.log("&kind=gap")
    assert sum(gap["body"]["verdicts"] for gap in gaps) == 12
    assert sum(gap["body"]["events"] for gap in gaps) == 1
    assert process.ask("GET", "/healthz")[0] == 200
    again = [decide(number)[1] for number in range(13)]
    assert [answer["duplicate"] for answer in again] == [True] + [False] * 12
    assert len(process.log("&kind=decided")) == 13
    assert process.ask("GET", "/controller/verify")[1]["ok"]


def test_readers_see_the_log_while_somebody_else_writes(process: Process) -> None:
    process.ask("POST", "/controller/events", {"session_id": "s", "kind": "prompt"})
    with closing(sqlite3.connect(process.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for path in ("/controller/log", "/controller/verify", "/controller/sessions/s"):
            assert process.ask("GET", path)[0] == 200
        other.execute("ROLLBACK")


def test_a_reader_that_holds_an_old_view_stops_nobody(process: Process) -> None:
    with closing(sqlite3.connect(process.database, isolation_level=None)) as other:
        other.execute("BEGIN")
        before = other.execute("SELECT count(*) FROM controls").fetchone()
        events = [{"session_id": "s", "kind": "prompt"}] * 1_000
        assert process.ask("POST", "/controller/events", events)[0] == 201
        assert other.execute("SELECT count(*) FROM controls").fetchone() == before
        other.execute("COMMIT")
        assert other.execute("SELECT count(*) FROM controls").fetchone()[0] >= 1_000
