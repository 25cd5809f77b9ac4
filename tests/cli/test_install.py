"""`floorboss install | uninstall claude-code` as a person runs them, in a home of its own."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import Terminal, environment, run

ODD = (
    b'\xef\xbb\xbf{\r\n\t"zz" : 1e2,\r\n\t"hooks": {\r\n\t\t"Stop": [ ],\r\n\t\t"PreToolUse": [\r\n'
    b'\t\t\t{ "matcher": "Bash", "hooks": [ { "command": "true", "type": "command" } ] }\r\n'
    b'\t\t]\r\n\t},\r\n\t"model": "opus", "unknown": {"b": [], "a": null}\r\n}'
)
TOKEN = "a-token-of-the-harness-0123456789"


@dataclass(frozen=True)
class Home:
    """A person's home folder, with a state folder in which floorboss ran once."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / ".claude" / "settings.json"

    @property
    def backup(self) -> Path:
        return self.settings.with_name("settings.floorboss-backup.json")

    @property
    def env(self) -> dict[str, str]:
        return environment(self.folder / "state", HOME=str(self.folder), FLOORBOSS_PORT="8737")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return run(*words, env=self.env)

    def install(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = self.run("install", "claude-code", "--yes", *words)
        assert (done.returncode, done.stderr) == (0, "")
        return done

    def uninstall(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = self.run("uninstall", "claude-code", "--yes", *words)
        assert (done.returncode, done.stderr) == (0, "")
        return done

    def hooks(self) -> dict[str, Any]:
        """The last hook of each event."""
        settings = json.loads(self.settings.read_text("utf-8-sig"))
        return {event: groups[-1]["hooks"][-1] for event, groups in settings["hooks"].items()}

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Everything in Claude's folder: content and mode."""
        return {
            each.name: (each.read_bytes(), stat.S_IMODE(each.lstat().st_mode))
            for each in (self.folder / ".claude").iterdir()
        }


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / ".claude").mkdir()
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "harness.token").touch(0o600)
    (state / "harness.token").write_text(TOKEN + "\n")
    return Home(tmp_path)


def written(home: Home, content: bytes = ODD, mode: int = 0o644) -> None:
    home.settings.write_bytes(content)
    home.settings.chmod(mode)


def test_the_file_is_as_before_byte_for_byte_after_uninstall(home: Home) -> None:
    written(home)
    before = home.files()
    home.install()
    assert home.files() != before
    assert home.uninstall().stdout.endswith("is as it was before floorboss, byte for byte.\n")
    assert home.files() == before


def test_a_file_that_install_made_is_gone_after_uninstall(home: Home) -> None:
    home.install()
    assert home.hooks()["PreToolUse"]["headers"]["Authorization"] == f"Bearer {TOKEN}"
    home.uninstall()
    assert home.files() == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"disableAllHooks": true}', "disableAllHooks is true: Claude Code posts nothing, so"),
        (b'{"allowedHttpHookUrls": []}', "allowedHttpHookUrls leaves out http://127.0.0.1:8737/"),
        (b'{"httpHookAllowedEnvVars": []}', "httpHookAllowedEnvVars leaves out FLOORBOSS_TOKEN"),
    ],
)
def test_settings_under_which_no_hook_reports_are_warned_of_each_time(
    home: Home, content: bytes, said: str
) -> None:
    written(home, content)
    for _ in range(2):
        assert f"Warning: {home.settings}: {said}" in home.install("--token-env").stdout


def test_nothing_is_warned_of_where_nothing_is_in_the_way(home: Home) -> None:
    written(home)
    assert "Warning" not in home.install("--token-env").stdout


def test_a_folder_that_is_missing_is_made(home: Home) -> None:
    (home.folder / ".claude").rmdir()
    home.install()
    assert stat.S_IMODE((home.folder / ".claude").stat().st_mode) == 0o700


def test_an_empty_file_is_empty_again(home: Home) -> None:
    written(home, b"")
    home.install()
    assert home.hooks()
    home.uninstall()
    assert home.files() == {"settings.json": (b"", 0o644)}


def test_twice_changes_nothing_the_second_time(home: Home) -> None:
    written(home)
    home.install()
    once = home.files()
    assert "Nothing to do" in home.install().stdout
    assert home.files() == once
    home.uninstall()
    assert "Nothing to do" in home.uninstall().stdout


def test_other_options_replace_the_hooks_and_keep_what_was_before(home: Home) -> None:
    written(home)
    home.install("--token-env")
    home.install("--fail-closed")
    assert home.hooks()["PreToolUse"]["onFailure"] == "block"
    assert home.backup.read_bytes() == ODD
    home.uninstall()
    assert home.files() == {"settings.json": (ODD, 0o644)}


def test_what_was_changed_elsewhere_meanwhile_stays(home: Home) -> None:
    written(home)
    home.install()
    home.settings.write_bytes(home.settings.read_bytes().replace(b'"opus"', b'"haiku"'))
    done = home.uninstall()
    assert home.settings.read_bytes() == ODD.replace(b'"opus"', b'"haiku"')
    assert home.backup.read_bytes() == ODD
    assert str(home.backup) in done.stdout


def test_the_token_is_for_its_owner_only_and_never_shown(home: Home) -> None:
    written(home)
    done = home.install()
    assert "Its mode becomes 0600 (it was 0644)" in done.stdout
    assert home.files()["settings.json"][1] == 0o600
    assert TOKEN not in done.stdout + home.uninstall().stdout


