"""Lists of words as they are written in tables here: one string, read once at import."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks."""
    return frozenset(text.split())


def phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """The phrases of a list that is written with `|`, each as its words."""
    return tuple(tuple(phrase.split()) for phrase in text.split("|"))


def starts(line: tuple[str, ...], table: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the words of a command, flags aside, start with a phrase of the table."""
    plain = tuple(word for word in line if not word.startswith("-"))
    return any(plain[: len(phrase)] == phrase for phrase in table)


def holds(text: str, hints: tuple[str, ...]) -> bool:
    """Whether one of the hints stands in a text."""
    for hint in hints:  # noqa: SIM110  # asked a dozen times an event: `any` costs twice as much
        if hint in text:
            return True
    return False


def folded(text: str) -> str:
    """A text in small letters, sign for sign as a pattern that ignores case compares it."""
    if text.isascii():
        return text.lower()
    return text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s").lower()
