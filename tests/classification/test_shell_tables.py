"""The tables of programs: every line has its case, and every line is where one looks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.classification.paths import Place
from app.classification.shellcode.builtins import BUILTIN
from app.classification.shellcode.lines import line_effects
from app.classification.shellcode.special import SPECIAL
from app.classification.shellcode.tables import (
    BENDING,
    BUILTINS,
    EDITORS,
    FORMATTERS,
    HARMLESS,
    INTERPRETERS,
    MAKERS,
    PROGRAMS,
    RUNNERS,
    SHELLS,
    WRAPPERS,
)

PLACE = Place(root="/srv/project", cwd="/srv/project")
CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "shell" / "programs.json").read_text(encoding="utf-8")
)
# How each wrapper stands before a command, with options it may have.
WRAPPED = [
    "builtin", "caffeinate -i", "chronic", "command -p", "coproc", "doas -u me", "exec -a x",
    "ionice -c 2 -n 7", "nice -n 5", "nice -5", "nocorrect", "noglob", "nohup", "setsid -w",
    "stdbuf -oL", "sudo -E -u me", "time -p", "timeout 5", "timeout -k 1 1.5m", "xvfb-run -a",
    "env", "env -i A=1 B=2", "env -u A --", "bundle exec", "hatch run", "pdm run", "pipenv run",
    "poetry run", "rye run", "uv run --frozen", "sudo timeout 5 nice", "/usr/bin/env",
]  # fmt: skip
SETTINGS = [
    "CARGO_INCREMENTAL=0", "CARGO_TERM_COLOR=never", "EDITOR=true", "GIT_EDITOR=true",
    "GIT_PAGER=cat", "GIT_SEQUENCE_EDITOR=:", "GIT_TERMINAL_PROMPT=0", "HOME=/root",
    "NODE_OPTIONS=--max-old-space-size=4096", "PAGER=cat", "PIP_DISABLE_PIP_VERSION_CHECK=1",
    "PYTEST_ADDOPTS=-q", "VISUAL=true", "FOO=1", "PATH=$PATH:~/.local/bin",
    "PATH=.venv/bin:$PATH",
]  # fmt: skip
PACKAGED = ["bunx", "npm exec --", "npx -y", "pnpm dlx", "pnpm exec", "uvx", "yarn exec"]


def read(line: str) -> tuple[list[str], list[list[str]]]:
    found = line_effects(line, PLACE)
    return list(found.effects), [[target.path, target.zone] for target in found.targets]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["when"][:60])
def test_a_program_writes_what_it_is_told_to(case: dict[str, Any]) -> None:
    assert read(case["when"]) == (case["then"]["effects"], case["then"].get("targets", []))


def test_every_program_has_a_case() -> None:
    named = {case["name"] for case in CASES}
    assert named == {*PROGRAMS, *FORMATTERS, *SPECIAL}


@pytest.mark.parametrize(
    "table",
    [BUILTIN, FORMATTERS, HARMLESS, INTERPRETERS, PROGRAMS, RUNNERS, SPECIAL, WRAPPERS],
    ids=lambda table: next(iter(table)),
)
def test_the_tables_are_sorted(table: dict[str, object]) -> None:
    assert list(table) == sorted(table, key=str.lower) or list(table) == sorted(table)


@pytest.mark.parametrize("start", WRAPPED)
def test_a_program_that_only_starts_another_one_is_seen_through(start: str) -> None:
    assert read(f"{start} rm tests/a.py") == (["write"], [["tests/a.py", "test"]])
    assert read(f"{start} pytest")[0] == ["test"]


@pytest.mark.parametrize("start", PACKAGED)
def test_a_runner_of_packages_is_seen_through_to_known_ones(start: str) -> None:
    assert read(f"{start} prettier --check src")[0] == ["read"]
    assert read(f"{start} rm a")[0] == ["unknown"]


def test_every_wrapper_has_a_case() -> None:
    said = {start.split()[0] for start in (*WRAPPED, *PACKAGED)}
    phrases = {" ".join(start.split()[:2]) for start in (*WRAPPED, *PACKAGED)}
    assert {*WRAPPERS, *RUNNERS} <= said | phrases


@pytest.mark.parametrize(
    "start", ["timeout --unheard 5", "nice -x", "sudo -i", "env -S", "uv run -w x"]
)
def test_an_option_that_no_table_lists_is_not_seen_through(start: str) -> None:
    assert read(f"{start} rm a")[0] == ["unknown"]


@pytest.mark.parametrize(
    ("program", "option"),
    [(name, letter) for name, letters in INTERPRETERS.items() for letter in letters],
)
def test_every_interpreter_runs_code_by_its_options(program: str, option: str) -> None:
    assert read(f'{program} -{option} "$X"')[0] == ["unknown_closed"]
    assert read(f"{program} script.x")[0] == ["unknown"]


@pytest.mark.parametrize("program", [*INTERPRETERS, *SHELLS])
def test_every_interpreter_runs_what_comes_down_the_pipe(program: str) -> None:
    assert read(f"cat a | {program}")[0] == ["read", "unknown_closed"]
    assert read(f'{program} <<< "$X"')[0] == ["unknown_closed"]


@pytest.mark.parametrize("program", sorted(SHELLS))
def test_a_shell_that_is_handed_its_text_is_read_like_the_line(program: str) -> None:
    for line in (
        f"{program} -c 'rm tests/a.py'",
        f"{program} -ec 'rm \"$1\"' x tests/a.py",
        f"{program} <<'E'\nrm tests/a.py\nE",
        f"{program} <<< 'rm tests/a.py'",
    ):
        assert read(line) == (["write"], [["tests/a.py", "test"]])


@pytest.mark.parametrize("program", sorted(EDITORS))
def test_an_editor_that_is_handed_commands_runs_them(program: str) -> None:
    assert read(f"{program} a <<< w")[0] == ["unknown_closed"]
    assert read(f"{program} -c 'w! tests/a.py' a")[0] == ["unknown_closed"]


@pytest.mark.parametrize("program", sorted(MAKERS))
def test_a_program_that_is_handed_its_rules_runs_them(program: str) -> None:
    assert read(f"{program} -f - <<< 'a:'")[0] == ["unknown_closed"]


@pytest.mark.parametrize("word", sorted(BUILTINS))
def test_a_word_of_the_shell_changes_nothing(word: str) -> None:
    assert read(f"{word} x ]" if word == "[" else f"{word} x")[0] == ["read"]


@pytest.mark.parametrize("pattern", BENDING)
def test_no_command_is_what_its_name_says_under_a_bending_variable(pattern: str) -> None:
    name = pattern.replace("*", "X")
    assert "unknown" in read(f"{name}=./x ls")[0]
    assert "unknown" in read(f"export {name}=./x; ls")[0]
    assert "unknown" in read(f"env {name}=./x ls")[0]


@pytest.mark.parametrize("setting", SETTINGS)
def test_some_values_of_them_are_harmless(setting: str) -> None:
    assert read(f"{setting} pytest")[0] == ["test"]
    assert read(f"export {setting} && pytest")[0] == ["test"]


def test_every_harmless_value_is_tried_above() -> None:
    assert set(HARMLESS) <= {setting.partition("=")[0] for setting in SETTINGS}


@pytest.mark.parametrize("folder", ["/tmp/x", "src", ".", "/srv/project/bin", "$X"])
def test_path_gains_no_folder_that_an_agent_fills(folder: str) -> None:
    assert "unknown" in read(f"PATH={folder}:$PATH ls")[0]
