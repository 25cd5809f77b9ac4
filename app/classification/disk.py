"""What the disk says about paths: links, volumes that fold case, the top of a working tree."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from app.classification import volumes
from app.classification.volumes import folded

MOST = 5_000  # names of one folder that are compared without case
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root(?=/|$)")


class Disk:
    """What the disk said about paths, each looked at once: one event is judged by one look."""

    seen: bool = True  # whether it may be asked what lies in it

    def __init__(self) -> None:
        self._straight: dict[str, bool] = {}
        self._real: dict[str, str] = {}
        self._folds: dict[str, bool] = {}
        self._listed: dict[str, dict[str, str]] = {}

    def root(self, cwd: str) -> str:
        """The project root of a session that begins in this folder."""
        return find_root(cwd)

    def home(self, folder: str | None) -> str:
        """The home of whoever works in this folder."""
        return str(Path.home())

    def led(self, path: str) -> str:
        """Where a path really is that is not normalised: behind a link, `..` leads elsewhere."""
        return os.path.realpath(path)

    def folds(self, folder: str) -> bool:
        """Whether names below a folder are compared without case."""
        if folder not in self._folds:
            self._folds[folder] = volumes.folds(folder)
        return self._folds[folder]

    def home_folds(self) -> bool:
        """The same of the home folder, where the settings of harnesses lie."""
        return volumes.MAY_FOLD_HOMES and self.folds(str(Path.home()))

    def spelled(self, path: str, folder: str) -> str:
        """A path below a folder with the names that the disk has for its parts."""
        parts = []
        for part in path.split("/"):
            parts.append(self._names(folder).get(folded(part), part))
            folder = f"{folder}/{parts[-1]}"
        return "/".join(parts)

    def _names(self, folder: str) -> dict[str, str]:
        """The names in a folder by their folded form; none of a folder that holds very many."""
        if folder not in self._listed:
            try:
                with os.scandir(folder) as entries:
                    names = [entry.name for entry, _ in zip(entries, range(MOST), strict=False)]
            except (OSError, ValueError):
                names = []
            few = names if len(names) < MOST else ()
            self._listed[folder] = {folded(name): name for name in few}
        return self._listed[folder]

    def straight(self, path: str) -> bool:
        """Whether a normalised path is where its text says, as no part of it is a link."""
        if path not in self._straight:
            self._straight[path] = self._has_no_link(path)
        return self._straight[path]

    def real(self, path: str) -> str:
        """Where a normalised path really is; one that no disk can hold is where its text says."""
        if self.straight(path):
            return path
        if path not in self._real:
            try:
                self._real[path] = os.path.realpath(path)
            except ValueError:  # a NUL byte, half a character
                self._real[path] = path
        return self._real[path]

    def _has_no_link(self, path: str) -> bool:
        if not path.startswith("/") or path.startswith("//"):
            return False
        for above in upwards(path):
            known = self._straight.get(above)
            if known is not None or is_link(above):
                return known is True
        self._straight.update(dict.fromkeys(upwards(path), True))
        return True


class Unseen(Disk):
    """The disk of another machine or another day: nothing is known of it but what a text says."""

    seen = False

    def root(self, cwd: str) -> str:
        """The folder itself: nobody can say which one above it holds the project."""
        return os.path.normpath(cwd)

    def home(self, folder: str | None) -> str:
        """The home that the folder lies in by its text; else the reader's own."""
        found = _HOME.match(folder or "")
        return found[0] if found else str(Path.home())

    def led(self, path: str) -> str:
        """Where the text says."""
        return os.path.normpath(path)

    def straight(self, path: str) -> bool:
        """Always, as far as anybody knows."""
        return True

    def folds(self, folder: str) -> bool:
        """Never, as far as anybody knows."""
        return False


def find_root(cwd: str) -> str:
    """The top of the working tree that holds `cwd` (a `.git` file or folder), else `cwd` itself.

    A `cwd` that is no absolute path tells nothing. One that was reached through a link lies where
    the link leads, as it does for git; the top keeps the name it was reached by, if it has one.
    """
    start = os.path.normpath(cwd)
    if not start.startswith("/"):
        return start
    try:
        real = os.path.realpath(start)
    except ValueError:
        return start
    top = _top(real)
    if top is None or real == start:
        return top or start
    return next((above for above in upwards(start) if os.path.realpath(above) == top), top)


def _top(folder: str) -> str | None:
    return next((above for above in upwards(folder) if os.path.lexists(f"{above}/.git")), None)


def is_link(path: str) -> bool:
    """Whether a path is a link; what cannot be looked at (a name too long, no right) is none."""
    return os.path.islink(path)  # noqa: PTH114  # Path.is_symlink raises on both


def upwards(path: str) -> Iterator[str]:
    """A path, and every folder above it but the topmost."""
    while path:
        yield path
        path = path.rpartition("/")[0]
