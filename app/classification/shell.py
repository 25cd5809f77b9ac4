"""Split a shell line into its members, outside quotes; a lexer for recognition, never for trust."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

# One token: an escaped character, a quoted string, an operator, or one other character.
_TOKEN = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|&&|\|\||>&|&>|<&|[;|&\n]|.""", re.DOTALL)
_JOINERS = frozenset({"&&", "||", ";", "|", "&", "\n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One simple command of a line, and the operator that joins it to the next one."""

    text: str
    words: tuple[str, ...]  # empty where the text cannot be split into words
    joiner: str = ""  # what follows: && || ; | & newline, or empty at the end


@lru_cache(maxsize=256)  # one call's line is looked at from several sides
def split(line: str) -> tuple[Member, ...]:
    """The members of a shell line, split at unquoted `&& || ; | &` and newlines."""
    members: list[Member] = []
    text: list[str] = []
    for token in _TOKEN.findall(line):
        if token in _JOINERS:
            members.append(_member("".join(text), token))
            text = []
        else:
            text.append(token)
    members.append(_member("".join(text), ""))
    return tuple(member for member in members if member.text)


def _member(text: str, joiner: str) -> Member:
    text = text.strip()
    try:
        words = tuple(shlex.split(text))
    except ValueError:  # an unclosed quote: the text stands, its words do not
        words = ()
    return Member(text=text, words=words, joiner=joiner)
