"""The proposer can open no file that a person writes by hand: it does not know their names.

Every text in its sources is read out of their syntax trees. The only end of a file's name among
them is that of a text for a person, and the only thing it stands behind is a number and a kind.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.proposer.folder import KINDS, SUFFIX

ROOT = Path(__file__).parents[2]
PACKAGE = sorted((ROOT / "app" / "proposer").glob("*.py"))
CORE = [ROOT / "app" / "domain" / f"{name}.py" for name in ("advice", "advised", "briefing")]
SOURCES = [*PACKAGE, *CORE]
# What people write for agents, editors and shells, and what floorboss itself reads.
BY_HAND = re.compile(
    r"(agents|claude|gemini|skill|readme|memory|contributing|copilot-instructions|rules)\.md"
    r"|\.mdc?\b|\.toml|\.json\b|\.ya?ml|\.sh\b|\.(bash|zsh|vim)rc|\.profile|\.env\b|\.cursor"
    r"|\.claude|\.codex|\.gemini|\.github|\.git\b|\.ssh|hooks/|settings\.|authorized_keys|crontab",
    re.IGNORECASE,
)
OPENING = {
    *("open", "write_text", "write_bytes", "write_private", "mkdir", "touch", "copy", "move"),
    *("rename", "replace", "link", "symlink", "symlink_to", "hardlink_to", "unlink"),
}


def texts(tree: ast.Module) -> Iterator[str]:
    """Every text of a source but its docstrings, the parts of f-strings included."""
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in prose:
            if isinstance(node.value, str):
                yield node.value
            elif isinstance(node.value, bytes):
                yield node.value.decode("latin-1")


def named(source: str) -> list[str]:
    """The texts of a source that name, or end the name of, a file that a person writes."""
    return [text for text in texts(ast.parse(source)) if BY_HAND.search(text)]


def opened(source: str) -> list[str]:
    """What a source calls that makes, opens or moves a file."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    names = (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for call in calls
    )
    return [name for name in names if name in OPENING]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_source_names_a_file_that_a_person_writes(path: Path) -> None:
    known = [SUFFIX] if path.name == "folder.py" else []
    assert named(path.read_text()) == known


def test_a_file_is_opened_in_one_place_and_named_by_a_number_and_a_kind() -> None:
    opening = {path.name: found for path in PACKAGE if (found := opened(path.read_text()))}
    assert opening == {"folder.py": ["open", "open"]}  # the folder, then the file in it
    assert (KINDS, SUFFIX) == (("instruction", "skill"), ".md")


@pytest.mark.parametrize(
    "source",
    ['x = "CLAUDE.md"', 'x = f"{a}/AGENTS.md"', 'x = b"SKILL.md"', 'x = ".bash" "rc"',
     'x = ["rules.mdc"]', 'x = "~/.claude/commands"'],
)  # fmt: skip
def test_a_planted_name_is_found(source: str) -> None:
    assert len(named(source)) == 1


def test_a_planted_write_is_found() -> None:
    assert opened("Path(x).write_text(y)\nopen(x)\nos.replace(x, y)") != []
