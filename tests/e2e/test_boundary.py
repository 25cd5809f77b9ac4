"""A test seen red is not made green unseen: a real daemon, a real repository, both ways in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.process import OPERATOR, Process, bearer, served

FAILED, PASSED = "1 failed in 0.01s", "1 passed in 0.01s"
TEST, NEW = "tests/test_a.py", "tests/test_new.py"


@dataclass
class Work:
    """An agent at work in a project, as its harness reports it."""

    daemon: Process
    project: Path
    hooks: bool
    told: list[dict[str, Any]] = field(default_factory=list)  # what was answered to ends of calls
    calls: int = 0

    def tests(self, result: str) -> None:
        """The agent ran the tests."""
        said = {"command": "pytest"}
        failed = result == "red"
        self.ends("Bash", said, FAILED if failed else PASSED, failed=failed)

    def writes(self, path: str, text: str) -> str:
        """The agent attempts to write a file, and does where nothing stands against it."""
        said = {"file_path": str(self.project / path), "content": text}
        verdict = self.asks("Write", said)
        if verdict == "none":
            self.script(path, text)
            self.ends("Write", said, "written")
        return verdict

    def script(self, path: str, text: str) -> None:
        """Something writes a file that nobody reports."""
        (self.project / path).parent.mkdir(exist_ok=True)
        (self.project / path).write_text(text)

    def asks(self, tool: str, arguments: dict[str, str]) -> str:
        """The verdict on an attempt."""
        self.calls += 1
        if self.hooks:
            said = self._hook("PreToolUse", tool, arguments).get("hookSpecificOutput", {})
            return str(said.get("permissionDecision", "none"))
        body = {"session_id": "s", "cwd": str(self.project), "tool": tool, "arguments": arguments}
        status, answer = self.daemon.ask("POST", "/controller/decide", body)
        assert status == 200
        return str(answer["verdict"])

    def ends(self, tool: str, said: dict[str, str], text: str, *, failed: bool = False) -> None:
        """A call ended."""
        if self.hooks and failed:
            error = {"error": f"Exit code 1\n{text}", "is_interrupt": False}
            self.told.append(self._hook("PostToolUseFailure", tool, said, **error))
        elif self.hooks:
            response = {"stdout": text, "stderr": "", "interrupted": False}
            self.told.append(self._hook("PostToolUse", tool, said, tool_response=response))
        else:
            body = {"session_id": "s", "cwd": str(self.project), "tool": tool, "arguments": said}
            outcome = {"outcome": "error" if failed else "ok", "result": text}
            status, answer = self.daemon.ask("POST", "/controller/events", {**body, **outcome})
            assert status == 201, answer
            self.told.append(answer)
        self.calls += 1

    def _hook(self, hook: str, tool: str, said: dict[str, str], **more: Any) -> dict[str, Any]:
        body = {
            "session_id": "s", "cwd": str(self.project), "hook_event_name": hook,
            "tool_name": tool, "tool_input": said, "tool_use_id": f"t{self.calls}", **more,
        }  # fmt: skip
        status, answer = self.daemon.ask("POST", "/hooks/claude-code", body)
        assert status == 200
        return dict(answer)

    def notices(self) -> list[dict[str, Any]]:
        """The notices about a green that does not count."""
        return [
            entry
            for entry in self.daemon.log("&kind=applied&action=notice")
            if entry["body"]["because"][0]["rule"] == "boundary"
        ]

    def takes_back(self, seq: int) -> None:
        """A person takes an entry back."""
        by = bearer(OPERATOR)
        _, held = self.daemon.ask("GET", "/controller/overrides?scope=s", headers=by)
        body = {"expected_state": held["state"]}
        status, answer = self.daemon.ask("POST", f"/controller/revert/{seq}", body, by)
        assert status == 200, answer


@pytest.fixture(params=["hooks", "own routes"])
def work(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Work]:
    """An agent in a fresh repository with one test, whose daemon has just started."""
    project = tmp_path / "project"
    (project / "tests").mkdir(parents=True)
    (project / TEST).write_text("def test_a():\n    assert False\n")
    plain = {name: held for name, held in os.environ.items() if not name.startswith("GIT_")}
    for said in ("init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm one"):
        subprocess.run(["git", *said.split()], cwd=project, env=plain, check=True)
    with served(tmp_path / "state") as daemon:
        yield Work(daemon, project, hooks=request.param == "hooks")


def test_a_red_test_that_a_script_changed_does_not_count_green(work: Work) -> None:
    work.tests("red")
    work.script(TEST, "def test_a():\n    assert True\n")
    work.tests("green")
    (notice,) = work.notices()
    assert notice["body"]["paths"] == [TEST]
    assert TEST in str(work.told[-1])
    assert f"floorboss revert {notice['seq']}" in str(work.told[-1])
    assert work.writes(TEST, "x") == "deny"
    assert work.writes(NEW, "x") == "deny"
    work.takes_back(notice["seq"])
    assert work.writes(NEW, "x") == "deny"  # red until a run says otherwise
    work.tests("green")
    assert work.writes(NEW, "x") == "none"
    assert work.notices() == [notice]


def test_a_red_test_that_the_source_made_green_counts(work: Work) -> None:
    work.tests("red")
    assert work.writes(TEST, "x") == "deny"
    assert work.writes("src/a.py", "a = 1\n") == "none"
    work.tests("green")
    assert work.writes(NEW, "x") == "none"
    assert work.notices() == []


def test_a_new_test_may_be_corrected_until_the_source_is_written(work: Work) -> None:
    assert work.writes(NEW, "assert 0\n") == "none"
    work.tests("red")
    assert work.writes(NEW, "assert 1\n") == "none"
    work.tests("red")
    assert work.writes(TEST, "x") == "deny"
    assert work.writes(NEW, "assert 2\n") == "none"
    work.tests("green")
    assert work.notices() == []
    work.tests("red")
    assert work.writes("src/a.py", "a = 1\n") == "none"
    assert work.writes(NEW, "assert 3\n") == "deny"
    work.tests("green")
    assert work.notices() == []


def test_what_was_red_before_a_restart_is_compared_after_it(tmp_path: Path, work: Work) -> None:
    work.tests("red")
    work.daemon.end()
    work.script(TEST, "def test_a():\n    assert True\n")
    work.script("tests/conftest.py", "\n")
    with served(tmp_path / "state") as daemon:
        again = Work(daemon, work.project, work.hooks, calls=work.calls)
        again.tests("green")
        (notice,) = again.notices()
        assert sorted(notice["body"]["paths"]) == ["tests/conftest.py", TEST]
        assert again.writes(NEW, "x") == "deny"
