"""Where a path really is, by its text and on the disk, sorted into zones (docs/design.md 4).

    guarded > inside the root: test > project  > given > temporary > outside

If the text and the disk disagree (a symlink), both places are targets and the worst one decides.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.classification.disk import Disk, is_link, upwards
from app.classification.remembering import remembered
from app.classification.volumes import folded
from app.domain.calls import Target, Zone
from app.domain.patterns import GUARDED_PATTERNS, names, zone_inside

TEMPORARY: tuple[str, ...] = tuple(
    # The last two are what macOS calls the first two.
    sorted({"/tmp", "/var/tmp", tempfile.gettempdir(), "/private/tmp", "/private/var/tmp"})
)
LONGEST = 4096  # characters of a path that is looked up on the disk; no system takes more
# Folders whose own loss would take settings along: they may be filled, not moved or removed.
_HOLDERS = frozenset({".git", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".copilot"})


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

    @property
    def folds(self) -> bool:
        """Whether the project lies where names are compared without case."""
        return self.root is not None and self.disk.folds(self.root)

    @property
    def folds_outside(self) -> bool:
        """The same of what lies outside it, as far as that matters: of the home folder, too."""
        return self.folds or self.disk.home_folds()


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
    yield target_at(text, place)
    if len(text) > LONGEST or "\0" in text:  # no disk can hold it: only the text counts
        return
    try:
        normal = joined == text or len(joined) > LONGEST
        real = place.disk.real(text) if normal else place.disk.led(joined)
    except ValueError:  # half a character: the same
        return
    if real != text:
        yield target_at(real, place)


def _without_root(path: str) -> Target:
    """A relative path of a session that never said where it works."""
    path = os.path.normpath(path)
    if path == os.pardir or path.startswith(os.pardir + os.sep):
        return Target(path=path, zone="guarded" if names(GUARDED_PATTERNS, path) else "outside")
    return Target(path=path, zone=_zone_inside(path))


def target_at(path: str, place: Place) -> Target:
    """A normalised absolute path as a target, by its text alone."""
    inside = None if place.root is None else _relative(path, place.root, place)
    if any(_relative(path, own, place) is not None for own in place.own):
        return Target(path=path if inside is None else inside, zone="guarded")
    if inside is None or place.root is None:
        return Target(path=path, zone=_zone_outside(path, place))
    if place.folds:
        inside = place.disk.spelled(inside, place.root)
    return Target(path=inside, zone=inside_zone(inside, place))


def inside_zone(path: str, place: Place) -> Zone:
    """The zone of a path relative to the root and inside it."""
    return _zone_inside(folded(path) if place.folds else path)


@remembered
def _zone_inside(path: str) -> Zone:
    """As patterns.zone_inside; the root and the harnesses' folders as such hold guarded paths."""
    if path == os.curdir or Path(path).name in _HOLDERS:
        return "guarded"
    return zone_inside(path)


def _zone_outside(path: str, place: Place) -> Zone:
    text = folded(path) if place.folds_outside else path
    if _is_guarded(text) or _is_above_root(path, place):
        return "guarded"
    if any(_relative(path, folder, place) is not None for folder in place.given):
        return "given"
    if any(_relative(path, folder, place) is not None for folder in TEMPORARY):
        return "temporary"
    return "outside"


@remembered
def _is_guarded(path: str) -> bool:
    """Whether a path outside the root is guarded by its text alone."""
    return Path(path).name in _HOLDERS or names(GUARDED_PATTERNS, path[1:])


def _is_above_root(path: str, place: Place) -> bool:
    return place.root is not None and _relative(place.root, path, place) is not None


def _relative(path: str, folder: str, place: Place) -> str | None:
    """The path below the folder, whichever link either was reached through; None: not below."""
    folder, disk = os.path.normpath(folder), place.disk
    below = _below(path, folder)
    if below is not None or len(path) > LONGEST:
        return below
    real = disk.real(folder)
    if place.folds_outside and (below := _below_folded(path, folder, real)) is not None:
        return below
    if disk.straight(path):
        return _below(path, real) if real != folder else None
    for above in upwards(path):
        if (_named_as(above, real) or is_link(above)) and disk.real(above) == real:
            return os.path.relpath(path, above)
    return None


def _below(path: str, folder: str) -> str | None:
    """The path below the folder by their texts, both normalised; None: not below."""
    stem = folder.rstrip(os.sep) + os.sep
    if path == folder:
        return os.curdir
    return path[len(stem) :].lstrip(os.sep) or os.curdir if path.startswith(stem) else None


def _below_folded(path: str, *folders: str) -> str | None:
    """The path below the first of the folders that holds it, where names are compared folded."""
    parts = path.split("/")
    for folder in folders:
        above = folder.rstrip("/").split("/")
        if list(map(folded, parts[: len(above)])) == list(map(folded, above)):
            return "/".join(parts[len(above) :]).lstrip("/") or os.curdir
    return None


def _named_as(path: str, other: str) -> bool:
    return path.rpartition("/")[2] == other.rpartition("/")[2]


def closed(path: str, place: Place) -> bool:
    """Whether a name leads to a test or guarded path; the root and what holds it are neither."""
    return any(
        target.zone in ("test", "guarded") and not holds_root(target.path, place)
        for target in targets((path,), place)
    )


def holds_root(path: str, place: Place) -> bool:
    """Whether a path is the project root, or lies above it."""
    return path == "." or _is_above_root(path, place)
