"""What an edit removes and adds, as digests: enough to see that it was made before, or undone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.classification.arguments import digest, identifying, path_of
from app.domain.events import Json

_PATCH_FILE = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_DIFF_FILE = re.compile(r"^\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_REMOVED = ("old_string", "old_str", "oldText")
_ADDED = ("new_string", "new_str", "newText")
_WHOLE = ("content", "file_text", "new_source", "source")
_PATCHES = ("input", "patch", "diff", "patchText")
_UNDO = ("undo_edit", "undo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One edit: its path, its digest, and the digest of the edit that would take it back."""

    path: str | None
    edit: str
    reverse: str | None = None


def edit_of(arguments: Mapping[str, Json], patch: str | None = None) -> Edit:
    """What the arguments of an edit, or a patch in a shell line, change."""
    patch = patch if patch is not None else _first(arguments, _PATCHES)
    if patch is not None:
        return _patched(patch, path_of(arguments))
    path = path_of(arguments)
    removed, added = _first(arguments, _REMOVED), _first(arguments, _ADDED)
    if removed is not None and added is not None:
        return _swap(path, removed, added)
    whole = _first(arguments, _WHOLE)
    if whole is not None and removed is None:
        return Edit(path=path, edit=digest("whole", path or "", identifying(arguments)))
    return Edit(path=path, edit=digest("edit", path or "", identifying(arguments)))


def undoes(arguments: Mapping[str, Json]) -> bool:
    """Whether a multi-command editor was asked to take its last edit back."""
    return arguments.get("command") in _UNDO


def _swap(path: str | None, removed: str, added: str) -> Edit:
    return Edit(
        path=path,
        edit=digest("swap", path or "", removed, added),
        reverse=digest("swap", path or "", added, removed),
    )


def _patched(patch: str, path: str | None) -> Edit:
    found = _PATCH_FILE.search(patch) or _DIFF_FILE.search(patch)
    lines = patch.splitlines()
    removed = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
    added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
    return _swap(found.group(1).strip() if found else path, "\n".join(removed), "\n".join(added))


def _first(arguments: Mapping[str, Json], names: tuple[str, ...]) -> str | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            return value
    return None
