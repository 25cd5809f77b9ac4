"""Files that only their owner may read: written whole or not at all, never through a link.

Whatever is found in their place that is not a regular file of the same user with mode 0600 is
refused at start: someone put it there, or someone else could have read it.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import Final

FILE: Final = 0o600
FOLDER: Final = 0o700
LARGEST: Final = 1 << 20  # bytes


class UnsafePathError(Exception):
    """Something in the state folder is not as floorboss would have made it; the text says what."""


def private_folder(path: Path) -> Path:
    """`path`, made with its parents where missing, and closed to everyone else (0700)."""
    missing = [part for part in (path, *path.parents) if not os.path.lexists(part)]
    for part in reversed(missing):
        part.mkdir(mode=FOLDER, exist_ok=True)
    handle = _open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _check_owner(path, os.fstat(handle))
        os.fchmod(handle, FOLDER)
    finally:
        os.close(handle)
    return path


def read_private(path: Path) -> bytes | None:
    """The content of a private file, or None where there is no such file."""
    if not os.path.lexists(path):
        return None
    handle = _open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        _check(path, os.fstat(handle))
        return file.read(LARGEST)


def write_private(path: Path, content: bytes, mode: int = FILE) -> None:
    """Replace `path` by `content` in one step that survives a loss of power.

    `mode` is for a file of somebody else's making, which may be open to others.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = _open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, mode)
            file.write(content)
            file.flush()
            os.fsync(handle)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, FILE)
    except OSError as error:
        raise UnsafePathError(_why_not(path, error)) from error


def _why_not(path: Path, error: OSError) -> str:
    if path.is_symlink():
        return f"{path} is a symbolic link; floorboss does not follow one. Remove it."
    return f"{path} cannot be opened: {error.strerror}."


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnsafePathError(f"{path} is not a regular file. Remove it.")
    _check_owner(path, found)
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise UnsafePathError(
            f"{path} is open to other users, who may have read it. Remove it, and start again."
        )


def _check_owner(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise UnsafePathError(f"{path} belongs to another user (uid {found.st_uid}).")


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
