"""`floorboss replay` as it is typed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.cli.exits import MISUSED, REFUSED, UNREACHABLE
from app.cli.main import group
from tests.replay.daemons import serving
from tests.replay.runs import calls, neutral_file
from tests.replay.test_post import bound


@dataclass(frozen=True)
class Ended:
    """A command's status and what it printed."""

    status: object
    stdout: str
    stderr: str


Typed = Callable[..., Ended]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """The command line with these words behind `floorboss replay`."""

    def run(*words: object) -> Ended:
        with pytest.raises(SystemExit) as ended:
            group()(args=["replay", *map(str, words)], prog_name="floorboss")
        return Ended(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    return neutral_file(tmp_path / "looping.jsonl", calls("s", 3))


def test_a_loop_is_told(typed: Typed, looping: Path) -> None:
    result = typed(looping)
    assert result.status == 0
    assert "turn 3  implementation -> plan  automatic  repeated" in result.stdout
    assert "1 firing (33.33 per 100 calls)" in result.stdout


def test_verdicts_are_told_where_they_are_asked_for(typed: Typed, tmp_path: Path) -> None:
    outside = calls("s", 1, tool="Write", arguments={"file_path": "/etc/motd"}, outcome="ok")
    file = neutral_file(tmp_path / "outside.jsonl", outside)
    assert "mode_write" not in typed(file).stdout
    result = typed("--verdicts", file)
    assert result.status == 0
    assert "turn 1, line 1, ended ok  deny  mode_write: Write" in result.stdout
    assert "1 call would be denied or asked about (100 per 100 calls)" in result.stdout


def test_verdicts_are_not_asked_of_a_daemon(typed: Typed, looping: Path) -> None:
    result = typed("--verdicts", "--post", "http://127.0.0.1:1", looping)
    assert (result.status, result.stdout) == (MISUSED, "")
    assert "--verdicts" in result.stderr


def test_a_profile_and_thresholds_can_be_chosen(typed: Typed, looping: Path) -> None:
    chosen = typed("--profile", "strict", "--set", "repeated.failed=0", "--json", looping)
    assert json.loads(chosen.stdout)["transitions"] == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no files"),
        (["nowhere.jsonl"], "no such file: nowhere.jsonl"),
        (["{folder}"], "no session file"),
        (["{file}", "--set", "repeted.failed=1"], 'the nearest is "repeated.failed"'),
        (["{file}", "--profile", "stirct"], 'the nearest is "strict"'),
        (["{file}", "--post", "http://example.org"], "https only"),
        (["{file}", "--post", "http://localhost:1"], "no token"),
        (["{file}", "--post", "http://localhost:1", "--profile", "strict"], "its own settings"),
        (["{file}", "--token-fd", "0"], "goes with --post"),
        (["{file}", "--diff"], "--diff compares with --set"),
        (["{file}", "--diff", "--post", "http://localhost:1"], "without a daemon"),
        (["{file}", "--profile", "strict", "--profile", "default"], "compared with --diff"),
        (["{file}", "--diff", *["--profile=strict"] * 3], "two profiles at the most"),
        (["{file}", "--config", "nowhere.toml"], "the settings are wrong"),
        (["{file}", "--mode", "plan"], "No such option"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    typed: Typed, words: list[str], why: str, looping: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    result = typed(*(w.format(file=looping, folder=tmp_path / "empty") for w in words))
    assert result.status == MISUSED
    assert why in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("words", [[], ["--json"]], ids=["lines", "json"])
def test_files_without_one_readable_line_are_told_and_no_success(
    typed: Typed, words: list[str], looping: Path, tmp_path: Path
) -> None:
    text = tmp_path / "README.md"
    text.write_text("# A title\n\nand a paragraph\n")
    alone, beside = typed(*words, text), typed(*words, text, looping)
    assert alone.status == MISUSED
    assert "lines can be read: no file named holds a session" in alone.stderr
    assert "unreadable" in alone.stdout
    assert (beside.status, beside.stderr) == (0, "")


def test_a_file_without_a_line_is_an_empty_session(typed: Typed, tmp_path: Path) -> None:
    assert typed(neutral_file(tmp_path / "empty.jsonl", [])).status == 0


def test_it_is_posted_with_the_token_of_the_state_folder_or_of_a_descriptor(
    typed: Typed, looping: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    with serving(folder) as url:
        first = typed("--json", "--post", url, "--state-dir", folder, looping)
        token = os.open(folder / "harness.token", os.O_RDONLY)
        second = typed("--json", "--post", url, "--token-fd", token, looping)
    assert [result.status for result in (first, second)] == [0, 0]
    assert json.loads(first.stdout)["final_mode"] == "plan"
    assert len(json.loads(first.stdout)["transitions"]) == 1
    assert json.loads(second.stdout)["totals"]["duplicates"] == 3


def test_a_post_ends_with_what_waits_and_how_to_say_yes(
    typed: Typed, looping: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    with serving(folder) as url:
        words = ("--post", url, "--state-dir", folder, looping)
        said, again, program = typed(*words), typed(*words), typed("--json", *words)
    assert "1 proposal: return 1\n" in said.stdout
    assert said.stdout.splitlines()[-1] == "1 waits: approve 6"
    assert again.stdout.splitlines()[-1] == "1 waits: approve 6"
    waits = [{"seq": 6, "verb": "approve", "scope": "s"}]
    assert json.loads(program.stdout)["waits"] == waits


def test_without_a_daemon_ways_back_count_and_nothing_waits(typed: Typed, looping: Path) -> None:
    found = json.loads(typed("--json", looping).stdout)
    assert found["proposals"] == {"return": 1}
    assert "waits" not in found


def test_a_session_bound_to_hooks_is_named_and_the_end_is_one(
    typed: Typed, looping: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    bound(folder, "s")
    other = neutral_file(tmp_path / "other.jsonl", calls("free", 3))
    with serving(folder) as url:
        result = typed("--post", url, "--state-dir", folder, looping, other)
    assert result.status == REFUSED
    assert "left out: session s: the session is reported by the hooks of claude_code" in (
        result.stdout
    )
    assert f"{other} (neutral): 3 calls; ends in plan" in result.stdout
    assert "3 events left out: session_bound 3" in result.stdout


def test_a_daemon_that_refuses_is_told_from_one_that_is_not_there(
    typed: Typed, looping: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    other = tmp_path / "token"
    other.write_text("floorboss_h_unknown\n")
    with serving(folder) as url:
        words = ("--state-dir", folder, looping)
        unknown = typed("--post", url, "--token-fd", os.open(other, os.O_RDONLY), *words)
        elsewhere = typed("--post", f"{url}/nowhere", *words)
    assert (unknown.status, elsewhere.status) == (REFUSED, REFUSED)
    assert "the daemon answered 401: " in unknown.stderr
    assert "the daemon answered 404: " in elsewhere.stderr


def test_a_daemon_that_is_not_there_is_named(typed: Typed, looping: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with serving(folder) as url:
        pass
    result = typed("--post", url, "--state-dir", folder, looping)
    assert result.status == UNREACHABLE
    assert url in result.stderr


def test_two_configurations_are_compared_call_by_call(typed: Typed, looping: Path) -> None:
    said = typed("--diff", "--set", "repeated.failed=0", looping)
    assert said.status == 0
    first, second, third, fourth = said.stdout.splitlines()
    assert first == "repeated.failed: 3 -> 0"
    assert second == "1 file, 1 session, 3 calls"
    assert third == "repeated: 1 -> 0 firings; 0 appear, 1 disappear"
    assert fourth.startswith(f"  - turn 3 of s, line 3 of {looping}: Bash ")
    assert fourth.endswith("nothing changed in between (turns 1, 2, 3)")
    found = json.loads(typed("--diff", "--json", "--set", "repeated.failed=0", looping).stdout)
    assert found["by_rule"] == {"repeated": {"appeared": 0, "vanished": 1}}
    assert found["appeared"] == []
    assert [(fire["session"], fire["turn"]) for fire in found["vanished"]] == [("s", 3)]


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (["--profile", "strict"], "profile: default -> strict"),
        (["--profile", "strict", "--profile", "default"], "profile: strict -> default"),
        (["--profile", "strict", "--set", "timeouts.count=9"], "timeouts.count: 3 -> 9"),
        (["--set", "timeouts.count=3"], "The two configurations are the same."),
    ],
)
def test_what_is_compared_is_said_first(
    typed: Typed, words: list[str], change: str, looping: Path
) -> None:
    assert typed("--diff", *words, looping).stdout.splitlines()[0] == change
