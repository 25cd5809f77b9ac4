"""Here-documents: what they hand to a command, what the shell runs in them, and long ones cut.

tree-sitter reads an unquoted document only in part, so the commands in one are looked for here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.classification.shellcode.found import UnreadableError

DOCUMENTS: Final = 50  # documents of one line that are cut; the rest stays as it is
_START: Final = re.compile(r"(\w+)|'([^'\n]*)'|\"([^\"\n]*)\"|\\(\w+)", re.ASCII)
_QUOTE: Final = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|[()]|`""", re.DOTALL)
_OPENING: Final = re.compile(
    r"""(?P<skip>(?<![^\s;|&()<>])\#[^\n]*|\\.|'[^']*'|"(?:\\.|[^"\\])*"|<<<)
    |<<-?[ \t]*(?P<quote>['"])(?P<end>\w+)(?P=quote)(?=[\s;|&<>()])""",
    re.DOTALL | re.VERBOSE,
)
CUT: Final = "\x01"  # marks.HOLE: what stood here nobody has read


def is_quoted(start: str) -> bool:
    """Whether a document's text is what it says; raises UnreadableError for an odd beginning."""
    found = _START.fullmatch(start)
    if found is None:
        raise UnreadableError
    return found[1] is None


def run_within(text: str) -> Iterator[str]:
    """The commands that the shell runs in an unquoted document; raises UnreadableError."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith("$(", at):
            end = _closing(text, at + 2)
            yield text[at + 2 : end]
            at = end + 1
        elif text[at] == "`":
            end = _backquote(text, at + 1)
            yield text[at + 1 : end]
            at = end + 1
        else:
            at += 1


def expands(text: str) -> bool:
    """Whether the shell puts anything of its own into an unquoted document."""
    return re.search(r"\$[\w{(@*#?!$-]|`|\\", text) is not None


def _closing(text: str, at: int) -> int:
    depth = 1
    for found in _QUOTE.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise UnreadableError


def _backquote(text: str, at: int) -> int:
    end = text.find("`", at)
    if end < 0 or "\\" in text[at:end]:
        raise UnreadableError
    return end


def cut(line: str) -> str:
    """The line without the text of its quoted documents: long, and of no account for the line."""
    kept: list[str] = []
    at = count = 0
    while (found := _OPENING.search(line, at)) and count < DOCUMENTS:
        start = found.end()
        if found["end"]:
            count += 1
            first = line.find("\n", start)
            end = re.compile(rf"\n[\t]*{found['end']}(?=\n|\Z)").search(line, first)
            if first < 0 or end is None:
                break
            kept.append(line[at : first + 1])
            kept.append(CUT)
            at = end.start()
        else:
            kept.append(line[at:start])
            at = start
    return "".join(kept) + line[at:]
