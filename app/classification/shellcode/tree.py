"""What the file system holds where a line writes: names that a pattern matches, tests below a folder.

Looking is bounded. Where the bound is met nobody can tell, and that is said (`None`).
Folders of dependencies and caches are not entered: their tests are nobody's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path
from typing import Final

from app.classification.paths import Place
from app.classification.shellcode.marks import DEEP, ONE, STAR
from app.domain.patterns import GUARDED_PATTERNS, TEST_PATTERNS, zone_inside

MOST_ENTRIES: Final = 3_000
MOST_FOUND: Final = 40
MOST_MATCHES: Final = 120
_GIT_OWN: Final = ("config", "hooks", "info")
_DEPENDENCIES: Final = frozenset(
    {
        ".cache", ".eggs", ".gradle", ".hypothesis", ".mypy_cache", ".next", ".nox", ".nuxt",
        ".pytest_cache", ".ruff_cache", ".tox", ".turbo", ".venv", "__pycache__", "bower_components",
        "build", "coverage", "dist", "htmlcov", "node_modules", "out", "site-packages", "target",
        "venv", "vendor",
    }
)  # fmt: skip
# The names that a pattern of ours ends in, and the folders of the guarded ones.
_TELLING: Final = re.compile(
    "|".join(
        translate(part)
        for pattern in (*TEST_PATTERNS, *GUARDED_PATTERNS)
        for part in pattern.strip("/").split("/")
        if part not in ("**", "src")
    )
)
# One name for each pattern of ours, for a glob over a folder that cannot be looked into.
SAMPLES: Final = tuple(
    sorted(
        {pattern.strip("/*").replace("*", "x") for pattern in (*TEST_PATTERNS, *GUARDED_PATTERNS)}
    )
)


def is_passed_over(path: str) -> bool:
    """Whether a path lies in a folder of dependencies or caches, or is one."""
    return not _DEPENDENCIES.isdisjoint(Path(path).parts)


def below(folder: str, place: Place) -> tuple[str, ...] | None:
    """The first test or guarded paths below a folder of the root, relative to that folder."""
    start = _absolute(folder, place)
    root = place.root
    if start is None or root is None or is_passed_over(os.path.relpath(start, root)):
        return ()
    inside = os.path.relpath(start, root)
    if inside.startswith("..") and not root.startswith(start.rstrip("/") + "/"):
        return ()
    found: list[str] = []
    left, waiting = MOST_ENTRIES, [start]
    while waiting:
        here = waiting.pop(0)
        for entry in _entries(here):
            left -= 1
            if left < 0:
                return tuple(found) or None
            if _TELLING.match(entry.name) and _is_closed(os.path.relpath(entry.path, root)):
                found.append(os.path.relpath(entry.path, start))
                if len(found) >= MOST_FOUND:
                    return tuple(found)
            elif entry.name not in _DEPENDENCIES and entry.name != ".git" and _is_folder(entry):
                waiting.append(entry.path)
    return tuple(found)


def _is_closed(path: str) -> bool:
    return not path.startswith("..") and zone_inside(path) in ("test", "guarded")


def matching(pattern: str, place: Place) -> tuple[str, ...] | None:
    """The paths that a pattern matches, each as the pattern would name it; None: too many."""
    start = "/" if pattern.startswith("/") else ""
    paths, left = [start], MOST_ENTRIES
    for part in pattern.strip("/").split("/"):
        following: list[str] = []
        for path in paths:
            if STAR not in part and ONE not in part:
                following.append(_join(path, part))
                continue
            names, left = _names(path, part, place, left)
            if left < 0:
                return None
            following.extend(names)
        paths = following
    lookups = (path for path in paths if _exists(path, place))
    return tuple(lookups)


def _names(path: str, part: str, place: Place, left: int) -> tuple[list[str], int]:
    folder = _absolute(path or ".", place)
    if folder is None:
        return [], left
    if DEEP in part:
        return _deep(path, folder, part, left)
    wanted = re.compile(_expression(part))
    names: list[str] = []
    for entry in _entries(folder):
        left -= 1
        if (part.startswith(".") or not entry.name.startswith(".")) and wanted.fullmatch(
            entry.name
        ):
            names.append(_join(path, entry.name))
    return names, left


def _deep(path: str, folder: str, part: str, left: int) -> tuple[list[str], int]:
    """All folders below, and files where the pattern ends here or the shell knows no `**`."""
    wanted = re.compile(_expression(part))
    names, waiting = [path or "."], [(path, folder)]
    while waiting and left >= 0:
        here, there = waiting.pop(0)
        for entry in _entries(there):
            left -= 1
            if entry.name.startswith(".") or entry.name in _DEPENDENCIES:
                continue
            if wanted.fullmatch(entry.name):
                names.append(_join(here, entry.name))
            if _is_folder(entry):
                waiting.append((_join(here, entry.name), entry.path))
    return names, left


def found_below(folder: str, name: str, place: Place) -> tuple[str, ...] | None:
    """What `find` finds below a folder by its name, the folder itself too; None: nobody can tell.

    Below dependencies and caches only themselves are looked at, of git's own only what is guarded.
    """
    start = _absolute(folder, place)
    if start is None or not _looks(start, os.path.lexists):
        return None if may_name(f"{folder}/{name}") else ()
    wanted = re.compile(_expression(name))
    found = [folder] if wanted.fullmatch(Path(start).name) else []
    left, waiting = MOST_ENTRIES, [(folder, start)]
    while waiting:
        here, there = waiting.pop(0)
        for entry in _entries(there):
            left -= 1
            if left < 0 or len(found) > MOST_MATCHES:
                return None
            path = _join(here, entry.name)
            if wanted.fullmatch(entry.name):
                found.append(path)
            if entry.name == ".git":
                found.extend(f"{path}/{own}" for own in _GIT_OWN if wanted.fullmatch(own))
            elif entry.name not in _DEPENDENCIES and _is_folder(entry):
                waiting.append((path, entry.path))
    return tuple(found)


def _expression(part: str) -> str:
    return re.escape(part).replace(STAR, ".*").replace(ONE, ".")


def may_name(pattern: str) -> bool:
    """Whether a pattern's parts may be names that our own patterns know, by the text alone."""
    for part in pattern.split("/"):
        if STAR in part or ONE in part:
            wanted = re.compile(_expression(part))
            if any(
                wanted.fullmatch(name) and (part.startswith(".") or not name.startswith("."))
                for sample in SAMPLES
                for name in sample.split("/")
            ):
                return True
    return False


def is_folder(path: str, place: Place) -> bool:
    """Whether a path is a folder now."""
    absolute = _absolute(path, place)
    return path in (".", "..") or (absolute is not None and _looks(absolute, os.path.isdir))


def is_there(path: str, place: Place) -> bool:
    """Whether a path names a file now, and no folder."""
    absolute = _absolute(path, place)
    return absolute is not None and _looks(absolute, os.path.isfile)


def _exists(path: str, place: Place) -> bool:
    absolute = _absolute(path, place)
    return absolute is not None and _looks(absolute, os.path.lexists)


def _looks(path: str, question: object) -> bool:
    try:
        return bool(question(path))  # type: ignore[operator]
    except (OSError, ValueError):
        return False


def _absolute(path: str, place: Place) -> str | None:
    start = place.cwd or place.root
    if path.startswith("/"):
        return os.path.normpath(path)
    return None if start is None else os.path.normpath(f"{start}/{path}")


def _join(folder: str, name: str) -> str:
    return name if folder in ("", ".") else f"{folder.rstrip('/')}/{name}"


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except (OSError, ValueError):
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
