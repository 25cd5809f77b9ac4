"""What a line typed at the operator's console means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.domain.decisions import Verb
from app.domain.tables import plain

LONGEST: Final = 16  # digits of a seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide:
    """A decision about one entry; None: yes, by the verb that is the right one."""

    verb: Verb | None
    seq: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Show what waits."""


@dataclass(frozen=True, slots=True)
class Help:
    """Explain the letters."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End the daemon."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing that the console knows."""

    text: str


Typed: TypeAlias = Decide | Overview | Help | Quit | Unclear | None  # None: an empty line
DECISIONS: Final[Mapping[str, Verb | None]] = {"a": None, "d": "dismiss", "r": "revert"}
ALONE: Final[Mapping[str, Typed]] = {"s": Overview(), "?": Help(), "h": Help(), "q": Quit()}


def typed(line: str) -> Typed:
    """What one line asks for; blanks and the case of letters do not matter."""
    match line.lower().split():
        case []:
            return None
        case [letter] if letter in ALONE:
            return ALONE[letter]
        case [letter, seq] if letter in DECISIONS and _is_seq(seq):
            return Decide(verb=DECISIONS[letter], seq=int(seq))
        case _:
            return Unclear(plain(line.strip())[:40])


def _is_seq(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST
