"""`floorboss tune` as it is typed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.cli.exits import MISUSED
from app.cli.main import group
from tests.replay.runs import calls, neutral_file


@dataclass(frozen=True)
class Ended:
    """A command's status and what it printed."""

    status: object
    stdout: str
    stderr: str


Typed = Callable[..., Ended]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Typed:
    """The command line with these words behind `floorboss tune`."""

    def run(*words: object) -> Ended:
        said = ["tune", "--state-dir", str(tmp_path / "state"), *map(str, words)]
        with pytest.raises(SystemExit) as ended:
            group()(args=said, prog_name="floorboss")
        return Ended(ended.value.code, *capsys.readouterr())

    return run


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    return neutral_file(tmp_path / "looping.jsonl", calls("s", 5))


def test_all_thresholds_are_tried_and_the_quiet_ones_named_at_the_end(
    typed: Typed, looping: Path
) -> None:
    said = typed(looping)
    assert (said.status, said.stderr) == (0, "")
    assert said.stdout.startswith("repeated.failed (now 3): ")
    assert "Nothing fires at any value tried of: " in said.stdout
    assert said.stdout.endswith("1 file, 1 session, 5 calls\n")


def test_verdicts_json_and_a_fragment_go_together(
    typed: Typed, looping: Path, tmp_path: Path
) -> None:
    label, written = tmp_path / "verdicts.jsonl", tmp_path / "mine.toml"
    label.write_text('{"session": "s", "turn": 4, "rule": "repeated", "verdict": "right"}\n')
    words = ("--rule", "repeated.failed", "--set", "repeated.failed=4", "--label", label)
    said = typed(*words, "--write", written, "--json", looping)
    assert said.status == 0
    (sweep,) = json.loads(said.stdout)["thresholds"]
    assert [(s["value"], s["judged"]["precision"]) for s in sweep["steps"]] == [
        *((2, None), (3, None), (4, 1.0), (5, None), (6, None)),
    ]
    assert tomllib.loads(written.read_text()) == {"rules": {"repeated": {"failed": 4}}}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no files"),
        (["{file}", "--rule", "repeted"], 'the nearest is "repeated"'),
        (["{file}", "--set", "repeted.failed=1"], 'the nearest is "repeated.failed"'),
        (["{file}", "--label", "nowhere"], "the verdicts cannot be read"),
        (["{file}", "--label", "{file}"], "line 1: expected a session, and its turn"),
        (["{file}", "--write", "{file}"], "a fragment overwrites nothing"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_tried(
    typed: Typed, words: list[str], why: str, looping: Path
) -> None:
    result = typed(*(word.format(file=looping) for word in words))
    assert (result.status, result.stdout) == (MISUSED, "")
    assert why in result.stderr
