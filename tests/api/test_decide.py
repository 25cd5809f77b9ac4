"""Verdicts before a call: what they say, what they write, and when they are repeats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.api.running import Running

WRITE = {"session_id": "s", "tool": "Write", "arguments": {"file_path": "a.py"}, "call_id": "w"}
READ = {"session_id": "s", "tool": "Read", "arguments": {"file_path": "a.py"}, "call_id": "r"}


def decide(running: Running, body: dict[str, Any]) -> dict[str, Any]:
    verdict: dict[str, Any] = running.post("/controller/decide", body, "harness")
    return verdict


def test_a_call_that_nothing_restricts_gets_no_verdict_and_one_entry(running: Running) -> None:
    verdict = decide(running, READ)
    (entry,) = running.log("&kind=decided")
    assert verdict == {
        "seq": entry["seq"],
        "verdict": "none",
        "rule": None,
        "reason": None,
        "mode": "implementation",
        "posture": "yolo",
        "also": [],
        "duplicate": False,
    }
    assert (entry["actor"], entry["body"]["verdict"]) == ("machine", "none")


def test_a_restricted_session_hears_deny_for_writes_and_nothing_for_reads(
    running: Running,
) -> None:
    running.tightened()
    denied, read = decide(running, WRITE), decide(running, READ)
    assert (denied["verdict"], denied["rule"], denied["mode"]) == ("deny", "mode_tool", "plan")
    assert denied["reason"].startswith(f"[floorboss {denied['seq']}]")
    assert (read["verdict"], read["rule"], read["reason"]) == ("none", None, None)


def test_the_same_attempt_is_answered_with_the_first_entry(running: Running) -> None:
    first, again = decide(running, READ), decide(running, READ)
    assert again == {**first, "duplicate": True}
    assert len(running.log("&kind=decided")) == 1


def test_an_attempt_that_is_judged_otherwise_later_refers_to_the_first(running: Running) -> None:
    first = decide(running, WRITE)
    running.tightened()
    later = decide(running, WRITE)
    assert (first["verdict"], later["verdict"], later["duplicate"]) == ("none", "deny", False)
    assert [entry["ref"] for entry in running.log("&kind=decided")] == [None, first["seq"]]


def test_the_finished_call_refers_to_its_verdict(running: Running) -> None:
    verdict = decide(running, READ)
    running.post("/controller/events", {**READ, "outcome": "ok"})
    (entry,) = running.log("&kind=observed")
    assert entry["ref"] == verdict["seq"]


def test_an_attempt_without_ids_is_judged_each_time(running: Running) -> None:
    attempt = {"session_id": "s", "tool": "Read"}
    assert decide(running, attempt)["seq"] != decide(running, attempt)["seq"]


def test_an_event_id_stands_for_one_attempt_only(running: Running) -> None:
    decide(running, {**READ, "event_id": "e"})
    response = running.ask("POST", "/controller/decide", {**WRITE, "event_id": "e"})
    assert response.status_code == 409
    assert len(running.log("&kind=decided")) == 1


def test_an_attempt_has_no_outcome_yet_whatever_the_body_says(running: Running) -> None:
    decide(running, {**READ, "kind": "tool", "outcome": "ok"})
    (entry,) = running.log("&kind=decided")
    assert entry["body"].get("outcome", "unknown") == "unknown"


def test_observing_says_what_would_be_denied_and_denies_nothing(tmp_path: Path) -> None:
    running = Running(tmp_path / "state", 'enforcement = "observe"\n')
    running.tightened()
    verdict = decide(running, WRITE)
    assert (verdict["verdict"], verdict["would"], verdict["mode"]) == ("none", "deny", "plan")
    (entry,) = running.log("&kind=decided")
    assert entry["body"]["would"] == "deny"
    running.daemon.close()


@pytest.mark.parametrize("body", [[READ], "Read", 5, None, []])
def test_only_one_object_is_one_attempt(running: Running, body: object) -> None:
    content = b"null" if body is None else body
    response = running.ask("POST", "/controller/decide", content)
    assert response.status_code == 422
    assert running.log("&kind=decided") == []
