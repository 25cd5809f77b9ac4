"""What the file system holds where a line writes: names that match, tests below a folder.

Looking is bounded (`Entries`); disk.py says what it means when the bound is met.
Folders of dependencies and caches are not entered: their tests are nobody's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import translate
from itertools import islice
from pathlib import Path
from typing import Final

from app.classification.paths import LONGEST, Place
from app.classification.shellcode.marks import DEEP, ONE, STAR, UNSAID
from app.classification.volumes import folded
from app.domain.patterns import GUARDED_PATTERNS, TEST_PATTERNS, zone_inside

MOST_FOUND: Final = 40
MOST_MATCHES: Final = 120
_GIT_OWN: Final = ("config", "hooks", "info")
_DEPENDENCIES: Final = frozenset(
    {
        ".cache", ".eggs", ".gradle", ".hypothesis", ".mypy_cache", ".next", ".nox", ".nuxt",
        ".pytest_cache", ".ruff_cache", ".tox", ".turbo", ".venv", "__pycache__",
        "bower_components",
        "build", "coverage", "dist", "htmlcov", "node_modules", "out", "site-packages",
        "target", "venv", "vendor",
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

_FIXED: Final = frozenset(
    part
    for pattern in (*TEST_PATTERNS, *GUARDED_PATTERNS)
    for part in pattern.split("/")
    if part and "*" not in part and part != "src"
)


def is_passed_over(path: str) -> bool:
    """Whether a path lies in a folder of dependencies or caches, or is one."""
    return not _DEPENDENCIES.isdisjoint(Path(path).parts)


class TooManyError(Exception):
    """There is more in the folders than can be looked at."""


@dataclass(slots=True)
class Entries:
    """What lies in folders; of all folders of one line together only so much is looked at."""

    left: int = 2_000

    def of(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """The entries of one folder; none where it cannot be looked into."""
        for entry in _entries(folder):
            self.left -= 1
            if self.left < 0:
                raise TooManyError
            yield entry


def below(folder: str, place: Place, entries: Entries) -> tuple[str, ...]:
    """The first test or guarded paths below a folder of the root, relative to that folder."""
    if place.root is None:
        return ()
    root = place.disk.real(place.root)
    starts = dict.fromkeys(map(place.disk.real, _readings(folder, place)))
    found = (name for start in starts for name in _below(start, root, place, entries))
    return tuple(dict.fromkeys(islice(found, MOST_FOUND)))


def _below(start: str, root: str, place: Place, entries: Entries) -> Iterator[str]:
    """The same of one folder, as the disk has it."""
    inside = os.path.relpath(start, root)
    if is_passed_over(inside):
        return
    if inside.startswith("..") and not root.startswith(start.rstrip("/") + "/"):
        return
    waiting = [start]
    while waiting:
        for entry in entries.of(waiting.pop(0)):
            if _TELLING.match(_compared(entry.name, place)) and _is_closed(
                _compared(os.path.relpath(entry.path, root), place)
            ):
                yield os.path.relpath(entry.path, start)
            elif entry.name not in _DEPENDENCIES and entry.name != ".git" and _is_folder(entry):
                waiting.append(entry.path)


def _compared(name: str, place: Place) -> str:
    return folded(name) if place.folds else name


def _is_closed(path: str) -> bool:
    return not path.startswith("..") and zone_inside(path) in ("test", "guarded")


def matching(pattern: str, place: Place, entries: Entries) -> tuple[str, ...]:
    """The paths that a pattern matches, each as the pattern would name it."""
    paths = ["/" if pattern.startswith("/") else ""]
    for part in pattern.strip("/").split("/"):
        if STAR in part or ONE in part:
            paths = [name for path in paths for name in _names(path, part, place, entries)]
        else:
            paths = [_join(path, part) for path in paths]
    return tuple(path for path in paths if _exists(path, place))


def _names(path: str, part: str, place: Place, entries: Entries) -> Iterator[str]:
    wanted = re.compile(_expression(part))
    for folder in _readings(path or ".", place):
        if DEEP in part:
            yield from _deep(path, folder, wanted, entries)
            continue
        for entry in entries.of(folder):
            hidden = entry.name.startswith(".") and not part.startswith(".")
            if not hidden and wanted.fullmatch(entry.name):
                yield _join(path, entry.name)


def _deep(path: str, folder: str, wanted: re.Pattern[str], entries: Entries) -> Iterator[str]:
    """All folders below, and files where the pattern ends here or the shell knows no `**`."""
    yield path or "."
    waiting = [(path, folder)]
    while waiting:
        here, there = waiting.pop(0)
        for entry in entries.of(there):
            if entry.name.startswith(".") or entry.name in _DEPENDENCIES:
                continue
            if wanted.fullmatch(entry.name):
                yield _join(here, entry.name)
            if _is_folder(entry):
                waiting.append((_join(here, entry.name), entry.path))


def found_below(folder: str, name: str, place: Place, entries: Entries) -> tuple[str, ...] | None:
    """What `find` finds below a folder by its name, the folder itself too; None: nobody can tell.

    Below dependencies and caches only themselves are looked at, of git's own only what is guarded.
    """
    starts = [path for path in _readings(folder, place) if _looks(path, os.path.lexists)]
    if not starts:
        return None if may_name(f"{folder}/{name}") else ()
    wanted = re.compile(_expression(name))
    found = [folder] if any(wanted.fullmatch(Path(start).name) for start in starts) else []
    waiting = [(folder, start) for start in starts]
    while waiting and len(found) <= MOST_MATCHES:
        here, there = waiting.pop(0)
        for entry in entries.of(there):
            path = _join(here, entry.name)
            if wanted.fullmatch(entry.name):
                found.append(path)
            if entry.name == ".git":
                found.extend(f"{path}/{own}" for own in _GIT_OWN if wanted.fullmatch(own))
            elif entry.name not in _DEPENDENCIES and _is_folder(entry):
                waiting.append((path, entry.path))
    return tuple(found) if len(found) <= MOST_MATCHES else None


def _expression(part: str) -> str:
    """A pattern's part as an expression; no star is tried twice, however many there are."""
    first, *others = (re.escape(fixed).replace(ONE, ".") for fixed in re.split(f"{STAR}+", part))
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>.*?{fixed})" for fixed in middle) + f".*{last}"


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


