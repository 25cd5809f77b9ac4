"""Small files and small functions, so that the core can be read in one sitting."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "app").rglob("*.py"))
LONGEST_FILE = 400  # lines
NINTH_OF_TEN = 30  # lines; nine functions in ten are shorter


def lengths(source: str) -> list[int]:
    """The lines of each function and method, signature and docstring included."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, functions))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_not_too_long_to_read(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


def test_nine_functions_in_ten_fit_on_a_screen() -> None:
    sizes = sorted(size for path in SOURCES for size in lengths(path.read_text()))
    assert sizes[len(sizes) * 9 // 10] < NINTH_OF_TEN


def test_a_function_is_measured_from_its_def_to_its_last_line() -> None:
    assert lengths("x = 1\n\ndef f():\n    '''A.'''\n    return 1\n\ny = 2\n") == [3]
