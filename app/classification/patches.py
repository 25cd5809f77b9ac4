"""The files that a patch names in its headers."""

from __future__ import annotations

import re
from typing import Final

BEGINNING: Final = "*** Begin Patch"
# As patches are read, and somewhat beyond: no blank, no capital and no missing blank hides one.
_HEADER: Final = re.compile(
    r"^[^\S\n]*\*\*\*[^\S\n]*(?:(?:Add|Update|Delete)[^\S\n]+File|Move[^\S\n]+to)[^\S\n]*:(.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_DIFF: Final = re.compile(r"^(?:---|\+\+\+|Index:) (?:[ab]/)?([^\t\r\n]+)", re.MULTILINE)
_RENAMED: Final = re.compile(r"^(?:rename|copy) (?:from|to) ([^\t\r\n]+)", re.MULTILINE)


def headers(patch: str) -> tuple[str, ...]:
    """The files of a patch for apply_patch."""
    return _named_by(_HEADER, patch)


def diffed(patch: str) -> tuple[str, ...]:
    """The files of a diff."""
    return (*_named_by(_DIFF, patch), *_named_by(_RENAMED, patch))


def _named_by(header: re.Pattern[str], text: str) -> tuple[str, ...]:
    named = (name.strip().strip('"') for name in header.findall(text))
    return tuple(name for name in named if name not in ("", "/dev/null"))
