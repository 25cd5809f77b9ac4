"""A settings file of a harness on disk: followed to where it really is, changed in one step.

The backup beside it holds the file as it would be without floorboss, with the mode that it had.
Its name is like a settings file's, so that no agent under floorboss may write it either.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Final

from app.cli.exits import CLOSED, fail
from app.domain.tables import plain
from app.service.private_files import FOLDER, UnsafePathError, write_private

PRIVATE: Final = 0o600  # of a file that holds a token


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file's text, with its line ends as they are, and its mode."""

    text: str
    mode: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    """One settings file; `path` is the real one, behind all links."""

    path: Path

    @property
    def backup(self) -> Path:
        """Where the file without floorboss is kept."""
        return self.path.with_name(f"{self.path.stem}.floorboss-backup{self.path.suffix}")

    def now(self) -> Kept | None:
        """The file as it is; None: there is none. One that cannot be read ends the command."""
        return _read(self.path)

    def before(self) -> Kept | None:
        """The backup, or None."""
        return _read(self.backup)

    def write(self, kept: Kept) -> None:
        """Replace the file; nobody sees a half of it."""
        _write(self.path, kept)

    def keep(self, kept: Kept) -> None:
        """Replace the backup."""
        _write(self.backup, kept)

    def remove(self) -> None:
        """Take the file away."""
        self.path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Take the backup away."""
        self.backup.unlink(missing_ok=True)


def settings_file(path: Path) -> SettingsFile:
    """The settings file that a path leads to."""
    try:
        return SettingsFile(path=path.expanduser().resolve())
    except (OSError, RuntimeError) as fault:
        fail(CLOSED, f"{path} cannot be followed: {fault}. Nothing was changed.")


def _read(path: Path) -> Kept | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as fault:
        fail(CLOSED, f"{path} cannot be read: {fault.strerror}. Nothing was changed.")
    found = os.fstat(handle)
    # A folder cannot become a file object: what is not a file is told apart before.
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        fail(CLOSED, f"{path} is not a file. Nothing was changed.")
    with os.fdopen(handle, "rb") as file:
        if found.st_uid != os.geteuid():
            fail(CLOSED, f"{path} belongs to another user (uid {found.st_uid}); it is theirs.")
        try:
            return Kept(text=file.read().decode(), mode=stat.S_IMODE(found.st_mode))
        except UnicodeDecodeError:
            fail(CLOSED, f"{path} is not UTF-8. Nothing was changed.")


def _write(path: Path, kept: Kept) -> None:
    try:
        path.parent.mkdir(mode=FOLDER, parents=True, exist_ok=True)
        write_private(path, kept.text.encode(), kept.mode)
    except UnsafePathError as fault:
        fail(CLOSED, f"{path} cannot be written: {fault} Nothing was changed.")
    except OSError as fault:
        fail(CLOSED, f"{path} cannot be written: {fault.strerror}. Nothing was changed.")


def difference(path: Path, now: str, then: str, secret: str) -> Iterator[str]:
    """What would change, line by line, without the secret."""
    old, new = ([_shown(line, secret) for line in text.splitlines()] for text in (now, then))
    yield from unified_diff(old, new, str(path), f"{path} (then)", lineterm="")


def _shown(line: str, secret: str) -> str:
    hidden = line.replace(secret, "(the harness's token)") if secret else line
    return plain(hidden.expandtabs(4))
