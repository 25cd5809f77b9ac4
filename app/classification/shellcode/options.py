"""A program's arguments, told apart: options by the letters and words its table lists, operands.

An option that is not listed, or a word that may be one, makes the whole unknown (`None`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from app.classification.shellcode.marks import HOLE, NEAR
from app.classification.shellcode.state import Words

_UNSAID: Final = (HOLE, NEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Options by name with their values (a flag has none), and the operands in order."""

    options: tuple[tuple[str, str], ...] = ()
    operands: Words = field(default=())

    def has(self, names: frozenset[str]) -> bool:
        """Whether one of these options is set."""
        return any(name in names for name, _ in self.options)

    def values(self, names: frozenset[str]) -> Words:
        """The values of these options."""
        return tuple(value for name, value in self.options if name in names)


def told_apart(
    words: Words, flags: frozenset[str], valued: frozenset[str], *, leading: bool = False
) -> Told | None:
    """Options and operands; with `leading` the options end where the first operand stands."""
    options: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return Told(options=tuple(options), operands=(*operands, *rest))
        if word.startswith(_UNSAID) and flags | valued:
            # what is unsaid may be an option, and a pattern of files is none in practice
            operands.append(word)
            if leading:
                return None
        elif not word.startswith("-") or word == "-":
            operands.append(word)
            if leading:
                return Told(options=tuple(options), operands=(*operands, *rest))
        elif word.startswith("--"):
            if not _long(word[2:], rest, options, flags, valued):
                return None
        elif not _short(word[1:], rest, options, flags, valued):
            return None
    return Told(options=tuple(options), operands=tuple(operands))


def _long(
    word: str,
    rest: list[str],
    options: list[tuple[str, str]],
    flags: frozenset[str],
    valued: frozenset[str],
) -> bool:
    name, given, value = word.partition("=")
    if name in valued and (given or rest):
        options.append((name, value if given else rest.pop(0)))
        return True
    if name in flags:
        options.append((name, value))
        return True
    return False


def _short(
    letters: str,
    rest: list[str],
    options: list[tuple[str, str]],
    flags: frozenset[str],
    valued: frozenset[str],
) -> bool:
    for at, letter in enumerate(letters):
        if letter in valued:
            value = letters[at + 1 :] or (rest.pop(0) if rest else "")
            options.append((letter, value))
            return bool(value)
        if letter not in flags:
            return False
        options.append((letter, ""))
    return True
