"""Split a shell line into its members, outside quotes; a lexer for recognition, never for trust."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

# One token: a comment, an escaped character, a quoted string, an operator, a run of characters that
# begin none of these, or one other character.
_TOKEN = re.compile(
    r"""(?:(?<=[\s;&|()])|(?<![\s\S]))\#[^\n]*|\\.|'[^']*'|"(?:\\.|[^"\\])*"|&&|\|\||>&|&>|<&|[;|&\n]|[^\\'"&|<>;\n#]+|.""",
    re.DOTALL,
)
_QUOTING = re.compile(r"""['"\\]""")
_WORD = re.compile(r"[^ \t\r\n]+")
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
        elif not token.startswith("#") or token == "#":
            text.append(token)
    members.append(_member("".join(text), ""))
    return tuple(member for member in members if member.text)


def _member(text: str, joiner: str) -> Member:
    text = text.strip()
    return Member(text=text, words=words_of(text), joiner=joiner)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a simple command; none where a quote is left open."""
    if not _QUOTING.search(text):
        return tuple(_WORD.findall(text))  # as shlex does, and far sooner
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()
