"""When nothing can be logged: events wait, writes are denied, reads go on, nothing is forgotten."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.domain.events import Event
from app.service.control import Control
from app.service.intake import Arrival, receive
from app.service.writer import Unavailable
from app.store.connections import reading_engine
from app.store.errors import LogRefused, LogUnavailable
from tests.api.running import FAILING, Running

LARGE = {"session_id": "s", "kind": "prompt", "result": "x" * 4_000}
SMALL = {"session_id": "s", "kind": "prompt"}
WRITE = {"session_id": "s", "tool": "Write", "arguments": {"file_path": "a.py"}, "call_id": "w"}
READ = {"session_id": "s", "tool": "Read", "arguments": {"file_path": "a.py"}, "call_id": "r"}
SOME_PAGES = 1_000_000


def pages(running: Running, most: int) -> None:
    """Let the database have so many pages; fewer than it has means no more than it has."""
    connection = running.daemon.log.connection
    pragma = f"PRAGMA max_page_count = {most}"
    running.daemon.control.writer.submit(
        lambda desk, at: connection.exec_driver_sql(pragma).all()
    ).result()


def filled(running: Running) -> int:
    """Fill the database to the last byte; how many events it refused since it took one."""
    pages(running, 1)
    refused, sent = 0, LARGE
    for _ in range(200):
        response = running.ask("POST", "/controller/events", sent)
        assert response.status_code in (201, 503), response.text
        refused = 0 if response.status_code == 201 else refused + 1
        sent = LARGE if response.status_code == 201 else SMALL
        if refused == 3:
            asyncio.run(running.daemon.control.flush())  # is there room for the gap alone?
            refused = running.daemon.control.writer.lost
            if refused:
                return refused
    raise AssertionError("the database never became full")


def test_a_full_database_stores_nothing_denies_writes_and_lets_reads_go_on(
    running: Running,
) -> None:
    running.event("s", tool="Read")
    lost = filled(running)
    event = running.ask("POST", "/controller/events", [LARGE, LARGE])
    assert (event.status_code, event.json()["type"]) == (503, "/problems/log_unavailable")
    assert event.json()["stored"] == 0
    assert int(event.headers["retry-after"]) >= 1
    denied = running.post("/controller/decide", WRITE, "harness")
    assert (denied["seq"], denied["verdict"], denied["rule"]) == (None, "deny", "log_unavailable")
    assert denied["reason"].startswith("[floorboss -]")
    read = running.post("/controller/decide", READ, "harness")
    assert (read["seq"], read["verdict"], read["rule"]) == (None, "none", None)
    health = running.ask("GET", "/healthz", role="outline")
    assert (health.status_code, health.json()["type"]) == (503, "/problems/log_unavailable")
    assert running.get("/controller/verify")["ok"]

    before = running.log()
    pages(running, SOME_PAGES)
    again = running.ask("POST", "/controller/events", LARGE)
    assert again.status_code == 201
    gap, stored = running.log()[len(before) :]
    assert (gap["kind"], gap["actor"], gap["scope"]) == ("gap", "machine", "*")
    counted = {key: gap["body"][key] for key in ("count", "events", "verdicts")}
    assert counted == {"count": lost + 4, "events": lost + 2, "verdicts": 2}
    assert gap["body"]["from"] <= gap["body"]["to"] <= gap["at"]
    assert stored["seq"] == again.json()["results"][0]["seq"]
    assert running.ask("GET", "/healthz").status_code == 200
    assert running.get("/controller/verify")["ok"]


def test_reads_and_dry_runs_are_answered_from_what_is_committed(running: Running) -> None:
    _, proposed = running.tightened("s")
    running.tightened("forgotten")
    kept = running.get("/controller/sessions/forgotten")
    desk = running.daemon.control._desk
    filled(running)
    running.daemon.control.writer.submit(
        lambda d, _: setattr(d, "book", d.book.without("forgotten"))
    )
    running.daemon.control.writer.book = desk.book.without("forgotten")
    assert running.get("/controller/sessions/forgotten") == kept
    path = f"/controller/approve/{proposed['seq']}"
    assert running.ask("POST", f"{path}?dry_run=true", role="operator").status_code == 200
    decided = {"expected_state": running.state("s")}
    refused = running.ask("POST", path, decided, role="operator")
    assert (refused.status_code, refused.json()["type"]) == (503, "/problems/log_unavailable")
    assert running.get("/controller/overrides?scope=s")["mode"] == "plan"
    pages(running, SOME_PAGES)
    assert running.ask("POST", path, decided, role="operator").status_code == 200


def test_the_counters_know_nothing_of_what_was_not_stored(running: Running) -> None:
    filled(running)
    for _ in range(5):
        failing = {"session_id": "s", **FAILING}
        assert running.ask("POST", "/controller/events", failing).status_code == 503
    pages(running, SOME_PAGES)
    assert [running.event("s", **FAILING)["fired"] for _ in range(2)] == [[], []]
    assert [e["action"] for e in running.event("s", **FAILING)["fired"]] == ["mode", "mode"]


def test_what_was_lost_is_counted_even_when_nobody_sends_any_more(running: Running) -> None:
    lost = filled(running)
    assert running.ask("GET", "/healthz").status_code == 503
    pages(running, SOME_PAGES)
    asyncio.run(running.daemon.control.flush())  # what the application does each second
    assert running.ask("GET", "/healthz").status_code == 200
    assert running.log()[-1]["kind"] == "gap"
    assert running.log()[-1]["body"]["count"] == lost


@contextmanager
def locked(running: Running) -> Iterator[None]:
    """Another program writes to the database and does not end its transaction."""
    path = running.folder / "controls.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_verdicts_leave_while_another_program_holds_the_database(running: Running) -> None:
    running.event("s", tool="Read")
    with locked(running):
        answers = asyncio.run(asked(running, [WRITE, READ] * 3))
        running.daemon.control.writer.submit(lambda desk, at: None).result()  # nothing is under way
    assert [answer["verdict"] for answer in answers] == ["deny", "none"] * 3
    assert {answer["seq"] for answer in answers} == {None}
    running.event("s", kind="prompt")
    assert running.log("&kind=decided") == []
    assert sum(entry["body"]["verdicts"] for entry in running.log("&kind=gap")) == 6
    first = running.post("/controller/decide", WRITE, "harness")
    assert (first["verdict"], first["duplicate"]) == ("none", False)
    assert len(running.log("&kind=decided")) == 1


async def asked(running: Running, attempts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The verdicts on attempts that are made at the same time."""
    headers = {"Authorization": f"Bearer {running.tokens['harness']}"}
    transport = httpx.ASGITransport(running.daemon.app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=None
    ) as client:
        sent = [client.post("/controller/decide", json=attempt) for attempt in attempts]
        return [answer.json() for answer in await asyncio.gather(*sent)]


