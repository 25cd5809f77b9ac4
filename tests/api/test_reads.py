"""What is in force: derived from the log alone, the same wherever and however often."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from app.domain.configuration import Configuration
from tests.api.running import FAILING, Running

SCOPES = ("*", "s", "s/helper", "t", "u")


def history(running: Running) -> None:
    """A log with every kind of change: by the machine, by people, taken back, refused."""
    _, proposed = running.tightened("s")
    state = {"expected_state": running.state("s")}
    running.post(f"/controller/approve/{proposed['seq']}", state)
    running.tightened("t")
    for _ in range(3):
        running.event("s", agent_id="helper", **FAILING)
    for scope, action, value in (
        ("s", "mode", {"mode": "review"}),
        ("s", "policy", {"posture": "ask"}),
        ("*", "policy", {"posture": "auto"}),
        ("s", "mode", {"mode": "debug"}),
    ):
        wish = {"scope": scope, "action": action, "value": value, "reason": "for the test"}
        running.post(
            "/controller/propose",
            {**wish, "decide": True, "expected_state": running.state(scope)},
        )
    waits = {"scope": "s", "action": "mode", "value": {"mode": "implementation"}, "reason": "go on"}
    running.post("/controller/propose", waits, "harness")
    applied = [e for e in running.log("&scope=s&kind=applied") if e["action"] == "policy"]
    running.post(f"/controller/revert/{applied[-1]['seq']}", {"expected_state": running.state("s")})
    for number in range(4):
        running.event("u", tool="Read", context_tokens=150_000 + number * 10_000)


def answers(running: Running) -> dict[str, bytes]:
    """Everything derived, as the bytes that a client gets."""
    scopes = [quote(scope, safe="") for scope in SCOPES]
    paths = [
        "/controller/sessions",
        *(f"/controller/overrides?scope={scope}" for scope in scopes),
        *(f"/controller/sessions/{scope}" for scope in ("s", "s/helper", "t", "u", "*")),
    ]
    return {path: running.ask("GET", path, role="operator").content for path in paths}


def test_the_log_folded_again_and_on_a_copy_gives_the_same_bytes(tmp_path: Path) -> None:
    first = Running(tmp_path / "one")
    history(first)
    kept = answers(first)
    first.daemon.close()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    for folder in ("one", "two"):
        again = Running(tmp_path / folder)
        assert answers(again) == kept
        again.daemon.close()


def test_a_session_that_was_forgotten_is_the_same_when_it_is_asked_for(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    history(running)
    kept = answers(running)
    desk = running.daemon.control._desk
    monkeypatch.setattr(desk, "_keep", 0)
    running.ask("GET", "/controller/overrides?scope=nobody")
    assert len(desk.book.sessions) == 0
    assert answers(running) == kept


def test_the_view_in_the_database_agrees_with_every_scope(running: Running) -> None:
    history(running)
    with closing(sqlite3.connect(running.folder / "controls.db")) as stranger:
        rows = stranger.execute("SELECT scope, action, seq, direction, actor FROM overrides")
        view = {(scope, action): rest for scope, action, *rest in rows}
    answered = {
        (scope, action): [entry["seq"], entry["direction"], entry["actor"]]
        for scope in SCOPES
        for action, entry in running.get(f"/controller/overrides?scope={quote(scope, safe='')}")[
            "overrides"
        ].items()
    }
    assert answered == view
    assert {action for _, action in view} >= {"mode", "policy", "compact"}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE controls SET body = '{}' WHERE seq = 1",
        "UPDATE controls SET seq = seq + 100",
        "DELETE FROM controls",
        "DELETE FROM controls WHERE seq = (SELECT max(seq) FROM controls)",
        "INSERT OR REPLACE INTO controls SELECT * FROM controls WHERE seq = 2",
        "REPLACE INTO controls SELECT * FROM controls WHERE seq = 2",
        "INSERT INTO controls SELECT -1, at, kind, scope, action, direction, ref, actor, NULL,"
        " body, hash FROM controls WHERE seq = 2",
        "INSERT INTO controls SELECT 0, at, kind, scope, action, direction, ref, actor, NULL,"
        " body, hash FROM controls WHERE seq = 2",
    ],
)
def test_the_database_itself_refuses_to_change_the_past(shared: Running, statement: str) -> None:
    before = shared.log()
    with closing(sqlite3.connect(shared.folder / "controls.db")) as stranger:
        with pytest.raises(sqlite3.IntegrityError, match=r"append-only|controls_"):
            stranger.execute(statement)
        stranger.rollback()
    assert shared.log() == before


def test_overrides_say_what_judges_a_call_and_which_entries_hold_it(running: Running) -> None:
    applied, _ = running.tightened("s")
    shown = running.get("/controller/overrides?scope=s")
    assert (shown["scope"], shown["mode"], shown["seqs"]) == ("s", "plan", [applied["seq"]])
    assert shown["overrides"] == {"mode": applied}
    elsewhere = running.get("/controller/overrides")
    assert (elsewhere["scope"], elsewhere["mode"], elsewhere["overrides"]) == (
        "*",
        "implementation",
        {},
    )
    assert shown["state"] != elsewhere["state"]


def test_an_agent_is_judged_under_its_session_as_well(running: Running) -> None:
    running.tightened("s")
    shown = running.get("/controller/overrides?scope=s/helper")
    assert (shown["mode"], shown["overrides"]) == ("plan", {})


def test_sessions_come_newest_first_in_pages(running: Running) -> None:
    for name in ("a", "b", "c", "a"):
        running.event(name, kind="prompt")
    pages, before = [], ""
    while True:
        page = running.get(f"/controller/sessions?limit=1{before}")
        pages += [row["scope"] for row in page["items"]]
        if page["next"] is None:
            break
        before = f"&before={page['next']}"
    assert pages == ["a", "c", "b"]


def test_a_session_shows_its_signals_its_proposals_and_its_handoff(running: Running) -> None:
    applied, proposed = running.tightened("s")
    shown = running.get("/controller/sessions/s")
    assert shown["mode"] == "plan"
    assert shown["signals"]["repeated"] == {"value": 3, "threshold": 3.0}
    assert [each["seq"] for each in shown["proposals"]] == [proposed["seq"]]
    assert shown["proposals"][0]["verb"] == "approve"
    assert shown["proposals"][0]["state"] == running.state("s")
    assert shown["handoff"] == applied["body"]["handoff"]
    outline = running.get("/controller/sessions/s", "outline")
    assert "handoff" not in outline
    assert {name: value for name, value in shown.items() if name in outline} == outline


def test_reading_writes_nothing(running: Running) -> None:
    running.tightened("s")
    before = running.log()
    answers(running)
    for path in ("/controller/verify", "/controller/modes", "/healthz", "/controller/log/1"):
        running.get(path)
    assert running.log() == before


def test_the_modes_are_those_of_the_configuration(shared: Running) -> None:
    configuration: Configuration = shared.daemon.control.configuration
    items = shared.get("/controller/modes", "outline")["items"]
    assert [item["mode"] for item in items] == sorted(configuration.modes)
    for item in items:
        assert shared.get(f"/controller/modes/{item['mode']}", "outline") == item


@pytest.mark.parametrize(
    ("reads", "without", "text"),
    [("open", 200, True), ("outline", 200, False), ("token", 401, False)],
)
def test_the_settings_say_what_a_read_without_a_token_shows(
    tmp_path: Path, reads: str, without: int, text: bool
) -> None:
    running = Running(tmp_path / "state", f'[auth]\nreads = "{reads}"\n')
    running.event("s", tool="Bash", arguments={"command": "text-9d41"})
    response = running.ask("GET", "/controller/log", role="outline")
    assert response.status_code == without
    assert ("text-9d41" in response.text) == text
    running.daemon.close()
