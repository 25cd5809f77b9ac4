"""Braces that expand: `a{b,c}d` is `abd acd`, `a{1..3}` is any of some names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.classification.shellcode.marks import CLOSE, COMMA, HOLE, OPEN, STAR, unbraced

_SEQUENCE: Final = re.compile(r"-?\w+\.\.-?\w+(?:\.\.-?\d+)?")
_INNERMOST: Final = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}")


def braced(word: str, most: int) -> tuple[str, ...]:
    """The words that a word with braces becomes; unsaid where there are too many."""
    if OPEN not in word:
        return (word,)
    words = [word]
    while any(_INNERMOST.search(text) for text in words):
        words = [part for text in words for part in _once(text)]
        if len(words) > most:
            return (HOLE,)
    return tuple(words)


def _once(word: str) -> Iterator[str]:
    """A word with its innermost braces expanded; those around them follow."""
    found = _INNERMOST.search(word)
    if found is None:
        yield word
        return
    before, inner, behind = word[: found.start()], found[1], word[found.end() :]
    if COMMA in inner:
        yield from (f"{before}{part}{behind}" for part in inner.split(COMMA))
    elif _SEQUENCE.fullmatch(inner):
        yield f"{before}{STAR}{behind}"
    else:
        yield f"{before}{unbraced(OPEN + inner + CLOSE)}{behind}"
