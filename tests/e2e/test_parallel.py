"""Many posts to one session at once: each once, in one unbroken order that explains the counters.

More rounds than a test has:  .venv/bin/python -m tests.e2e.test_parallel FOLDER ROUNDS
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.api.running import Running
from tests.e2e.load import Writers
from tests.e2e.process import served

WRITERS = 20
SESSION = "one"
DIFFERS = ("at", "hash", "last_at")  # between two runs of the same order
OUTCOMES = ("ok", "error", "error", "ok", "timeout", "error", "denied", "ok")


def event(number: int, turn: int) -> dict[str, Any]:
    """One call of one writer; calls of several writers are the same call now and then."""
    return {
        "session_id": SESSION,
        "event_id": f"{number}-{turn}",
        "tool": ("Bash", "Edit", "Read")[(number + turn) % 3],
        "arguments": {"command": f"make {turn % 7}", "file_path": f"f{number % 4}.py"},
        "outcome": OUTCOMES[(number * 3 + turn) % len(OUTCOMES)],
        "result": f"line {turn % 5}",
        "occurred_at": f"2026-01-01T{turn // 3600 % 24:02}:{turn // 60 % 60:02}:{turn % 60:02}Z",
        "context_tokens": 1_000 * (turn % 190),
    }


def parallel(folder: Path, rounds: int) -> tuple[int, int]:
    """Post with 20 writers, `rounds` each; check it all; entries, and those that restrict."""

    def events(number: int) -> Iterator[dict[str, Any]]:
        return (event(number, turn) for turn in range(rounds))

    with served(folder) as process:
        writers = Writers(process, events)
        for thread in writers.run(WRITERS):
            thread.join()
        log = process.log()
        shown = process.ask("GET", f"/controller/sessions/{SESSION}")[1]
        assert process.ask("GET", "/controller/verify")[1]["ok"]
    observed = [entry for entry in log if entry["kind"] == "observed"]
    order = [entry["body"]["event_id"] for entry in observed]
    assert len(order) == WRITERS * rounds == len(set(order))
    assert {entry["body"]["event_id"]: entry["seq"] for entry in observed} == writers.outcome.stored
    assert [entry["seq"] for entry in log] == list(range(1, len(log) + 1))
    assert len({entry["hash"] for entry in log}) == len(log)
    again, again_shown = serial(folder.with_name("serial"), order)
    assert [told(entry) for entry in log[1:]] == [told(entry) for entry in again[1:]]
    assert told(shown) == told(again_shown)
    return len(log), sum(entry["kind"] == "applied" for entry in log)


def serial(folder: Path, order: list[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The log and the session when the same events come one after the other."""
    running = Running(folder)
    for start in range(0, len(order), 500):
        names = [name.split("-") for name in order[start : start + 500]]
        batch = [event(int(number), int(turn)) for number, turn in names]
        assert running.ask("POST", "/controller/events", batch).status_code == 201
    log: list[dict[str, Any]] = []
    while True:
        after = log[-1]["seq"] if log else 0
        page = running.get(f"/controller/log?limit=1000&after={after}", "harness")
        log += page["items"]
        if page["next"] is None:
            break
    shown = running.get(f"/controller/sessions/{SESSION}", "harness")
    running.daemon.close()
    return log, shown


def told(value: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in value.items() if name not in DIFFERS}


def test_parallel_posts_leave_what_a_serial_run_in_their_order_leaves(tmp_path: Path) -> None:
    _, applied = parallel(tmp_path / "state", 50)
    assert applied > 1


if __name__ == "__main__":
    entries, applied = parallel(Path(sys.argv[1]), int(sys.argv[2]))
    print(entries, "entries,", applied, "applied; the serial run agrees")
