"""Programs that run text, and the text they run: an option's, what comes down a pipe, a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.classification.shellcode.marks import UNSAID
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.tables import (
    EDITORS,
    EVAL_WORDS,
    INTERPRETED,
    INTERPRETERS,
    MAKERS,
)

_SHORT: Final = re.compile(r"-(?!-)[A-Za-z]*")
_HANDED: Final = re.compile(r"/dev/(?:stdin|fd/\d+)|/proc/self/fd/\d+")
_EDITING: Final = re.compile(r"-(?:c|es|s|S|W|w)$|\+.+|--cmd|--batch|--eval.*")


def interpreter(word: str) -> str | None:
    """The letters of an interpreter's options that run text; None: it is none."""
    name = word.rpartition("/")[2]
    return INTERPRETERS.get(name, INTERPRETERS.get(name.rstrip("0123456789.")))


def runs_inline(words: Words, state: State) -> bool:
    """Whether a command runs code that stands in the line or comes down the pipe."""
    if words[0].rpartition("/")[2] in EDITORS:
        return state.feed.is_piped or any(map(_EDITING.match, words[1:]))
    if words[0] in MAKERS and any(word == "-" or _HANDED.fullmatch(word) for word in words[1:]):
        return True
    for place, word in enumerate(words):
        letters = interpreter(word)
        if letters is None:
            continue
        rest = words[place + 1 :]
        if any(_holds_code(option, letters) for option in _options(rest)):
            return True
        if all(map(UNSAID.match, words[:place])) and _reads_its_code(rest, state):
            return True
    return False


def _reads_its_code(rest: Words, state: State) -> bool:
    """Whether an interpreter runs what it is handed instead of a script."""
    if any(map(_HANDED.fullmatch, rest[:2])):
        return True
    script = next((word for word in rest if not word.startswith("-")), None)
    front = rest if script is None else rest[: rest.index(script)]
    return state.feed.is_piped and (script is None or bool({"-s", "-"} & set(front)))


def _options(words: Words) -> Iterator[str]:
    """The options of an interpreter before its script; `-m` and `-W` take the next word."""
    skip = False
    for word in words:
        if word == "-m":
            return
        if UNSAID.match(word):  # it may be an option, or nothing at all
            continue
        if not skip and not word.startswith("-") and word not in EVAL_WORDS:
            return
        yield word
        skip = word in INTERPRETED


def _holds_code(option: str, letters: str) -> bool:
    short = _SHORT.match(option)
    return option.partition("=")[0] in EVAL_WORDS or bool(
        short and set(short[0][1:]) & set(letters)
    )


def shell_text(words: Words) -> tuple[str, Words] | None:
    """The text that `bash -c TEXT NAME ARGS` runs, and its arguments; None: nobody can tell."""
    for at, word in enumerate(words[1:], start=1):
        if not word.startswith("-"):
            if words[at - 1] in ("-o", "-O", "--rcfile", "--init-file"):
                continue
            return None
        short = _SHORT.match(word)
        if short and "c" in short[0]:
            rest = tuple(w for w in words[at + 1 :])
            while rest and rest[0].startswith("-"):
                rest = rest[1:]
            return None if not rest or UNSAID.search(rest[0]) else (rest[0], rest[1:])
    return None
