"""The log as a table for terminals: seq first, one line an entry, no control characters."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.entries import Entry
from app.domain.inert import inert, padded, width
from app.domain.summaries import summary

SCOPE = 48  # characters of a scope that a line shows; a UUID has 36
EMPTY = "The log has no such entries.\n"
_HEAD = ("SEQ", "AT", "KIND", "SCOPE", "SUMMARY")


def table(entries: Iterable[Entry]) -> str:
    """Entries as aligned lines; empty logs say so."""
    rows = [_row(entry) for entry in entries]
    if not rows:
        return EMPTY
    seq, at, kind, scope = (max(width(row[i]) for row in (_HEAD, *rows)) for i in range(4))
    lines = (
        f"{row[0]:>{seq}}  {row[1]:<{at}}  {row[2]:<{kind}}  {padded(row[3], scope)}  {row[4]}"
        for row in (_HEAD, *rows)
    )
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _row(entry: Entry) -> tuple[str, str, str, str, str]:
    return (str(entry.seq), entry.at, entry.kind, short(entry.scope), plain(summary(entry)))


def short(scope: str) -> str:
    """A scope that fits a column; what is cut is marked."""
    scope = plain(scope)
    if width(scope) <= SCOPE:
        return scope
    while width(scope) >= SCOPE:
        scope = scope[:-1]
    return f"{scope}~"


def plain(text: str) -> str:
    """A text without control and format characters, which could rewrite what a person reads."""
    return inert(text)
