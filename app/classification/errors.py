"""Which error a failed call met: the same one at another line, or told by another program.

error_of(text)   the digest of the error in a masked text (results.settled)
"""

from __future__ import annotations

import re
from typing import Final

from app.classification.arguments import digest
from app.classification.errno import refusal
from app.classification.vocabulary import folded, holds

FEW: Final = 4  # error lines of a text that tells of one thing
_ERROR_WORDS = (
    *("error", "exception", "fatal", "failed", "failure", "cannot", "can't", "denied"),
    *("not found", "no such", "unable", "panic", "traceback", "undefined", "unresolved", "错误"),
    *("refused", "timed out", "no module", "read-only", "no space", "in use", "unreachable"),
    *("could not", "enotfound"),
)
_PLACES = tuple(
    re.compile(pattern)
    for pattern in (r":\d+(?::\d+)?", r"\(\d+,\d+\)", r"\[\d+,\d+\]", r"\bline \d+")
)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\)", re.MULTILINE)
# What a log puts in front: its time, a process or thread in brackets, the level.
_FRONT = re.compile(
    r"(?:(?:\[?\b[TD]\b\]?|\[[\w .:/-]{1,30}\]|\(?(?:INFO|WARN(?:ING)?|ERROR|ERR|FATAL|DEBUG)\b\)?)"
    r"[:,| -]*|#N (?=\S)|[EFIW]\d{4} |\d{2,7} +(?=[A-Z]{4,5}\b|---|\S+:\d+\]))+(?=\S)"
)
_LATE = re.compile(r"npm (?:error|err!)", re.IGNORECASE)  # many lines of one error


def error_of(text: str) -> str | None:
    """The digest of an error's text, places in files masked; None when no line looks like one.

    What the system refused is told by its phrase and what it is about, not by the program that
    passes it on. Everything else is told by its first and last line and the number of such lines.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if _TRACEBACK.search(text):
        return _one(lines[-1]) or digest("error", _plain(lines[-1]))
    at = [number for number, line in enumerate(lines) if holds(folded(line), _ERROR_WORDS)]
    if not at:
        return None
    if len(at) <= FEW or _LATE.match(lines[at[0]]):
        known = _one(lines[at[0]]) or _one(lines[at[-1]])
        if known is not None:
            return known
    after = lines[at[0] + 1] if at[0] + 1 < len(lines) else ""
    parts = (lines[at[0]], after, lines[at[-1]])
    return digest("error", *(_plain(part) for part in parts), str(len(at)))


def _one(line: str) -> str | None:
    """The digest of what the system refused, where a line says so."""
    said = refusal(line)
    return None if said is None else digest("refused", said)


def _plain(line: str) -> str:
    front = _FRONT.match(line)
    line = line if front is None else line[front.end() :]
    for place in _PLACES:
        line = place.sub(":N", line)
    return line
