"""Narrowing and counters, by the numbers of docs/cases.md: at the daemon, as a harness reports.

Where docs/cases.md says "here" a case expects another value than usual, and why:

01  Claude Code tells of an invalid call in its batch and nowhere else, so the batch counts. An
    attempt whose end nobody told is `unknown` and counts nowhere: it may have been interrupted.
05  What cannot be read is answered 422 and stores nothing, as everything on the own routes; a
    `refused` entry is for what was understood and not allowed.
09  No counter of unpaired calls: the streak itself stays at 0. A harness that never asks for
    verdicts has no pairs, so there the calls alone count.
12  What is negative is refused, and a window of 0 tokens is no window. Unknown is shown as null.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.recordings import ROUTE, Payload
from tests.api.running import Running

READS = {"tool": "Read", "outcome": "ok"}


def hook(running: Running, name: str, **fields: object) -> dict[str, Any]:
    body = {"session_id": "s", "cwd": "/p", "hook_event_name": name, **fields}
    response = running.ask("POST", ROUTE, body)
    assert response.status_code == 200
    said = response.json()
    assert isinstance(said, dict)
    return said


def edit(at: int) -> Payload:
    given = {"file_path": "/p/a.py", "old_string": f"old {at}", "new_string": "new"}
    return {"tool_name": "Edit", "tool_use_id": f"t{at}", "tool_input": given}


def read(at: int) -> Payload:
    given = {"file_path": f"/p/{at}.py"}
    return {"tool_name": "Read", "tool_use_id": f"r{at}", "tool_input": given}


def shown(running: Running, scope: str = "s") -> dict[str, Any]:
    view = running.get(f"/controller/sessions/{scope}")
    assert isinstance(view, dict)
    return view


def value(running: Running, signal: str) -> Any:
    return shown(running)["signals"][signal]["value"]


def asking(running: Running) -> None:
    """A person holds the session at `ask`, so that a streak has something to loosen."""
    wish = {"scope": "s", "action": "policy", "value": {"posture": "ask"}, "reason": "a test"}
    running.post("/controller/propose", {**wish, "decide": True})


def loosening(running: Running) -> list[str]:
    waiting = [e for e in running.log("&kind=proposed") if e["direction"] == "loosen"]
    return [entry["body"]["because"][0]["rule"] for entry in waiting]


def test_nar_01_four_failed_calls_that_only_their_batches_tell_of_are_four(
    running: Running,
) -> None:
    fault = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    for at in range(3):
        hook(running, "PostToolBatch", tool_calls=[{**edit(at), "tool_response": fault}])
    assert (value(running, "edit_failures"), shown(running)["mode"]) == (3, "implementation")
    told = hook(running, "PostToolBatch", tool_calls=[{**edit(3), "tool_response": fault}])
    assert (value(running, "edit_failures"), shown(running)["mode"]) == (4, "debug")
    assert "implementation -> debug: 4 failed edits of one file" in told["systemMessage"]
    (change,) = running.log("&kind=applied")
    assert (change["action"], change["direction"], change["actor"]) == (
        "mode",
        "tighten",
        "machine",
    )


def test_nar_01_four_attempts_whose_end_nobody_told_are_none(running: Running) -> None:
    for at in range(4):
        hook(running, "PreToolUse", **edit(at))
    hook(running, "PreToolUse", **read(9))
    hook(running, "PostToolUse", **read(9), tool_response="text")
    hook(running, "Stop")
    assert (value(running, "edit_failures"), shown(running)["mode"]) == (0, "implementation")
    assert running.log("&kind=applied") == []
    ends = [e["body"]["outcome"] for e in running.log("&kind=observed") if e["action"] == "tool"]
    assert sorted(ends) == ["ok", *["unknown"] * 4]


@pytest.mark.parametrize(("outcome", "expected"), [({}, []), ({"outcome": "ok"}, ["streak"])])
def test_nar_02_what_nobody_calls_a_success_earns_nothing(
    running: Running, outcome: dict[str, str], expected: list[str]
) -> None:
    asking(running)
    for at in range(30):
        command = {"command": f"cat {at}"}
        running.event("s", harness="codex", tool="shell", arguments=command, result="?", **outcome)
    assert loosening(running) == expected
    assert value(running, "streak") == (30 if expected else 0)


CONTENT: list[Any] = [
    {"verdicts": {"Bash": "allow"}},
    {"verdicts": ["Bash"]},
    {"verdicts": {"Bash": None}},
    {"posture": "loose"},
    {"posture": ["ask"]},
    {"shell_denials": "git push"},
    {"shell_denials": [["git"]]},
    {"write_paths": "/src/"},
    {"write_paths": ["!/src/"]},
    {"write_paths": [""]},
    {"shell": "ask"},
    {"policy": {"posture": "ask"}},
    {},
    [],
    "read-only",
    None,
]
MODES: list[Any] = [{"mode": "god"}, {"mode": ["plan"]}, {"mode": None}, {"name": "plan"}, {}, []]


@pytest.mark.parametrize("role", ["harness", "operator"])
@pytest.mark.parametrize(
    ("action", "content"), [*(("policy", c) for c in CONTENT), *(("mode", c) for c in MODES)]
)
def test_nar_05_a_proposal_that_means_nothing_changes_nothing(
    shared: Running, role: Any, action: str, content: Any
) -> None:
    before, state = shared.log(), shared.state("nar-05")
    wish = {"scope": "nar-05", "action": action, "value": content, "reason": "a test"}
    response = shared.ask("POST", "/controller/propose", wish, role=role)
    assert response.status_code == 422
    assert (shared.log(), shared.state("nar-05")) == (before, state)


@pytest.mark.parametrize("extra", [{"allow": True}, {"action": "shell"}, {"value": 1}])
def test_nar_05_a_proposal_with_a_field_nobody_knows_changes_nothing(
    shared: Running, extra: dict[str, Any]
) -> None:
    before = shared.log()
    wish = {"scope": "nar-05", "action": "mode", "value": {"mode": "plan"}, "reason": "a test"}
    response = shared.ask("POST", "/controller/propose", {**wish, **extra})
    assert (response.status_code, shared.log()) == (422, before)


def test_nar_09_successes_that_no_verdict_came_before_earn_nothing(running: Running) -> None:
    asking(running)
    hook(running, "PreToolUse", **read(99))
    hook(running, "PostToolUse", **read(99), tool_response="text")
    for at in range(30):
        hook(running, "PostToolUse", **read(at), tool_response=f"text {at}")
    assert (loosening(running), value(running, "streak")) == ([], 1)
    for at in range(100, 129):
        hook(running, "PreToolUse", **read(at))
        hook(running, "PostToolUse", **read(at), tool_response=f"text {at}")
    assert (loosening(running), value(running, "streak")) == (["streak"], 30)


def test_nar_09_where_nobody_ever_asks_the_calls_alone_count(running: Running) -> None:
    asking(running)
    for at in range(30):
        running.event("s", **READS, arguments={"file_path": f"/p/{at}"}, result=f"text {at}")
    assert loosening(running) == ["streak"]


@pytest.mark.parametrize("field", ["cumulative_tokens", "context_tokens"])
@pytest.mark.parametrize("number", [-1, 1.5, "9", True, 2**53])
def test_nar_12_a_number_of_tokens_that_cannot_be_is_refused(
    shared: Running, field: str, number: Any
) -> None:
    before = shared.log()
    event = {"session_id": "nar-12", "tool": "Read", field: number}
    response = shared.ask("POST", "/controller/events", event)
    assert (response.status_code, shared.log()) == (422, before)


def fills(running: Running, tokens: int | None, limit: int | None = 1000) -> list[str]:
    """One more call, and what it led to."""
    said = {"cumulative_tokens": tokens, "context_limit": limit}
    given = {key: number for key, number in said.items() if number is not None}
    at = len(running.log())
    fired = running.event("s", **READS, arguments={"n": at}, result=str(at), **given)["fired"]
    return [entry["action"] for entry in fired]


def test_nar_12_what_nobody_told_is_shown_as_unknown_and_not_as_empty(running: Running) -> None:
    for _ in range(50):
        assert fills(running, None) == []
    assert value(running, "context") is None
    assert fills(running, 0) == []
    assert value(running, "context") == 0


def test_nar_12_silence_keeps_the_reading_and_what_fired(running: Running) -> None:
    assert fills(running, 900) == ["compact"]
    for _ in range(50):
        assert fills(running, None) == []
    assert value(running, "context") == 0.9
    assert fills(running, 910) == []  # the same excursion
    assert "compact" in running.get("/controller/overrides?scope=s")["overrides"]


def test_nar_12_a_number_that_falls_ends_the_excursion_only_well_below(running: Running) -> None:
    assert fills(running, 900) == ["compact"]
    assert fills(running, 750) == []
    assert fills(running, 900) == []
    assert fills(running, 600) == []
    assert fills(running, 900) == ["compact"]


def test_nar_12_a_window_of_nothing_is_no_window(running: Running) -> None:
    assert fills(running, 1000, 0) == []
    assert value(running, "context") == 0.005  # of the window that is usual
    assert fills(running, 190_000, 0) == ["compact"]
