"""The test files of a project as they are now: one digest, and what differs from before.

    Trees().look(root, since)   a Tree; None where nobody can look

A digest covers the path, the contents and the executable bit of every test file (testfiles.py), and
where a link leads. Contents are read again only where size, times or place of a file have changed;
the time of the latest change of any kind (ctime) cannot be set by a program. Not seen: what was
changed and changed back between two looks, and, behind a link to a folder, files that the project
has nowhere else.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from app.classification.testfiles import TooMuch, listed
from app.domain.calls import Moved

FILES: Final = 20_000  # of one project; of more there is no tree
BYTES: Final = 256 * 1024 * 1024  # in them
SECONDS: Final = 5.0  # for one look
NAMED: Final = 20  # paths that are named
LONGEST: Final = 500  # characters of one of them
ROOTS: Final = 16  # projects whose files are remembered
REMEMBERED: Final = 200_000  # files in earlier listings, of all projects together
FRESH: Final = 2_000_000_000  # nanoseconds in which a clock of a disk may show the same time twice
NOTHING: Final[Mapping[str, str]] = {}
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The test files at one time: their digest, 16 hex digits, and what moved since earlier."""

    digest: str
    moved: tuple[Moved, ...] = ()


class _Stamp(NamedTuple):
    """What tells whether a file may have changed."""

    size: int
    modified: int
    changed: int
    inode: int
    device: int


class _File(NamedTuple):
    stamp: _Stamp
    value: bytes  # its kind, and a digest of what is in it


Listing = Mapping[str, bytes]


