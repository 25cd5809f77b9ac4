"""Which settings of variables are harmless: by the variable's name, or by what it is set to."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from app.classification.shellcode.marks import UNSAID
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.tables import BENDING, HARMLESS

_TOOLS: Final = ("venv/bin", "node_modules/.bin", "vendor/bin")


@lru_cache(1024)
def bends(name: str) -> bool:
    """Whether other programs run or load something else by a variable of this name."""
    return any(fnmatchcase(name, pattern) for pattern in BENDING)


def is_harmless(name: str, values: Words, state: State) -> bool:
    """Whether setting a variable to one of these values leaves every command what it is."""
    if not bends(name):
        return True
    if name == "PATH":
        return all(_is_safe_path(value, state) for value in values)
    known = HARMLESS.get(name)
    return known is not None and all(known.fullmatch(value) for value in values)


def _is_safe_path(value: str, state: State) -> bool:
    """Whether PATH keeps what it had, and gains only folders that no agent fills."""
    own = state.value("PATH")
    return all(part in own or _is_safe_folder(part, state) for part in value.split(":"))


def _is_safe_folder(folder: str, state: State) -> bool:
    folder = state.place.home + folder[1:] if folder.startswith("~/") else folder
    if UNSAID.search(folder.strip("/")) or not folder.startswith("/"):
        return folder.rstrip("/").endswith(_TOOLS)
    zones = {target.zone for target in state.disk.targets(folder)}
    return zones == {"outside"} or folder.rstrip("/").endswith(_TOOLS)