def test_a_mode_that_was_opened_again_is_closed(home: Home) -> None:
    home.install()
    home.settings.chmod(0o644)
    home.install()
    assert home.files()["settings.json"][1] == 0o600


def test_with_the_token_in_the_environment_none_is_written_and_the_mode_stays(home: Home) -> None:
    written(home, mode=0o640)
    home.install("--token-env")
    assert TOKEN not in home.settings.read_text("utf-8-sig")
    assert home.hooks()["PostToolUse"]["allowedEnvVars"] == ["FLOORBOSS_TOKEN"]
    assert home.files()["settings.json"][1] == 0o640


def test_a_link_stays_one_and_the_real_file_is_changed_in_its_place(home: Home) -> None:
    real = home.folder / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(ODD)
    home.settings.symlink_to(real)
    home.install()
    assert home.settings.is_symlink()
    assert home.hooks()["Stop"]
    assert {each.name for each in real.parent.iterdir()} == {
        "claude.json",
        "claude.floorboss-backup.json",
    }
    home.uninstall()
    assert real.read_bytes() == ODD


def test_another_file_can_be_named(home: Home) -> None:
    other = home.folder / "project" / ".claude" / "settings.local.json"
    home.install("--settings", str(other))
    assert not home.settings.exists()
    assert json.loads(other.read_text())["hooks"]


def test_the_folder_that_claude_was_given_is_the_one(home: Home) -> None:
    moved = home.folder / "moved"
    env = {**home.env, "CLAUDE_CONFIG_DIR": str(moved)}
    assert run("install", "claude-code", "--yes", env=env).returncode == 0
    assert (moved / "settings.json").exists()
    assert home.files() == {}


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_dry_run_shows_the_difference_and_changes_nothing(home: Home, command: str) -> None:
    written(home)
    if command == "uninstall":
        home.install()
    before = home.files()
    done = home.run(command, "claude-code", "--dry-run")
    sign = {"install": "+", "uninstall": "-"}[command]
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "Nothing was changed."
    assert any(
        line.startswith(sign) and '"url": "http://127.0.0.1:8737/hooks/claude-code"' in line
        for line in done.stdout.splitlines()
    )
    assert home.files() == before


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{\n  // mine\n  "a": 1\n}', "it is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b'{"a": "\xff"}', "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_kept_whole_is_left_alone(
    home: Home, command: str, content: bytes, why: str
) -> None:
    written(home, content)
    done = home.run(command, "claude-code", "--yes")
    assert (done.returncode, done.stdout) == (4, "")
    assert why in done.stderr
    assert done.stderr.endswith("Nothing was changed.\n")
    assert home.files() == {"settings.json": (content, 0o644)}


def test_a_folder_in_its_place_is_left_alone(home: Home) -> None:
    home.settings.mkdir()
    done = home.run("install", "claude-code", "--yes")
    assert done.returncode == 4
    assert "Nothing was changed." in done.stderr


def test_without_a_token_nothing_is_written(home: Home) -> None:
    (home.folder / "state" / "harness.token").unlink()
    done = home.run("install", "claude-code", "--yes")
    assert done.returncode == 4
    assert "there is no harness's token" in done.stderr
    assert home.files() == {}


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_without_a_terminal_yes_must_be_said(home: Home, command: str) -> None:
    if command == "uninstall":
        home.install()
    before = home.files()
    done = home.run(command, "claude-code")
    assert done.returncode == 2
    assert "say --yes. Nothing was changed." in done.stderr
    assert home.files() == before


def test_an_agent_can_install_the_hooks_and_not_take_them_out(home: Home) -> None:
    env = {**home.env, "CLAUDECODE": "1"}
    assert run("install", "claude-code", "--yes", "--fail-closed", env=env).returncode == 0
    before = home.files()
    for words in (["uninstall", "claude-code"], ["install", "claude-code"]):
        done = run(*words, "--yes", env=env)
        assert done.returncode == 1
        assert "an agent's environment was recognised (CLAUDECODE)" in done.stderr
        assert home.files() == before


def test_a_build_server_may_do_both(home: Home) -> None:
    for command in ("install", "uninstall"):
        done = run(command, "claude-code", "--yes", env={**home.env, "CI": "true"})
        assert done.returncode == 0
    assert home.files() == {}


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("", 1), ("n", 1)])
def test_a_person_is_shown_the_change_and_asked(
    home: Home, terminal: Callable[..., Terminal], answer: str, status: int
) -> None:
    screen = terminal("install", "claude-code", env=home.env)
    screen.wait_for(r"\+ +\"url\": \"http://127.0.0.1:8737/hooks/claude-code\"")
    screen.wait_for(r"Write .*settings.json\? \[y/N\]")
    screen.type(answer)
    screen.end()
    assert screen.process.returncode == status
    assert home.settings.exists() == (status == 0)


def test_a_file_that_changes_while_it_is_shown_is_not_written(
    home: Home, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal("install", "claude-code", env=home.env)
    screen.wait_for(r"\[y/N\]")
    written(home, b'{"model": "opus"}')
    screen.type("y")
    assert "has changed meanwhile. Nothing was changed" in screen.end()
    assert home.files() == {"settings.json": (b'{"model": "opus"}', 0o644)}


def test_the_start_of_a_session_passes_when_no_daemon_runs(home: Home) -> None:
    home.install()
    command = home.hooks()["SessionStart"]["command"]
    done = subprocess.run(
        ["sh", "-c", command],
        input=b"{}",
        capture_output=True,
        env={"PATH": os.environ["PATH"]},
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")