@contextmanager
def held(running: Running) -> Iterator[Callable[[], None]]:
    """The writer busy with one piece of work until the value is called."""
    begun, go = threading.Event(), threading.Event()

    def wait(desk: object, at: str) -> None:
        begun.set()
        go.wait(60)

    busy = running.daemon.control.writer.submit(wait)
    begun.wait(60)  # and so it is alone in its group
    try:
        yield go.set
    finally:
        go.set()
        busy.result()


def test_a_verdict_that_nobody_waits_for_any_more_is_not_given(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.control.VERDICT_WITHIN", 0.3)
    with held(running) as release:
        answer = running.post("/controller/decide", WRITE, "harness")
        assert (answer["seq"], answer["verdict"]) == (None, "deny")
        release()
    monkeypatch.undo()
    running.event("s", kind="prompt")
    assert running.log("&kind=decided") == []
    assert [entry["body"]["verdicts"] for entry in running.log("&kind=gap")] == [1]


def test_a_verdict_that_was_committed_in_vain_is_found_again(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry cannot be taken back; the answer that the log does not hold is counted."""
    commit = running.daemon.log.commit
    waiting = running.daemon.control.writer
    monkeypatch.setattr("app.service.control.VERDICT_WITHIN", 0.3)

    answered = threading.Event()

    class Slow:
        def commit(self, entries: Any) -> Any:
            answered.wait(60)
            return commit(entries)

    monkeypatch.setattr(waiting, "_ledger", Slow())
    answer = running.post("/controller/decide", WRITE, "harness")
    answered.set()
    assert (answer["seq"], answer["verdict"]) == (None, "deny")
    monkeypatch.undo()
    again = running.post("/controller/decide", WRITE, "harness")
    (decided,) = running.log("&kind=decided")
    assert (again["seq"], again["duplicate"]) == (decided["seq"], True)
    running.event("s", kind="prompt")
    assert [entry["body"]["verdicts"] for entry in running.log("&kind=gap")] == [1]


def test_what_the_log_never_takes_fails_alone(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = running.daemon.log.commit

    class Choosy:
        def commit(self, entries: Any) -> Any:
            if any(entry.scope == "never" for entry in entries):
                raise LogRefused("never")
            return commit(entries)

    monkeypatch.setattr(running.daemon.control.writer, "_ledger", Choosy())
    events = [{"session_id": name, "tool": "Read"} for name in ("a", "never", "b", "a")]
    with held(running) as release:
        results = asyncio.run(statuses(running, events, release))
    assert results == [201, 500, 201, 201]
    monkeypatch.undo()
    # sent at the same time, so in any order
    assert sorted(entry["scope"] for entry in running.log("&kind=observed")) == ["a", "a", "b"]
    assert running.event("never", tool="Read")["seq"]
    assert running.get("/controller/verify")["ok"]


def test_a_large_request_that_is_cut_off_says_how_much_of_it_is_stored(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, commits = running.daemon.log.commit, 0

    class Twice:
        def commit(self, entries: Any) -> Any:
            nonlocal commits
            commits += 1
            if commits > 2:
                raise LogUnavailable("no more")
            return commit(entries)

    monkeypatch.setattr(running.daemon.control.writer, "_ledger", Twice())
    events = [{**SMALL, "event_id": str(number)} for number in range(250)]
    response = running.ask("POST", "/controller/events", events)
    assert (response.status_code, response.json()["stored"]) == (503, 200)
    monkeypatch.undo()
    results = running.post("/controller/events", events, "harness")["results"]
    assert [result["duplicate"] for result in results] == [True] * 200 + [False] * 50
    assert running.log("&kind=gap")[-1]["body"]["events"] == 50


def test_of_a_hook_with_many_calls_all_that_could_not_be_logged_are_counted(
    running: Running,
) -> None:
    filled(running)
    known = running.daemon.control.writer.lost
    calls = [
        {"tool_name": "Read", "tool_use_id": f"call-{n}", "tool_input": {}, "tool_response": ""}
        for n in range(250)
    ]
    batch = {"hook_event_name": "PostToolBatch", "session_id": "many", "tool_calls": calls}
    assert running.ask("POST", "/hooks/claude-code", batch).json() == {}
    assert running.daemon.control.writer.lost - known == 250


def test_a_conflict_that_arose_on_the_way_names_the_event_and_what_is_stored(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another request takes an event_id between two parts of a large one."""
    commit = running.daemon.log.commit
    control = running.daemon.control

    class Between:
        def commit(self, entries: Any) -> Any:
            if any(entry.body.get("event_id") == "0" for entry in entries):
                other = Arrival(event=Event(session_id="s", kind="turn", event_id="149"))
                control.writer.submit(lambda desk, at: receive(desk, other, at))
            return commit(entries)

    monkeypatch.setattr(control.writer, "_ledger", Between())
    events = [{**SMALL, "event_id": str(number)} for number in range(150)]
    response = running.ask("POST", "/controller/events", events)
    assert (response.status_code, response.json()["stored"]) == (409, 100)
    assert response.json()["detail"].startswith("Event 149, counted from 0")


async def statuses(
    running: Running, events: list[dict[str, Any]], release: Callable[[], None]
) -> list[int]:
    """How events are answered that reach the writer in one group."""
    headers = {"Authorization": f"Bearer {running.tokens['harness']}"}
    transport = httpx.ASGITransport(running.daemon.app, raise_app_exceptions=False)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=headers
    ) as client:
        sent = [
            asyncio.create_task(client.post("/controller/events", json=event)) for event in events
        ]
        while running.daemon.control.writer._queue.qsize() < len(events):
            await asyncio.sleep(0.001)
        release()
        return [(await answer).status_code for answer in sent]


def test_after_the_end_work_is_refused_and_not_left_waiting(tmp_path: Path) -> None:
    running = Running(tmp_path / "state")
    control: Control = running.daemon.control
    running.daemon.close()
    assert isinstance(control.writer.submit(lambda desk, at: None).result(), Unavailable)
    assert running.ask("POST", "/controller/events", READ).status_code == 503


def test_a_log_that_cannot_be_read_is_503_and_not_500(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.event("s", tool="Read")
    monkeypatch.setattr(running.daemon.reader, "_engine", gone(running))
    for path in ("/controller/log", "/controller/log/1", "/controller/checkpoint"):
        response = running.ask("GET", path)
        assert (response.status_code, response.json()["type"]) == (
            503,
            "/problems/log_unavailable",
        )
        assert str(running.folder) not in response.text


def gone(running: Running) -> Any:
    return reading_engine(running.folder / "gone.db")
