"""Settings as a table that 80 columns hold: a long value makes no other line longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.cli.layout import COLUMNS, wrapped
from app.domain.inert import padded, width
from app.domain.tables import plain

VALUE: Final = 17  # columns of most values; what is longer pushes its source aside

Row = tuple[str, str, str]  # key, value, source


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Aligned rows of key, value and source; a long list goes on below its beginning."""
    keys = max(width(plain(key)) for key, _, _ in rows)
    for row in rows:
        key, value, source = map(plain, row)
        before = f"{padded(key, keys)}  "
        if width(value) <= VALUE:
            yield f"{before}{padded(value, VALUE)}  {source}"
        elif value.startswith("["):
            yield from _list(before, value, source)
        else:  # a path, to be copied whole
            yield f"{key}  {value}  {source}"


def _list(before: str, value: str, source: str) -> Iterator[str]:
    *lines, last = wrapped(value, before)
    yield from lines
    if width(last) + 2 + width(source) <= COLUMNS:
        yield f"{last}  {source}"
    else:
        yield last
        yield f"{' ' * width(before)}{source}"
