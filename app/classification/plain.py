"""A shell line without what hides or only clutters its commands, before it is split.

    continued lines                            joined
    the text of a here-document                left out, unless the shell runs something in it
    "$(cat <<'END' ... END )"                  a word: the usual way to hand over a long message
    2>&1, >&2, > /dev/null and the like        dropped: they write nothing

Comments and quotes are seen first, as they hide all of these. A here-document ends where the shell
ends it and nowhere else: a line taken for its text that the shell runs would be a hole.
"""

from __future__ import annotations

import re
from typing import Final

from app.classification.remembering import remembered

DOCUMENTS: Final = 50  # here-documents of one line that are read over; the rest stays as it is
_HARMLESS: Final = re.compile(
    r"(?<![\w>&<])(?:[12]?>&[12]|(?:[12]?>{1,2}|&>)[ \t]*/dev/null)(?=[\s;|&)]|$)"
)
_SCAN: Final = re.compile(
    r"""(?P<comment>(?<![^\s;|&()<>])\#[^\n]*)|(?P<continued>\\\n)
    |(?P<message>"\$\(cat[ ]<<'(?P<mark>\w+)'(?=\n))
    |(?P<quoted>\\.|'[^']*'|"(?:\\.|[^"\\])*")
    |(?P<opening>(?<!<)<<(?P<tabs>-?)(?!<)[ \t]*
      (?P<quote>['"]?)(?P<end>\w+)(?P=quote)(?=[\s;|&<>()]))""",
    re.DOTALL | re.VERBOSE,
)
_QUOTED: Final = re.compile(r'"(?:\\.|[^"\\])*"|"', re.DOTALL)
_CLOSED: Final = re.compile(r'[ \t\n]*\)"')
_REST: Final = re.compile(r"""(?:[^\n'"\\]|'[^'\n]*'|"[^"\n\\]*")*""")  # no quote left open
_ARITHMETIC: Final = re.compile(r"\(\(|\$\[")  # where `<<` shifts


@remembered
def plain(line: str) -> str:
    """The line as the tables can look at it; what cannot be read over with certainty stays."""
    kept: list[str] = []
    at = documents = 0
    while found := _SCAN.search(line, at):
        kept.append(line[at : found.start()])
        documents += 1 if found["opening"] or found["message"] else 0
        said, at = _read_over(line, found) if documents <= DOCUMENTS else (found[0], found.end())
        kept.append(said)
    return _HARMLESS.sub("", "".join(kept) + line[at:])


def _read_over(line: str, found: re.Match[str]) -> tuple[str, int]:
    """What stays of one thing that was found, and where the line goes on."""
    if found["continued"]:
        return "", found.end()
    if found["message"]:
        return _message(line, found)
    return (found["opening"] and _document(line, found)) or (found[0], found.end())


def _message(line: str, found: re.Match[str]) -> tuple[str, int]:
    """A word for `"$(cat <<'END' ... )"`; anything else is what it was, a quoted text."""
    end = _end(line, found.end(), found["mark"], tabs=False)
    closed = _CLOSED.match(line, end.end()) if end else None
    if closed:
        return '"_"', closed.end()
    quoted = _QUOTED.match(line, found.start())
    assert quoted is not None  # it begins with the quote that the pattern begins with
    return quoted[0], quoted.end()


def _document(line: str, opening: re.Match[str]) -> tuple[str, int] | None:
    """The line that opens a here-document, without its text; None where that must be looked at."""
    start, rest = opening.start(), _REST.match(line, opening.end())
    before = line[line.rfind("\n", 0, start) + 1 : start]
    if rest is None or line[rest.end() : rest.end() + 1] != "\n" or _ARITHMETIC.search(before):
        return None
    end = _end(line, rest.end(), opening["end"], tabs=bool(opening["tabs"]))
    text = line[rest.end() : end.start()] if end else ""
    run = not opening["quote"] and any(sign in text for sign in ("$(", "`", "\\\n"))
    return None if end is None or run else (line[start : rest.end()], end.end())


def _end(line: str, at: int, word: str, *, tabs: bool) -> re.Match[str] | None:
    """The line that ends a here-document: the word and nothing else, from the newline before it."""
    indent = r"\t*" if tabs else ""
    return re.compile(rf"\n{indent}{word}(?=\n|\Z)").search(line, at)
