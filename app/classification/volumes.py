"""Whether a volume takes `Tests` and `tests` for one name, and how names are compared on one.

folds(folder)    whether names below a folder are compared without case
folded(name)     a name as such a volume compares it: neither case nor composition counts
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

MAY_FOLD_HOMES: Final = os.uname().sysname != "Linux"  # asking each time would cost more
LOOKED_AT: Final = 100  # entries of a folder among which one with letters is looked for


class _UndecidedError(Exception):
    """Nothing in a folder tells; another moment may."""


def folds(folder: str) -> bool:
    """Whether names below a folder are compared without case; False where nobody can tell."""
    try:
        return _folds(folder)
    except (_UndecidedError, OSError, ValueError):
        return False


@lru_cache(256)  # a volume does not change its ways; what raised is asked again
def _folds(folder: str) -> bool:
    for path in _with_letters(folder):
        swapped = f"{path.rpartition('/')[0]}/{path.rpartition('/')[2].swapcase()}"
        try:
            other = os.lstat(swapped)
        except OSError:
            return False
        return os.path.samestat(os.lstat(path), other) and not _is_listed(swapped)
    raise _UndecidedError


def _with_letters(folder: str) -> Iterator[str]:
    """What lies in a folder and has a letter in its name, else the folder itself."""
    with os.scandir(folder) as entries:
        for entry, _ in zip(entries, range(LOOKED_AT), strict=False):
            if entry.name.swapcase() != entry.name:
                yield entry.path
    if folder.rpartition("/")[2].swapcase() != folder.rpartition("/")[2]:
        yield folder


def _is_listed(path: str) -> bool:
    """Whether a name is an entry of its own: two hard links are no sign of anything."""
    folder, _, name = path.rpartition("/")
    with os.scandir(folder or "/") as entries:
        return any(entry.name == name for entry in entries)


def folded(name: str) -> str:
    """A name or path as a volume compares it that folds case (Unicode's caseless matching)."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
