"""The project an agent works on: a function that is wrong, and a test that says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

Files = dict[str, str]  # path below the project -> its text, `-> target` for a link

TEST: Final = """import unittest

from app import add


class Adding(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""
FILES: Final[Mapping[str, str]] = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "README.md": "# demo\n",
    ".gitignore": "__pycache__/\n",
    "pytest.ini": "[pytest]\n",
    "tests/__init__.py": "",
    "tests/conftest.py": "",
    "tests/test_app.py": TEST,
}
UNSEEN: Final = frozenset({".git", "__pycache__"})


def make(folder: Path, more: Mapping[str, str | None]) -> None:
    """A git project with one commit; `more` adds files to the usual ones, None leaves one out."""
    folder.mkdir(parents=True)
    for name, text in {**FILES, **more}.items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "dev"),
        ("config", "user.email", "dev@example.org"),
        ("add", "-A"),
        ("commit", "-q", "-m", "start"),
    ):
        subprocess.run(("git", *words), cwd=folder, env=surroundings(folder), check=True)


def surroundings(home: Path) -> dict[str, str]:
    """The environment of what an agent runs: with the `python3` of the tests."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",  # two edits within a second would run as one
    }


def files_of(folder: Path) -> Files:
    """Every file below a folder, but git's own and what Python compiled."""
    found: Files = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in UNSEEN]
        for name in (*names, *folders):
            path = Path(place, name)
            if path.is_symlink():
                found[str(path.relative_to(folder))] = f"-> {path.readlink()}"
            elif path.is_file():
                found[str(path.relative_to(folder))] = path.read_bytes().decode("latin-1")
    return found


def differences(before: Files, after: Files) -> dict[str, str | None]:
    """What is another file afterwards, with its text; None: it is gone."""
    changed = (name for name in {**before, **after} if before.get(name) != after.get(name))
    return {name: after.get(name) for name in sorted(changed)}