def may_be_folder(path: str) -> bool:
    """Whether a part of a path that is only known in part may be a folder or file of our own."""
    if not UNSAID.search(path):
        return False
    for part in path.split("/"):
        if UNSAID.search(part) and re.search(r"[\w.]", part):
            wanted = re.compile(_expression(UNSAID.sub(STAR, part)))
            if any(wanted.fullmatch(name) for name in _FIXED):
                return True
    return False


def is_folder(path: str, place: Place) -> bool:
    """Whether a path is a folder now."""
    return path in (".", "..") or _is(path, place, os.path.isdir)


def is_there(path: str, place: Place) -> bool:
    """Whether a path names a file now, and no folder."""
    return _is(path, place, os.path.isfile)


def _exists(path: str, place: Place) -> bool:
    return _is(path, place, os.path.lexists)


def _is(path: str, place: Place, question: Callable[[str], bool]) -> bool:
    return any(_looks(each, question) for each in _readings(path, place))


def _looks(path: str, question: Callable[[str], bool]) -> bool:
    try:
        return question(path)
    except (OSError, ValueError):
        return False


def _readings(path: str, place: Place) -> tuple[str, ...]:
    """Where a path leads: the shell's own `cd` takes `..` as text, the system from behind links."""
    start = place.cwd or place.root
    if start is None and not path.startswith("/"):
        return ()
    joined = path if path.startswith("/") else f"{start}/{path}"
    text = os.path.normpath(joined)
    if ".." not in path or len(joined) > LONGEST:
        return (text,)
    try:
        return tuple(dict.fromkeys((text, os.path.realpath(joined))))
    except ValueError:  # a NUL byte, half a character
        return (text,)


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
