"""The log as a table for terminals: seq first, one line an entry, no control characters."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.entries import Entry
from app.domain.summaries import summary

SCOPE = 48  # characters of a scope that a line shows; a UUID has 36
_HEAD = ("SEQ", "AT", "KIND", "SCOPE", "SUMMARY")


def table(entries: Iterable[Entry]) -> str:
    """Entries as aligned lines; empty logs say so."""
    rows = [_row(entry) for entry in entries]
    if not rows:
        return "The log has no such entries.\n"
    seq, at, kind, scope = (max(len(row[i]) for row in (_HEAD, *rows)) for i in range(4))
    lines = (
        f"{row[0]:>{seq}}  {row[1]:<{at}}  {row[2]:<{kind}}  {row[3]:<{scope}}  {row[4]}".rstrip()
        for row in (_HEAD, *rows)
    )
    return "\n".join(lines) + "\n"


def _row(entry: Entry) -> tuple[str, str, str, str, str]:
    return (str(entry.seq), entry.at, entry.kind, short(entry.scope), plain(summary(entry)))


def short(scope: str) -> str:
    """A scope that fits a column; what is cut is marked."""
    scope = plain(scope)
    return scope if len(scope) <= SCOPE else f"{scope[: SCOPE - 1]}~"


def plain(text: str) -> str:
    """A text without control and format characters, which could rewrite what a person reads."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
