"""However the daemon ends, what it acknowledged is there once, and what it refused is not.

More rounds than a test has:  .venv/bin/python -m tests.e2e.test_ends FOLDER ROUNDS
"""

from __future__ import annotations

import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from tests.e2e.load import Outcome, Writers
from tests.e2e.process import Process, launched, served

WRITERS = 16


def endless(name: str) -> Any:
    """Events for any number of writers, until the connection ends."""

    def events(number: int) -> Iterator[dict[str, Any]]:
        for turn in count():
            one = f"{name}-{number}-{turn}"
            yield {"session_id": f"s{turn % 64}", "kind": "prompt", "event_id": one}

    return events


def present(database: Path) -> Counter[str]:
    """How often each event stands in the file, as any program reads it."""
    query = "SELECT json_extract(body, '$.event_id') FROM controls WHERE kind = 'observed'"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as stranger:
        assert stranger.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return Counter(row[0] for row in stranger.execute(query))


def ended(process: Process, name: str, wanted: int, how: signal.Signals) -> tuple[Outcome, int]:
    """Post with many writers and end the daemon in the middle of it."""
    writers = Writers(process, endless(name), wanted=wanted)
    threads = writers.run(WRITERS)
    assert writers.enough.wait(60)
    code = process.end(how)
    for thread in threads:
        thread.join(60)
    return writers.outcome, code


def test_at_a_term_signal_each_request_is_stored_and_said_so_or_neither(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        outcome, code = ended(process, "term", 300, signal.SIGTERM)
        assert code == 0
        wal = process.database.with_name("controls.db-wal")
        assert not wal.exists() or wal.stat().st_size == 0
        assert present(process.database) == Counter(outcome.stored.keys())


def kill_rounds(folder: Path, rounds: int) -> int:
    """Kill a daemon under load again and again; how many events it had acknowledged."""
    acknowledged: set[str] = set()
    for turn in range(rounds):
        with served(folder) as process:
            outcome, code = ended(process, f"kill{turn}", 100 + 37 * turn % 200, signal.SIGKILL)
            assert code == -signal.SIGKILL
        acknowledged |= outcome.stored.keys()
        found = present(process.database)
        assert acknowledged <= found.keys(), "an acknowledged event is missing"
        assert set(found.values()) == {1}, "an event is stored twice"
        assert not outcome.refused & found.keys()
    with served(folder) as process:
        verified = process.ask("GET", "/controller/verify")[1]
        assert verified["ok"], verified
        seqs = [entry["seq"] for entry in process.log()]
        assert seqs == list(range(1, verified["head"] + 1))
    return len(acknowledged)


def test_nothing_acknowledged_is_lost_or_doubled_when_it_is_killed(tmp_path: Path) -> None:
    assert kill_rounds(tmp_path / "state", 3) >= 300


def test_an_event_sent_again_after_a_kill_is_a_duplicate_or_new(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        outcome, _ = ended(process, "again", 50, signal.SIGKILL)
    sent = [*outcome.stored, *outcome.unanswered]
    with served(tmp_path / "state") as process:
        for name in sent:
            turn = int(name.rpartition("-")[2])
            event = {"session_id": f"s{turn % 64}", "kind": "prompt", "event_id": name}
            status, answer = process.ask("POST", "/controller/events", event)
            assert status == 201
            if name in outcome.stored:
                result = answer["results"][0]
                assert (result["duplicate"], result["seq"]) == (True, outcome.stored[name])
        process.end()
        assert present(process.database) == Counter(sent)


def test_a_second_daemon_on_the_same_log_names_the_first_and_ends(tmp_path: Path) -> None:
    with served(tmp_path / "state") as first:
        before = first.ask("GET", "/controller/checkpoint")
        shared = first.database.with_name("controls.db-shm").stat().st_mtime_ns
        with launched(tmp_path / "state") as second:
            _, errors = second.communicate(timeout=60)
        assert second.returncode == 3
        assert f"process {first.popen.pid}".encode() in errors
        assert first.database.with_name("controls.db-shm").stat().st_mtime_ns == shared
        assert first.ask("GET", "/controller/checkpoint") == before
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
    with served(tmp_path / "state") as third:
        assert third.ask("GET", "/controller/checkpoint") == before


if __name__ == "__main__":
    print(kill_rounds(Path(sys.argv[1]), int(sys.argv[2])), "acknowledged, none lost, none twice")
