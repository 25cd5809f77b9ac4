"""From a file on disk to events, whatever wrote it: the format is decided by what is in it.

    neutral       one neutral event a line, the seed prototype's lines among them
    claude_code   a session file of Claude Code

A file is read line by line; memory does not grow with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from app.replay import claude_code, neutral
from app.replay.lines import Counts, Line, Source, taken


class Reader(Protocol):
    """Reads one format."""

    def __call__(
        self, source: Source, counts: Counts, *, attempts: bool = False
    ) -> Iterator[Line]: ...


# A field that only one of the formats has; the first line with one of them decides.
TELLING: Final[tuple[tuple[str, Reader], ...]] = (
    ("tool", neutral.events),
    ("kind", neutral.events),
    ("type", claude_code.events),
    ("sessionId", claude_code.events),
)


def read(path: Path, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The events of a file in its order; `counts` is filled while they are taken.

    With `attempts` each call is also told as it was asked for, before it ran.
    Raises OSError where the file cannot be opened, and nothing else.
    """
    source = Source(path)
    return _reader(source)(source, counts, attempts=attempts)


def _reader(source: Source) -> Reader:
    for _, line in source.lines():
        value = taken(line)
        if isinstance(value, dict):
            for field, reader in TELLING:
                if field in value:
                    return reader
    return neutral.events
