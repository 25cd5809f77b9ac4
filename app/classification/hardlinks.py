"""Files with several names: what is written by one name is written by all of them.

Where a written file has more than one, the others are looked for in the project and among
floorboss's own files, and those that are found are targets as well. Names that lie elsewhere
nobody can list: a file that has one is not vouched for.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.classification.paths import Place, target_at
from app.classification.shellcode.found import Effects
from app.classification.shellcode.tree import Entries, TooManyError, is_passed_over
from app.domain.calls import Target

ENTRIES: Final = 5_000  # entries of the project that are looked at for other names
_GIT_LARGE: Final = frozenset({"logs", "objects", "refs"})  # of `.git`; nothing in them is guarded
_SHOWN: Final = 100  # characters of a file's name in the part that is handed on


def by_all_names(does: Effects, place: Place) -> Effects:
    """The effects with every name of the written files among the targets, and whether some miss."""
    written = _shared(does.targets, place) if does.targets and place.disk.seen else None
    if not written:
        return does
    wanted = {found.st_ino for found in written.values()}
    names = tuple(_named(wanted, place))
    targets = (*does.targets, *(target_at(name, place) for name, _ in names))
    does = replace(does, targets=tuple(dict.fromkeys(targets)))
    for path, found in written.items():
        known = {path, *(name for name, other in names if os.path.samestat(found, other))}
        if len(known) < found.st_nlink:
            return _unvouched(does, target_at(path, place).path, found.st_nlink)
    return does


def _shared(targets: tuple[Target, ...], place: Place) -> dict[str, os.stat_result]:
    """The regular files among the targets that have more than one name, as the disk has them."""
    shared = {}
    for target in targets:
        path = target.path
        if not path.startswith("/"):
            if place.root is None:
                continue
            path = f"{place.root}/{path}"
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            continue
        if found.st_nlink > 1 and stat.S_ISREG(found.st_mode):
            shared[path] = found
    return shared


def _unvouched(does: Effects, path: str, count: int) -> Effects:
    part = f"{path[-_SHOWN:]} ({count} names on the disk)"
    effects = tuple(dict.fromkeys((*does.effects, "unknown_closed")))
    return replace(does, effects=effects, part=does.part or part)


def _named(wanted: set[int], place: Place) -> Iterator[tuple[str, os.stat_result]]:
    """The files with these numbers in the project and among floorboss's own."""
    entries = Entries(left=ENTRIES)
    try:
        for folder in filter(None, (*place.own, place.root)):
            for entry in _files(folder, entries):
                if entry.inode() in wanted:
                    yield entry.path, entry.stat(follow_symlinks=False)
    except (TooManyError, OSError):
        return


def _files(top: str, entries: Entries) -> Iterator[os.DirEntry[str]]:
    """The entries below a folder, dependencies and what is git's alone aside."""
    waiting = [top]
    while waiting:
        for entry in entries.of(waiting.pop(0)):
            yield entry
            if _is_entered(entry):
                waiting.append(entry.path)


def _is_entered(entry: os.DirEntry[str]) -> bool:
    if not entry.is_dir(follow_symlinks=False) or is_passed_over(entry.name):
        return False
    return entry.name not in _GIT_LARGE or "/.git/" not in f"{entry.path}/"
