"""docs/seeds.md: what it names is there, and the commands that it gives can be run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "seeds.md").read_text()
PLACE: Final = re.compile(r"`((?:app|pyproject)[\w/.]*)(?:: (\w+))?`")
TESTS: Final = sorted(set(re.findall(r"`pytest (tests/[^`]+)`", PAGE)))
COMMANDS: Final = sorted(set(re.findall(r"`floorboss (\w+)[^`]*`", PAGE)))


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "idea"]


def test_every_row_says_where_what_differs_and_how_it_is_shown() -> None:
    assert len(rows()) > 40
    assert [row for row in rows() if len(row) != 4 or not all(row)] == []
    assert [row for row in rows() if "pytest " not in row[3] and "floorboss " not in row[3]] == []


@pytest.mark.parametrize(("path", "name"), sorted(set(PLACE.findall(PAGE))))
def test_what_a_row_points_at_is_there(path: str, name: str) -> None:
    file = ROOT / path
    assert file.exists()
    if name:
        defined = ast.parse(file.read_text()).body
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        assert name in {node.name for node in defined if isinstance(node, kinds)}


def test_every_test_it_gives_exists() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *TESTS], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_it_gives_exists(command: str) -> None:
    line = [sys.executable, "-m", "app", command, "--help"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Usage:" in done.stdout
