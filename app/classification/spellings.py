"""What the text of a path may mean to the tool that is handed it.

A tool may decode an address, trim blanks, or take a backslash for a slash. Where one may, each
reading is a path, and the worst of them decides. A shell does none of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_ADDRESS: Final = re.compile(r"\s*file:(?://(?:localhost(?=/))?)?", re.IGNORECASE)
_DRIVE: Final = re.compile(r"[A-Za-z]:/")
_TELLING: Final = re.compile(r"^\s|^[Ff][Ii][Ll][Ee]:|\\|^[A-Za-z]:/|\s$")


def spellings(text: str) -> Iterator[str]:
    """The paths that one argument may name: as it stands, and as a tool may read it.

    What follows `file:` counts as it stands and decoded; a path on a drive lies outside the root.
    """
    if _TELLING.search(text) is None:
        yield text
        return
    found = _ADDRESS.match(text)
    rest = text[found.end() :] if found else text
    decoded = unquote(rest, errors="surrogateescape") if found else rest
    for path in dict.fromkeys((rest, decoded, decoded.strip())):
        yield from filter(None, (path, *_slashed(path)))


def folder(cwd: str) -> str:
    """A working folder as its paths are spelled: one on a drive begins with a slash, too."""
    slashed = cwd.replace("\\", "/")
    return f"/{slashed}" if _DRIVE.match(slashed) else cwd


def _slashed(path: str) -> Iterator[str]:
    """A path with slashes for backslashes, where it has any or begins with a drive."""
    slashed = path.replace("\\", "/")
    if _DRIVE.match(slashed):
        yield f"/{slashed}"
    if slashed != path:
        yield slashed