@dataclass(slots=True)
class _Root:
    """What is remembered of one project."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    files: dict[str, _File] = field(default_factory=dict)

    def look(self, root: str) -> dict[str, _File]:
        """The test files by path, in order; what was read of too many is not read again."""
        one = _Look(root, self.files)
        try:
            one.take()
        except TooMuch:
            self.files |= one.lasting()
            raise
        self.files = one.lasting()
        return one.found


class Trees:
    """Looks at test files, from any thread, and remembers what they were."""

    def __init__(self) -> None:
        self._roots: OrderedDict[str, _Root] = OrderedDict()
        self._listings: OrderedDict[tuple[str, str], Listing] = OrderedDict()
        self._kept = 0  # files in those listings
        self._lock = threading.Lock()

    def look(self, root: str, since: Mapping[str, str] = NOTHING) -> Tree | None:
        """The test files of the project at `root`.

        `since`: the trees to compare with, each with the time of its run as the log has it. None:
        the folder is not on this machine, or it holds more than FILES, BYTES or SECONDS allow.
        """
        if not root.startswith("/"):
            return None
        known = self._root(root)
        try:
            with known.lock:
                files = known.look(root)
        except (TooMuch, OSError, ValueError):  # a NUL byte, half a character
            return None
        return self._tree(root, files, since)

    def _root(self, root: str) -> _Root:
        with self._lock:
            known = self._roots.setdefault(root, _Root())
            self._roots.move_to_end(root)
            if len(self._roots) > ROOTS:
                self._roots.popitem(last=False)
            return known

    def _tree(self, root: str, files: Mapping[str, _File], since: Mapping[str, str]) -> Tree:
        listing = {path: file.value for path, file in files.items()}
        digest = _digest(listing)
        moved = tuple(
            _moved(tree, self._paths(root, tree, at, listing, files))
            for tree, at in since.items()
            if tree != digest
        )
        self._keep((root, digest), listing)
        return Tree(digest=digest, moved=moved)

    def _paths(
        self, root: str, tree: str, at: str, now: Listing, files: Mapping[str, _File]
    ) -> list[str]:
        """The paths that differ; after a restart, those that changed since that run."""
        with self._lock:
            then = self._listings.get((root, tree))
            if then is not None:
                self._listings.move_to_end((root, tree))
        if then is None:
            moment = _nanoseconds(at)
            return [path for path, file in files.items() if file.stamp.changed > moment]
        return sorted({path for path, _ in then.items() ^ now.items()})

    def _keep(self, name: tuple[str, str], listing: Listing) -> None:
        with self._lock:
            if name not in self._listings:
                self._listings[name] = listing
                self._kept += len(listing)
            self._listings.move_to_end(name)
            while self._kept > REMEMBERED and len(self._listings) > 1:
                _, gone = self._listings.popitem(last=False)
                self._kept -= len(gone)


def _digest(listing: Listing) -> str:
    whole = sha256()
    for path, value in listing.items():
        whole.update(os.fsencode(path) + b"\0" + value)
    return whole.hexdigest()[:16]


def _moved(tree: str, paths: Iterable[str]) -> Moved:
    named = [os.fsencode(path).decode("utf-8", "backslashreplace")[:LONGEST] for path in paths]
    return Moved(since=tree, count=len(named), paths=tuple(named[:NAMED]))


def _nanoseconds(at: str) -> int:
    try:
        return int(datetime.fromisoformat(at).timestamp() * 1_000_000_000)
    except ValueError:
        return 0


class _Look:
    """One look at a project, within its bounds."""

    def __init__(self, root: str, known: Mapping[str, _File]) -> None:
        self._root, self._known = root, known
        self._until = time.monotonic() + SECONDS
        self._stable = time.time_ns() - FRESH  # what changed later may change again unnoticed
        self._bytes = 0
        self.found: dict[str, _File] = {}

    def take(self) -> None:
        """Look at each test file; what is not to be remembered has no inode."""
        paths = listed(self._root, self._until)
        if len(paths) > FILES:
            raise TooMuch
        for path in paths:
            file = self._file(path)
            if file is not None:
                self.found[path] = file

    def lasting(self) -> dict[str, _File]:
        """What need not be read again while its stamp is the same."""
        return {path: file for path, file in self.found.items() if file.stamp.inode}

    def _file(self, path: str) -> _File | None:
        full = f"{self._root}/{path}"
        try:
            status = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return None
        kind = stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFLNK:
            return self._link(full, status)
        if kind != stat.S_IFREG:
            return _File(_stamp(status), b"other" + bytes(32))
        self._weigh(status.st_size)
        stamp, known = _stamp(status), self._known.get(path)
        if known is not None and known.stamp == stamp:
            return known._replace(value=_kind(status) + known.value[1:])
        value = _kind(status) + self._contents(full)
        stable = stamp.changed < self._stable
        return _File(stamp if stable else stamp._replace(inode=0), value)

    def _link(self, full: str, status: os.stat_result) -> _File:
        """Where a link leads; behind one to a file, also what is in it."""
        where = sha256(os.fsencode(Path(full).readlink()))
        try:
            behind = Path(full).stat()
        except OSError:
            behind = None
        if behind is not None and stat.S_ISREG(behind.st_mode):
            self._weigh(behind.st_size)
            where.update(self._contents(full))
        return _File(_stamp(status)._replace(inode=0), b"l" + where.digest())

    def _weigh(self, size: int) -> None:
        self._bytes += size
        if self._bytes > BYTES or time.monotonic() > self._until:
            raise TooMuch

    def _contents(self, full: str) -> bytes:
        """A digest of what is in a file; zeroes where it cannot be read."""
        whole = sha256()
        try:
            handle = os.open(full, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # of a pipe as well
        except OSError:
            return bytes(32)
        try:
            while chunk := os.read(handle, _CHUNK):
                self._weigh(0)
                whole.update(chunk)
        except OSError:
            return bytes(32)
        finally:
            os.close(handle)
        return whole.digest()


def _kind(status: os.stat_result) -> bytes:
    return b"x" if status.st_mode & stat.S_IXUSR else b"-"


def _stamp(status: os.stat_result) -> _Stamp:
    return _Stamp(
        status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev
    )
