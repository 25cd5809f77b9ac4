"""Which error a failed call met: the same one in another file or at another line is the same."""

from __future__ import annotations

import re

from app.classification.arguments import digest
from app.classification.vocabulary import folded, holds

_ERROR_WORDS = (
    *("error", "exception", "fatal", "failed", "failure", "cannot", "can't", "denied"),
    *("not found", "no such", "unable", "panic", "traceback", "undefined", "unresolved", "错误"),
)
_PLACES = tuple(
    re.compile(pattern)
    for pattern in (r":\d+(?::\d+)?", r"\(\d+,\d+\)", r"\[\d+,\d+\]", r"\bline \d+")
)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\)", re.MULTILINE)


def error_of(text: str) -> str | None:
    """The digest of an error's text, places in files masked; None when no line looks like one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if _TRACEBACK.search(text):
        return digest("error", _placeless(lines[-1]))
    at = [number for number, line in enumerate(lines) if holds(folded(line), _ERROR_WORDS)]
    if not at:
        return None
    after = lines[at[0] + 1] if at[0] + 1 < len(lines) else ""
    parts = (lines[at[0]], after, lines[at[-1]])
    return digest("error", *(_placeless(part) for part in parts), str(len(at)))


def _placeless(line: str) -> str:
    for place in _PLACES:
        line = place.sub(":N", line)
    return line
