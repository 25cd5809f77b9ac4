"""`floorboss doctor` against a running daemon and real settings files."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.processes import Daemon, run, served

CHECKS = ["tier", "disk", "sqlite", "daemon", "route", "token", "log", "claude", "hooks"]


@dataclass(frozen=True)
class Home:
    """A person's home folder, a daemon, and a `claude` on the path that tells its version."""

    folder: Path
    daemon: Daemon

    @property
    def settings(self) -> Path:
        return self.folder / ".claude" / "settings.json"

    def env(self, **more: str) -> dict[str, str]:
        path = f"{self.folder / 'bin'}:/usr/bin:/bin"
        return {**self.daemon.env, "HOME": str(self.folder), "PATH": path, **more}

    def claude(self, said: str) -> None:
        program = self.folder / "bin" / "claude"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho '{said}'\n")
        program.chmod(0o755)

    def install(self, *words: str) -> None:
        done = run("install", "claude-code", "--yes", *words, env=self.env())
        assert done.returncode == 0, done.stderr

    def doctor(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        done = run("doctor", *words, env=self.env(**more))
        assert done.stderr == ""
        return done


@pytest.fixture
def home(daemon: Daemon, tmp_path: Path) -> Home:
    made = Home(tmp_path, daemon)
    made.claude("2.1.332 (Claude Code)")
    return made


def found(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """The level of each check; of several findings of one check the last."""
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines() if line[0] != " "]
    return {check.rstrip(":"): level for level, check, _ in rows}


def failed(done: subprocess.CompletedProcess[str]) -> str:
    """What failed and what follows it, up to the next finding; nothing else may have failed."""
    assert done.returncode == 1
    blocks = re.split(r"\n(?=ok|warn|fail)", done.stdout)
    (block,) = [each for each in blocks if each.startswith("fail")]
    return block


def test_what_was_installed_is_well(home: Home) -> None:
    home.install()
    done = home.doctor()
    assert done.returncode == 0
    assert list(found(done)) == CHECKS
    assert {name for name, level in found(done).items() if level == "warn"} <= {"tier", "sqlite"}
    assert "0, advisory: the daemon runs as this user" in done.stdout
    assert f"16 of 16 in {home.settings}, as installed" in done.stdout


def test_every_finding_is_a_line_of_json_for_programs(home: Home) -> None:
    home.install()
    done = home.doctor("--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["check"] for row in rows] == CHECKS
    assert {row["level"] for row in rows} <= {"ok", "warn"}
    assert all(row["do"] for row in rows if row["level"] == "warn")


def test_the_checkpoint_is_the_one_of_the_daemon(home: Home) -> None:
    head = home.daemon.ask("GET", "/controller/checkpoint")
    assert f"checkpoint {head['seq']}:{head['hash']}" in home.doctor().stdout


def test_hooks_that_were_never_installed_are_missed(home: Home) -> None:
    assert "has none of floorboss\n      > Run `floorboss install" in failed(home.doctor())


def test_a_machine_without_claude_has_nothing_to_miss(home: Home) -> None:
    (home.folder / "bin" / "claude").unlink()
    done = home.doctor()
    assert done.returncode == 0
    assert "ok    claude: Claude Code is not here\n" in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"timeout": 3', '"timeout": 30', "PreToolUse: timeout changed"),
        ('"url": "http://', '"url": "https://', "PreToolUse: url changed"),
        ('"PostToolBatch"', '"Notification"', "PostToolBatch: missing"),
        ('"type": "http"', '"type": "http", "if": "Bash(x)"', "PreToolUse: if changed"),
        ('"hooks": [', '"matcher": "Bash", "hooks": [', "PreToolUse: matcher changed"),
    ],
    ids=["timeout", "url", "an event", "a condition", "a matcher"],
)
def test_a_hook_that_was_changed_is_named(home: Home, old: str, new: str, said: str) -> None:
    home.install()
    home.settings.write_text(home.settings.read_text().replace(old, new))
    block = failed(home.doctor())
    assert block.startswith("fail  hooks: not as installed")
    assert f"        {said}\n" in block


def test_own_settings_under_which_nothing_is_posted_fail_and_say_what_to_do(home: Home) -> None:
    home.settings.parent.mkdir()
    home.settings.write_text('{"allowedHttpHookUrls": ["https://x/*"]}')
    home.install()
    block = failed(home.doctor())
    assert f"{home.settings}: allowedHttpHookUrls leaves out {home.daemon.url}/hooks" in block
    assert "Claude Code posts nothing, so no call is reported or denied\n" in block
    assert f'> Add "{home.daemon.url}/*" to it, or take it out.' in block


