"""The command line as a whole: its commands, its help, its page."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from app.cli.exits import MEANINGS
from app.cli.main import COMMANDS, group, loaded
from app.cli.reference import reference

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_commands_say() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    assert page == reference(), "run .venv/bin/python docs/generate.py"


def test_the_page_has_a_section_for_each_command() -> None:
    sections = {line.split()[2] for line in reference().splitlines() if line.startswith("## ")}
    assert sections == set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_says_what_it_does_in_one_line(name: str) -> None:
    command = loaded(name, COMMANDS[name])
    assert command.name == name
    assert command.help.partition("\n")[0].endswith(".")


def test_no_command_switches_a_mode_or_starts_an_agent() -> None:
    assert {"run", "set", "mode"}.isdisjoint(group().commands)


def test_every_status_that_a_command_ends_with_is_explained() -> None:
    tree = ast.parse((ROOT / "app" / "cli" / "exits.py").read_text())
    named = [
        node.value.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant)
    ]
    assert sorted(map(str, [0, *named])) == sorted(map(str, MEANINGS))
