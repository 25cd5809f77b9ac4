"""Texts that a model proposes, each in a file of its own for a person to read.

A file is named after its entry, and by nothing that the model said. It is made anew or not at all:
never through a link, never over a file that is there, never elsewhere than in its folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from app.service.private_files import private_folder

SUFFIX: Final = ".md"
KINDS: Final = ("instruction", "skill")
FILE: Final = 0o600
FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write(folder: Path, seq: int, kind: str, title: str, text: str) -> None:
    """Write one text; raises OSError, also where the file is there already."""
    name = f"{seq}-{KINDS[KINDS.index(kind)]}{SUFFIX}"
    place = os.open(private_folder(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        handle = os.open(name, FLAGS, FILE, dir_fd=place)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_page(seq, kind, title, text))
    finally:
        os.close(place)


def _page(seq: int, kind: str, title: str, text: str) -> str:
    """The text below a line that says whose it is."""
    origin = (
        f"<!-- {kind} proposed by a model: floorboss show {seq}. Nothing reads this but you. -->"
    )
    return f"{origin}\n\n# {title}\n\n{text.rstrip()}\n"
