"""The command line as a whole: its commands, its help, its page."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from app.cli.exits import MEANINGS
from app.cli.main import COMMANDS, group, loaded
from app.cli.reference import reference
from tests.cli.processes import environment, run

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


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    ended = run("--version", env=environment(tmp_path))
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        0,
        f"floorboss {version('floorboss')}\n",
        "",
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("config",), ("--help",), ("--version",)])
def test_a_full_disk_behind_the_output_is_one_sentence_and_no_success(
    words: tuple[str, ...], unbuffered: str, tmp_path: Path
) -> None:
    env = environment(tmp_path, PYTHONUNBUFFERED=unbuffered)
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "app", *words],
            cwd=ROOT,
            env=env,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (ended.returncode, ended.stderr) == (4, "floorboss: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_seen_enough_is_no_fault(unbuffered: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "config"]
    env = environment(tmp_path, PYTHONUNBUFFERED=unbuffered)
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1
