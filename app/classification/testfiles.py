"""Which files of a project its tests are made of: those that match the test patterns.

    listed(root, until)   their paths below the root; None where there are too many to look through

git says what belongs to the project: what it tracks, and what is new and not ignored. It is asked
in a way in which nothing that a repository's settings name is run: no hook, no monitor of files, no
pager, no filter, no fetching of what a partial clone lacks. Where there is no git, or where it will
not answer, the folders are walked without those that are hidden, caches or installed.

Not looked at: what git ignores, and caches that are not tracked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from app.domain.patterns import TEST_PATTERNS, names

ENTRIES: Final = 200_000  # files and folders that are looked through
CACHES: Final = frozenset({
    "__pycache__", ".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache", ".nyc_output",
    ".tox", ".nox", ".venv", "venv", "node_modules",
})  # fmt: skip
INSTALLED: Final = frozenset({
    "bower_components", "vendor", "virtualenv", "site-packages", "Pods", "Carthage", "deps",
})  # fmt: skip
# Settings that would have git run or fetch something, and a line from it that is not paged.
_GIT: Final = (
    "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c",
    "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "protocol.allow=never",
    "ls-files", "--cached", "--others", "--exclude-standard", "-t", "--stage", "-z",
)  # fmt: skip
_REPOSITORY: Final = b"160000 "  # the mode of what git keeps as a commit of another repository


class TooMuch(Exception):
    """There is more than is looked through, or it took too long."""


def listed(root: str, until: float) -> tuple[str, ...]:
    """The test files below a root, each once and in order; `until` is on the monotonic clock.

    Raises TooMuch, or OSError where the root cannot be read. A path may lead to nothing, as git
    also knows what was removed.
    """
    os.scandir(root).close()  # of a root that cannot be read nobody knows the tests
    said = _tracked(root, until) if os.path.lexists(Path(root, ".git")) else None
    found = _walked(root, "", until) if said is None else _told(root, said, until)
    return tuple(sorted(found, key=os.fsencode))


def _told(root: str, said: bytes, until: float) -> set[str]:
    """The tests of what git told; a folder is a repository inside this one, and so is a link."""
    found = set[str]()
    for line in said.split(b"\0"):
        path = _path_of(line)
        if path.endswith("/") or (line[2:9] == _REPOSITORY and _is_folder(root, path)):
            found |= _walked(root, path.rstrip("/"), until)
        elif path and (line[:1] != b"?" or CACHES.isdisjoint(path.split("/"))) and is_test(path):
            found |= _walked(root, path, until) if _is_folder(root, path) else {path}
    return found


def _path_of(line: bytes) -> str:
    """`? PATH` for what is new; for what is tracked `TAG MODE OBJECT STAGE`, a tabulator, PATH."""
    new = line[:1] == b"?"
    return os.fsdecode(line[2:] if new else line.partition(b"\t")[2])


def _is_folder(root: str, path: str) -> bool:
    """Whether a path is a folder, as a submodule's is, and no link to one."""
    full = Path(root, path)
    return full.is_dir() and not full.is_symlink()


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Whether a path below the root matches the test patterns; also a link in a folder's place."""
    return names(TEST_PATTERNS, path)


def _tracked(root: str, until: float) -> bytes | None:
    """What git lists; None: there is no git, or it does not take this for its own."""
    git = _program()
    if git is None:
        return None
    try:
        done = subprocess.run(
            [git, *_GIT],
            cwd=root,
            env=_environment(root),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(0.0, until - time.monotonic()),
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise TooMuch from late
    if done.returncode != 0:
        return None
    if done.stdout.count(b"\0") > ENTRIES:
        raise TooMuch
    return done.stdout


def _program() -> str | None:
    """git by its full path, so that no folder of a project can stand in for it."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which("git", path=os.pathsep.join(filter(os.path.isabs, folders)))


def _environment(root: str) -> Mapping[str, str]:
    """The daemon's own, without what steers git; of this root and no repository above it."""
    plain = {name: held for name, held in os.environ.items() if not name.startswith("GIT_")}
    return plain | {
        "LC_ALL": "C",
        "GIT_WORK_TREE": root,
        "GIT_CEILING_DIRECTORIES": str(Path(root).parent),
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _walked(root: str, below: str, until: float) -> set[str]:
    """The test files below a folder of the root, found without git."""
    found, left, seen = set[str](), [below], 0
    while left:
        for path, is_folder in _members(root, left.pop()):
            seen += 1
            if seen > ENTRIES or time.monotonic() > until:
                raise TooMuch
            if is_folder:
                left.append(path)
            elif is_test(path):
                found.add(path)
    return found


def _members(root: str, folder: str) -> Iterator[tuple[str, bool]]:
    """What is in a folder, and whether it is one to look into; nothing where it cannot be read."""
    try:
        entries = list(os.scandir(Path(root, folder)))
    except OSError:
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if not entry.is_dir(follow_symlinks=False):
            yield path, False
        elif not entry.name.startswith(".") and entry.name not in CACHES | INSTALLED:
            yield path, True
