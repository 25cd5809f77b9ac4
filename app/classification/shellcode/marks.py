"""Signs that stand in a word for what the shell puts there; no line may hold them itself.

HOLE    any text: a variable from outside, what a command prints
NEAR    the same, and it may name a test or guarded path
STAR    any text without a slash: `*`, a number that is computed
ONE     one character: `?`, `[ab]`
DEEP    `**`: any folders
OPEN, COMMA, CLOSE   braces that are expanded
GAP     where one word becomes two: a blank in a variable that is not quoted

HOLE twice is any number of words, none as well: a variable that is not quoted.
"""

from __future__ import annotations

import re
from typing import Final

HOLE: Final = "\x01"
NEAR: Final = "\x02"
STAR: Final = "\x03"
ONE: Final = "\x04"
OPEN: Final = "\x05"
COMMA: Final = "\x06"
CLOSE: Final = "\x07"
GAP: Final = "\x08"
VANISHING: Final = HOLE + HOLE
DEEP: Final = STAR + STAR
MASK: Final = 0x7F  # what the parser sees for each byte of a character that is no ASCII
ANY: Final = re.compile("[\x00-\x08\x7f]")
UNSAID: Final = re.compile(f"[{HOLE}{NEAR}]")  # what nobody can tell from the line
PATTERN: Final = re.compile(f"[{STAR}{ONE}]")  # what the file system can tell
_HOLES: Final = re.compile(f"{HOLE}+")
_BRACES: Final = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}"})
_SHOWN: Final = str.maketrans({HOLE: "$", NEAR: "$", STAR: "*", ONE: "?", GAP: " "})
_ACTIVE: Final = str.maketrans(
    {HOLE: VANISHING, "*": STAR, "?": ONE, " ": GAP, "\t": GAP, "\n": GAP}
)


def literal(word: str) -> bool:
    """Whether a word is known to the letter."""
    return ANY.search(word) is None


def vanishes(word: str) -> bool:
    """Whether a word may be no word at all."""
    return len(word) > 1 and not word.strip(HOLE)


def unbraced(word: str) -> str:
    """A word whose braces expand to nothing, with the braces as they were written."""
    return word.translate(_BRACES)


def shown(word: str) -> str:
    """A word as a person would write it."""
    return _HOLES.sub("$", unbraced(word)).translate(_SHOWN)


def unquoted(value: str) -> str:
    """A variable's value as the shell goes on with it outside quotes."""
    return value.translate(_ACTIVE)
