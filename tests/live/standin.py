"""A recorded session once more, without its client: the hooks are posted, the calls carried out.

A call is carried out where its PreToolUse is not answered with a deny or an ask, right after the
answer, as the client did. So the files that the daemon looks at are those it would find.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.api.running import Running
from tests.live.cases import Case
from tests.live.judging import Run
from tests.live.project import Files, files_of, make, surroundings
from tests.live.recording import payloads

Payload = Mapping[str, Any]


def again(case: Case, file: Path, folder: Path, project: Path) -> Run:
    """Send what was recorded to a daemon of its own; what came of it."""
    (folder / "home").mkdir(parents=True)
    make(project, case.files)
    running = Running(folder / "state", case.toml)
    told: list[str] = []
    before, at = files_of(project), dict[str, Files]()
    for payload in payloads(file, {"project": project, "home": folder / "home"}):
        answer = running.post("/hooks/claude-code", payload, "harness")
        told += _told(answer)
        if payload["hook_event_name"] == "PreToolUse" and "permissionDecision" not in _said(answer):
            _carry_out(payload, folder / "home")
        for ended in payload.get("tool_calls", ()):
            at.setdefault(ended["tool_use_id"], files_of(project))
    log = running.log()
    running.daemon.close()
    return Run(log=log, told=told, before=before, after=files_of(project), at=at)


def _said(answer: Payload) -> Payload:
    said: Payload = answer.get("hookSpecificOutput", {})
    return said


def _told(answer: Payload) -> Iterator[str]:
    """What of an answer reaches the agent."""
    said = _said(answer)
    for key in ("permissionDecisionReason", "additionalContext"):
        if key in said:
            yield said[key]


def _carry_out(payload: Payload, home: Path) -> None:
    given = payload["tool_input"]
    match payload["tool_name"]:
        case "Bash":
            words = ("bash", "-c", given["command"])
            subprocess.run(
                words,
                cwd=payload["cwd"],
                env=surroundings(home),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        case "Write":
            path = Path(given["file_path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(given["content"])
        case "Edit":
            path = Path(given["file_path"])
            path.write_text(path.read_text().replace(given["old_string"], given["new_string"], 1))
        case _:
            pass