def test_a_token_that_the_daemon_does_not_know_is_refused(home: Home) -> None:
    home.install()
    text = home.settings.read_text().replace(home.daemon.harness(), "another")
    home.settings.write_text(text)
    done = home.doctor()
    assert done.returncode == 1
    assert f"fail  token: the daemon refuses the one in the hooks of {home.settings}" in done.stdout
    assert found(done)["hooks"] == "fail"


def test_a_token_of_the_environment_must_stand_there(home: Home) -> None:
    home.install("--token-env")
    assert "$FLOORBOSS_TOKEN of this environment" in failed(home.doctor())
    assert home.doctor(FLOORBOSS_TOKEN=home.daemon.harness()).returncode == 0


@pytest.mark.parametrize("token", [{}, {"FLOORBOSS_TOKEN": "another"}], ids=["unset", "unknown"])
def test_a_token_of_the_environment_is_exported_and_never_installed(
    home: Home, token: dict[str, str]
) -> None:
    home.install("--token-env")
    done = home.doctor(**token)
    kept = home.daemon.folder / "harness.token"
    assert found(done)["token"] == "fail"
    assert f'export FLOORBOSS_TOKEN="$(cat {kept})"' in done.stdout
    assert "Run `floorboss install" not in done.stdout


def test_a_file_with_a_token_that_others_may_read_fails(home: Home) -> None:
    home.install()
    home.settings.chmod(0o644)
    assert f"> chmod 600 {home.settings}" in failed(home.doctor())


def test_a_version_that_ignores_what_was_asked_for_fails(home: Home) -> None:
    home.claude("2.1.197 (Claude Code)")
    home.install()
    assert home.doctor().returncode == 0
    home.install("--fail-closed")
    block = failed(home.doctor())
    assert "2.1.197" in block.splitlines()[0]
    assert "ignores onFailure: calls run" in block
    assert "no   calls are blocked while no daemon answers" in block


@pytest.mark.parametrize("said", ["2.0.1 (Claude Code)", "something else"])
def test_a_version_of_which_nothing_is_known_is_a_warning(home: Home, said: str) -> None:
    home.claude(said)
    home.install()
    done = home.doctor()
    assert (done.returncode, found(done)["claude"]) == (0, "warn")


def test_settings_that_are_no_json_fail(home: Home) -> None:
    home.settings.parent.mkdir()
    home.settings.write_text("{ // mine\n}")
    assert "it is not JSON" in failed(home.doctor())


def test_hooks_without_a_daemon_say_what_happens_to_calls(home: Home) -> None:
    home.install("--fail-closed")
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as closed:
        port = str(closed.server_address[1])
    env = home.env(FLOORBOSS_PORT=port)
    assert run("install", "claude-code", "--yes", "--fail-closed", env=env).returncode == 0
    block = failed(home.doctor(FLOORBOSS_PORT=port))
    assert block.startswith("fail  daemon: none answers at")
    assert "Claude Code blocks every tool call; `floorboss uninstall claude-code`" in block


@pytest.fixture
def stranger() -> Iterator[int]:
    """The port of a server that is not floorboss."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever).start()
        yield server.server_address[1]
        server.shutdown()


def test_another_program_on_the_port_is_told_apart(home: Home, stranger: int) -> None:
    done = home.doctor(FLOORBOSS_PORT=str(stranger))
    assert f"fail  daemon: what answers at http://127.0.0.1:{stranger} is not" in done.stdout
    assert "token" not in found(done)


def test_a_log_that_was_edited_fails(tmp_path: Path) -> None:
    with served(tmp_path / "state") as running:
        running.loop()
        with sqlite3.connect(tmp_path / "state" / "controls.db") as database:
            triggers = database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            for (name,) in triggers.fetchall():
                database.execute(f"DROP TRIGGER {name}")
            database.execute("UPDATE controls SET actor = 'harness:other' WHERE seq = 2")
        database.close()
        env = {**running.env, "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
        assert "log: the chain is broken at entry 2" in failed(run("doctor", env=env))


def test_nothing_is_logged_by_looking(home: Home) -> None:
    home.install()
    before = home.daemon.ask("GET", "/controller/checkpoint")
    home.doctor()
    assert home.daemon.ask("GET", "/controller/checkpoint") == before
    assert [each.name for each in home.settings.parent.iterdir()] == ["settings.json"]
