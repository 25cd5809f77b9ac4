"""`floorboss tune --plots` as a real command: the pictures it leaves, and what it needs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.exits import CLOSED
from tests.charts.reading import dots, size, title, words
from tests.cli.processes import environment, run
from tests.replay.runs import calls, neutral_file

Typed = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Six loops of four failing calls."""
    events = [event for number in range(6) for event in calls(f"s{number}", 4)]
    return neutral_file(tmp_path / "loops.jsonl", events)


@pytest.fixture
def typed(sessions: Path, state: Path, tmp_path: Path) -> Typed:
    """Sweeps one rule, with these words besides."""

    def tune(*said: object, **env: str) -> subprocess.CompletedProcess[str]:
        given = map(str, ("tune", sessions, "--rule", "repeated.failed", *said))
        return run(*given, env=environment(state, **env))

    return tune


def test_each_rule_becomes_a_pair_of_pictures_in_a_new_folder(typed: Typed, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "plots"
    said = typed("--rule", "timeouts", "--plots", folder)
    assert (said.returncode, said.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == {
        *("repeated.svg", "repeated.png", "timeouts.svg", "timeouts.png"),
    }
    for name in ("repeated", "timeouts"):
        png = (folder / f"{name}.png").read_bytes()
        assert size(png)[0] == 800
        assert 200 < size(png)[1] < 500
        assert len({*dots(png)}) > 20  # shades of ink on paper, and not one


def test_a_picture_says_what_it_is_about_and_marks_what_is_in_force(
    typed: Typed, tmp_path: Path
) -> None:
    assert typed("--plots", tmp_path, "--set", "repeated.failed=4").returncode == 0
    svg = (tmp_path / "repeated.svg").read_bytes()
    said = words(svg)
    assert title(svg) == "repeated: the same call again while nothing changed"
    assert any(line.startswith("24 calls in 6 sessions, profile default.") for line in said)
    assert {
        *("repeated.failed", "firings per 1,000 calls", "the same failing call, nothing changed"),
        *("now 4", "default 3", "2", "3", "4", "5", "6"),
    } <= {*said}
    assert "precision, %" not in said


def test_a_rule_that_never_fires_is_drawn_and_says_so(typed: Typed, tmp_path: Path) -> None:
    typed("--rule", "timeouts", "--plots", tmp_path)
    assert "nothing fired at any value tried" in words((tmp_path / "timeouts.svg").read_bytes())


@pytest.mark.parametrize(("judged", "shown"), [(6, True), (4, False)])
def test_a_precision_is_drawn_from_enough_verdicts(
    judged: int, shown: bool, typed: Typed, tmp_path: Path
) -> None:
    label = tmp_path / "verdicts.jsonl"
    label.write_text(
        "\n".join(
            json.dumps({"session": f"s{n}", "turn": 3, "rule": "repeated", "verdict": verdict})
            for n, verdict in zip(range(judged), ["wrong", *["right"] * 5], strict=False)
        )
    )
    assert typed("--label", label, "--plots", tmp_path).returncode == 0
    said = words((tmp_path / "repeated.svg").read_bytes())
    assert ("precision, %" in said, "5 of 6" in said) == (shown, shown)
    assert any("so no precision is shown" in line for line in said) is not shown


@pytest.fixture
def lacking(tmp_path: Path) -> dict[str, str]:
    """An environment in which what draws cannot be imported."""
    package = tmp_path / "lacking" / "matplotlib"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'it'\")")
    return {"PYTHONPATH": str(package.parent)}


def test_without_what_draws_the_command_says_how_to_get_it(
    typed: Typed, tmp_path: Path, lacking: dict[str, str]
) -> None:
    said = typed("--plots", tmp_path / "plots", **lacking)
    assert (said.returncode, said.stdout) == (CLOSED, "")
    assert "In a checkout `make install` brings it; elsewhere: " in said.stderr
    assert "-m pip install 'matplotlib" in said.stderr
    assert "Traceback" not in said.stderr
    assert not (tmp_path / "plots").exists()


def test_without_plots_nothing_that_draws_is_needed(typed: Typed, lacking: dict[str, str]) -> None:
    assert typed(**lacking).returncode == 0


def test_a_folder_that_cannot_be_used_is_named_before_anything_is_tried(
    typed: Typed, sessions: Path
) -> None:
    said = typed("--plots", sessions)
    assert (said.returncode, said.stdout) == (CLOSED, "")
    assert said.stderr == f"floorboss: {sessions}: File exists\n"


def test_a_picture_that_cannot_be_written_ends_the_command(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "repeated.svg").mkdir()
    said = typed("--plots", tmp_path)
    assert said.returncode == CLOSED
    assert said.stderr == f"floorboss: {tmp_path / 'repeated.svg'}: Is a directory\n"
