"""The hooks that install writes, sent to a running daemon as Claude Code sends them."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import Daemon, run

CALL = {
    "session_id": "live",
    "transcript_path": "/nowhere.jsonl",
    "cwd": "/home/dev/project",
    "permission_mode": "bypassPermissions",
    "hook_event_name": "PreToolUse",
    "tool_name": "Write",
    "tool_use_id": "toolu_1",
}


@pytest.fixture
def hooks(daemon: Daemon, tmp_path: Path) -> dict[str, Any]:
    """The hook of each event, as install wrote it."""
    env = {**daemon.env, "HOME": str(tmp_path)}
    assert run("install", "claude-code", "--yes", env=env).returncode == 0
    settings = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    return {event: groups[0]["hooks"][0] for event, groups in settings["hooks"].items()}


def post(hook: Any, body: Any) -> Any:
    headers = {**hook["headers"], "Content-Type": "application/json"}
    request = urllib.request.Request(hook["url"], json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def told(daemon: Daemon, scope: str) -> list[str]:
    items = daemon.ask("GET", f"/controller/log?scope={scope}")["items"]
    return [item["summary"] for item in reversed(items)]


def test_a_call_that_is_forbidden_is_denied_and_another_is_not(
    daemon: Daemon, hooks: dict[str, Any]
) -> None:
    guarded = {"file_path": "/home/dev/project/.claude/settings.json", "content": "{}"}
    answer = post(hooks["PreToolUse"], {**CALL, "tool_input": guarded})
    said = answer["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"].startswith("[floorboss ")
    free = {"file_path": "/home/dev/project/a.py", "content": "a"}
    assert post(hooks["PreToolUse"], {**CALL, "tool_use_id": "2", "tool_input": free}) == {}
    assert told(daemon, "live") == ['"Write": deny by guarded', '"Write": none']


def test_the_start_of_a_session_is_told_by_the_command(
    daemon: Daemon, hooks: dict[str, Any]
) -> None:
    start = {**CALL, "session_id": "begins", "hook_event_name": "SessionStart"}
    start["source"] = "startup"
    done = subprocess.run(
        ["sh", "-c", hooks["SessionStart"]["command"]],
        input=json.dumps(start),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {}
    assert told(daemon, "begins") == ["session started"]
