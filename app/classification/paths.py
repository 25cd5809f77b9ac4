"""Where a path really is, by its text and on the disk, sorted into zones (docs/design.md 4).

    guarded > inside the root: test > project  > given > temporary > outside

If the text and the disk disagree (a symlink), both places are targets and the worst one decides.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.classification.remembering import remembered
from app.domain.calls import Target, Zone
from app.domain.patterns import GUARDED_PATTERNS, names, zone_inside

TEMPORARY: tuple[str, ...] = tuple(
    # The last two are what macOS calls the first two.
    sorted({"/tmp", "/var/tmp", tempfile.gettempdir(), "/private/tmp", "/private/var/tmp"})
)
LONGEST = 4096  # characters of a path that is looked up on the disk; no system takes more
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root(?=/|$)")
# Folders whose own loss would take settings along: they may be filled, not moved or removed.
_HOLDERS = frozenset({".git", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".copilot"})


class Disk:
    """What the disk said about paths, each looked at once: one event is judged by one look."""

    seen: bool = True  # whether it may be asked what lies in it

    def __init__(self) -> None:
        self._straight: dict[str, bool] = {}
        self._real: dict[str, str] = {}

    def root(self, cwd: str) -> str:
        """The project root of a session that begins in this folder."""
        return find_root(cwd)

    def home(self, folder: str | None) -> str:
        """The home of whoever works in this folder."""
        return str(Path.home())

    def led(self, path: str) -> str:
        """Where a path really is that is not normalised: behind a link, `..` leads elsewhere."""
        return os.path.realpath(path)

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
        for above in _upwards(path):
            known = self._straight.get(above)
            if known is not None or _is_link(above):
                return known is True
        self._straight.update(dict.fromkeys(_upwards(path), True))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a session works, as one event finds it."""

    root: str | None  # the project root; None: no cwd was ever seen
    cwd: str | None  # what relative paths start from; None: the root
    given: tuple[str, ...] = ()  # further folders the harness was given
    own: tuple[str, ...] = ()  # folders and files of floorboss itself
    disk: Disk = field(default_factory=Disk, compare=False, repr=False)

    @property
    def home(self) -> str:
        """What `~` means here."""
        return self.disk.home(self.root or self.cwd)


def find_root(cwd: str) -> str:
    """The top of the working tree that holds `cwd` (a `.git` file or folder), else `cwd` itself."""
    start = Path(os.path.normpath(cwd))
    for folder in (start, *start.parents):
        if os.path.lexists(folder / ".git"):
            return str(folder)
    return str(start)


def targets(paths: Sequence[str], place: Place) -> tuple[Target, ...]:
    """Every place the paths name, each once: where the text says, and where the disk says."""
    found = (target for path in paths for target in _resolved(_from_home(path, place), place))
    return tuple(dict.fromkeys(found))


def _from_home(path: str, place: Place) -> str:
    return place.home + path[1:] if path == "~" or path.startswith("~/") else path


def _resolved(path: str, place: Place) -> Iterator[Target]:
    start = place.cwd or place.root
    if start is None and not path.startswith("/"):
        yield _without_root(path)
        return
    joined = path if path.startswith("/") else f"{start or ''}/{path}"
    text = os.path.normpath(joined)
    yield _target(text, place)
    if len(text) > LONGEST or "\0" in text:  # no disk can hold it: only the text counts
        return
    try:
        normal = joined == text or len(joined) > LONGEST
        real = place.disk.real(text) if normal else place.disk.led(joined)
    except ValueError:  # half a character: the same
        return
    if real != text:
        yield _target(real, place)


def _without_root(path: str) -> Target:
    """A relative path of a session that never said where it works."""
    path = os.path.normpath(path)
    if path == os.pardir or path.startswith(os.pardir + os.sep):
        return Target(path=path, zone="guarded" if names(GUARDED_PATTERNS, path) else "outside")
    return Target(path=path, zone=_zone_inside(path))


def _target(path: str, place: Place) -> Target:
    inside = None if place.root is None else _relative(path, place.root, place.disk)
    if any(_relative(path, own, place.disk) is not None for own in place.own):
        return Target(path=path if inside is None else inside, zone="guarded")
    if inside is not None:
        return Target(path=inside, zone=_zone_inside(inside))
    return Target(path=path, zone=_zone_outside(path, place))


@remembered
def _zone_inside(path: str) -> Zone:
    """As patterns.zone_inside; the root and the harnesses' folders as such hold guarded paths."""
    if path == os.curdir or Path(path).name in _HOLDERS:
        return "guarded"
    return zone_inside(path)


def _zone_outside(path: str, place: Place) -> Zone:
    if _is_guarded(path) or _is_above_root(path, place):
        return "guarded"
    if any(_relative(path, folder, place.disk) is not None for folder in place.given):
        return "given"
    if any(_relative(path, folder, place.disk) is not None for folder in TEMPORARY):
        return "temporary"
    return "outside"


@remembered
def _is_guarded(path: str) -> bool:
    """Whether a path outside the root is guarded by its text alone."""
    return Path(path).name in _HOLDERS or names(GUARDED_PATTERNS, path[1:])


def _is_above_root(path: str, place: Place) -> bool:
    return place.root is not None and _relative(place.root, path, place.disk) is not None


def _relative(path: str, folder: str, disk: Disk) -> str | None:
    """The path below the folder, whichever link either was reached through; None: not below."""
    folder = os.path.normpath(folder)
    below = _below(path, folder)
    if below is not None or len(path) > LONGEST:
        return below
    real = disk.real(folder)
    if disk.straight(path):
        return _below(path, real)
    for above in _upwards(path):
        if (_named_as(above, real) or _is_link(above)) and disk.real(above) == real:
            return os.path.relpath(path, above)
    return None


def _below(path: str, folder: str) -> str | None:
    """The path below the folder by their texts, both normalised; None: not below."""
    stem = folder.rstrip(os.sep) + os.sep
    if path == folder:
        return os.curdir
    return path[len(stem) :].lstrip(os.sep) or os.curdir if path.startswith(stem) else None


def _named_as(path: str, other: str) -> bool:
    return path.rpartition("/")[2] == other.rpartition("/")[2]


def _is_link(path: str) -> bool:
    """Whether a path is a link; what cannot be looked at (a name too long, no right) is none."""
    return os.path.islink(path)  # noqa: PTH114  # Path.is_symlink raises on both


def _upwards(path: str) -> Iterator[str]:
    """A path, and every folder above it but the topmost."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def closed(path: str, place: Place) -> bool:
    """Whether a name leads to a test or guarded path; the root and what holds it are neither."""
    return any(
        target.zone in ("test", "guarded") and not holds_root(target.path, place)
        for target in targets((path,), place)
    )


def holds_root(path: str, place: Place) -> bool:
    """Whether a path is the project root, or lies above it."""
    return path == "." or _is_above_root(path, place)
