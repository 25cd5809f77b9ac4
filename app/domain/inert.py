"""Text that cannot do anything to what shows it, and how wide it is there.

Control and format characters (escape sequences, bidi overrides, zero-width signs) become their
escapes; so does a mark that would be the third on one letter, as piles of them cover other lines,
and a letter that looks like nothing.
"""

from __future__ import annotations

import unicodedata
from typing import Final

MARKS: Final = 2  # combining marks on one letter; no living language needs more in a name
BLANKS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs without a picture
_WIDE: Final = frozenset("WF")  # East Asian wide and full width: two columns each


def inert(text: str) -> str:
    """A text without anything that could rewrite what a person reads."""
    if text.isascii() and text.isprintable():
        return text
    found: list[str] = []
    marks = 0
    for sign in text:
        marks = marks + 1 if _mark(sign) else 0
        found.append(sign if _shown(sign) and marks <= MARKS else escaped(sign))
    return "".join(found)


def escaped(sign: str) -> str:
    """One character as its escape."""
    return sign.encode("unicode_escape", "backslashreplace").decode("ascii")


def width(text: str) -> int:
    """The columns that an inert text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def padded(text: str, columns: int) -> str:
    """A text with blanks up to a width in columns."""
    return text + " " * (columns - width(text))


def _shown(sign: str) -> bool:
    return sign.isprintable() and sign not in BLANKS


def _mark(sign: str) -> bool:
    return unicodedata.category(sign) in ("Mn", "Me")


def _columns(sign: str) -> int:
    if _mark(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in _WIDE else 1
