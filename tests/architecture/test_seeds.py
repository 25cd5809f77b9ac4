"""docs/seeds.md: what it names is there, and each command that it gives prints what it says."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "seeds.md").read_text()
PLACE: Final = re.compile(r"`((?:app/|pyproject\.)[\w/.]*)(?:: (\w+))?`")
TESTS: Final = re.compile(r"`pytest (tests/[^`\s]+)(?: -k (\w+))?`")
COMMAND: Final = re.compile(r'`(floorboss [^`]+)`(?: prints "(.+)")?')  # to the cell's last quote
PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "idea"]


SHOWN: Final = [row[3] for row in rows()]
COMMANDS: Final = sorted({found for cell in SHOWN for found in COMMAND.findall(cell)})


def words(text: str) -> str:
    """A text without its columns and line breaks."""
    return " ".join(text.split())


def test_every_row_says_where_what_differs_and_how_it_is_shown() -> None:
    assert len(rows()) > 60
    assert [row for row in rows() if len(row) != 4 or not all(row)] == []
    assert [cell for cell in SHOWN if TESTS.sub("", COMMAND.sub("", cell)).strip(" ,")] == []


@pytest.mark.parametrize(("path", "name"), sorted(set(PLACE.findall(PAGE))))
def test_what_a_row_points_at_is_there(path: str, name: str) -> None:
    file = ROOT / path
    assert file.exists()
    if name:
        defined = ast.parse(file.read_text()).body
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        assert name in {node.name for node in defined if isinstance(node, kinds)}


def test_every_test_it_gives_exists() -> None:
    given = [found for cell in SHOWN for found in TESTS.findall(cell)]
    command = [*PYTEST, "--collect-only", *sorted({node for node, _ in given})]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    collected = [line for line in done.stdout.splitlines() if line.startswith("tests/")]
    picked = [(node, word) for node, word in given if word]
    assert picked != []
    for node, word in picked:
        assert [line for line in collected if line.startswith(node) and word in line[len(node) :]]


@pytest.mark.parametrize(("command", "printed"), COMMANDS)
def test_every_command_it_gives_prints_what_it_says(
    command: str, printed: str, tmp_path: Path
) -> None:
    assert printed
    line = [sys.executable, "-m", "app", *shlex.split(command)[1:]]
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "COLUMNS": "200"}
    done = subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert printed in words(done.stdout)
