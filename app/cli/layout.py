"""Lines that fit a terminal of 80 columns, whatever width their signs have.

A quoted name stays on one line where it fits on any, so that nobody's name begins a line of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.domain.inert import width

COLUMNS: Final = 80
NAMES: Final = re.compile(r'"(?:[^"\\]|\\.){0,80}"')
KEPT: Final = "\0"  # a blank inside a name; no inert text holds one


def wrapped(text: str, first: str = "", rest: str | None = None) -> Iterator[str]:
    """An inert text in lines of at most 80 columns, broken at blanks, else anywhere.

    `first` stands before the first line, `rest` before the others; None: as many blanks.
    """
    before = first
    after = " " * width(first) if rest is None else rest
    line = ""
    for kept in NAMES.sub(lambda name: name[0].replace(" ", KEPT), text).split(" "):
        word = kept.replace(KEPT, " ")
        room = COLUMNS - width(before)
        if line and width(line) + 1 + width(word) > room:
            yield f"{before}{line}"
            before, line, room = after, "", COLUMNS - width(after)
        line = f"{line} {word}" if line else word
        while width(line) > room:
            head = _head(line, room)
            yield f"{before}{head}"
            before, line, room = after, line[len(head) :], COLUMNS - width(after)
    yield f"{before}{line}".rstrip()


def _head(text: str, room: int) -> str:
    """As much of a text as fits into `room` columns; at least one sign."""
    end = 1
    while end < len(text) and width(text[: end + 1]) <= room:
        end += 1
    return text[:end]
