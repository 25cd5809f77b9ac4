"""The file system as one line sees it: each place is looked up once, and not too many of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar, cast

from app.classification.paths import Place, targets
from app.classification.shellcode import tree
from app.classification.shellcode.found import TooMuchError
from app.domain.calls import Target

LOOKUPS: Final = 120  # places of one line that are looked up
_T = TypeVar("_T")


@dataclass(slots=True)
class Disk:
    """What has been looked up for one line so far."""

    place: Place
    entries: tree.Entries = field(default_factory=tree.Entries)
    known: dict[tuple[str, str], object] = field(default_factory=dict)
    lookups: int = 0

    def targets(self, path: str) -> tuple[Target, ...]:
        """Every place that a path names; raises TooMuchError where the line names too many."""
        return self._once("targets", path, self._looked_up)

    def below(self, folder: str) -> tuple[str, ...] | None:
        """The tests and guarded paths below a folder; None: nobody can tell."""
        return self._once("below", folder, self._below)

    def matching(self, pattern: str) -> tuple[str, ...] | None:
        """The paths that a pattern matches; None: nobody can tell."""
        return self._once("matching", pattern, self._matching)

    def found(self, folder: str, name: str) -> tuple[str, ...] | None:
        """What `find` finds below a folder by its name; None: nobody can tell."""
        return self._once("found", f"{folder}\0{name}", self._found)

    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder now."""
        return self._once("folder", path, self._is_folder)

    def is_file(self, path: str) -> bool:
        """Whether a path is a file now."""
        return self._once("file", path, self._is_file)

    def _once(self, kind: str, name: str, look: Callable[[str], _T]) -> _T:
        key = (kind, name)
        if key not in self.known:
            self.known[key] = look(name)
        return cast(_T, self.known[key])

    def _looked_up(self, path: str) -> tuple[Target, ...]:
        self.lookups += 1
        if self.lookups > LOOKUPS:
            raise TooMuchError
        return targets((path,), self.place)

    def _is_folder(self, path: str) -> bool:
        if not self.place.disk.seen:
            return path in (".", "..")
        return tree.is_folder(path, self.place)

    def _is_file(self, path: str) -> bool:
        return self.place.disk.seen and tree.is_there(path, self.place)

    def _below(self, folder: str) -> tuple[str, ...] | None:
        if not self.place.disk.seen:
            return ()
        try:
            return tree.below(folder, self.place, self.entries)
        except tree.TooManyError:
            return None

    def _matching(self, pattern: str) -> tuple[str, ...] | None:
        if not self.place.disk.seen:
            return ()
        try:
            return tree.matching(pattern, self.place, self.entries)
        except tree.TooManyError:
            return None

    def _found(self, key: str) -> tuple[str, ...] | None:
        try:
            folder, _, name = key.rpartition("\0")
            if not self.place.disk.seen:
                return None if tree.may_name(f"{folder}/{name}") else ()
            return tree.found_below(folder, name, self.place, self.entries)
        except tree.TooManyError:
            return None
