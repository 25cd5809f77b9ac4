"""From a file on disk to events, whatever wrote it: the format is decided by what is in it.

    lines       each a JSON value: the first that only one format writes decides
    documents   one JSON value over many lines, or of many megabytes: its first parts decide

A file is read line by line, or part by part; memory does not grow with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Protocol

from app.replay import (
    claude_code,
    claude_stream,
    codex,
    copilot,
    gemini_cli,
    hook_log,
    log_entries,
    neutral,
    opencode,
    openhands,
    pi,
    swe_agent,
)
from app.replay.documents import Text, parts
from app.replay.lines import Counts, Line, Source, taken
from app.replay.recognising import of_line, of_log, of_parts


class Reader(Protocol):
    """Reads one format."""

    def __call__(
        self, source: Source, counts: Counts, *, attempts: bool = False
    ) -> Iterator[Line]: ...


# By the names that recognising.py gives them; reports show the name.
READERS: Final[dict[str, Reader]] = {
    "neutral": neutral.events,
    "floorboss log": log_entries.events,
    "Claude Code": claude_code.events,
    "Claude Code stream": claude_stream.events,
    "Claude Code hooks": hook_log.events,
    "Codex": codex.events,
    "Copilot CLI": copilot.events,
    "Gemini CLI": gemini_cli.events,
    "Gemini CLI document": gemini_cli.whole_events,
    "OpenCode": opencode.events,
    "OpenCode export": opencode.whole_events,
    "OpenHands": openhands.events,
    "SWE-agent": swe_agent.events,
    "pi": pi.events,
}
HEAD: Final = 1 << 17  # bytes in which a first line ends, if its file is one of lines
LOOKED_AT: Final = 2_000  # parts of a document after which it is none that is read here


def read(path: Path, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The events of a file in its order; `counts` is filled while they are taken.

    With `attempts` each call is also told as it was asked for, before it ran.
    Raises OSError where the file cannot be opened, and nothing else.
    """
    source = Source(path)
    counts.format = format_of(source)
    return READERS.get(counts.format, unknown)(source, counts, attempts=attempts)


def unknown(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """Nothing: each line of a format that nobody knows is counted as unreadable."""
    for line_no, _ in source.lines():
        counts.lines += 1
        counts.refuse(line_no, "no format that is read here")
    return iter(())


def format_of(source: Source) -> str:
    """The name of a file's format; empty: none that is read here."""
    first = _first_line(source)
    whole = taken(first) if first is not None else ""
    found = of_line(whole) if isinstance(whole, dict) else None
    if found is None and _begins_value(source):
        found = of_parts(islice(parts(source), LOOKED_AT))
    if found is None:
        found = of_log(text for _, text in opencode.unprefixed(source))
    return found or ""


def _first_line(source: Source) -> bytes | None:
    """The first line that is not blank; None where it is longer than what is looked at."""
    with source.path.open("rb") as file:
        head = file.read(HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
        line, ended, _ = head.partition(b"\n")
        return line.strip() if ended or not file.read(1) else None


def _begins_value(source: Source) -> bool:
    with Text(source.path) as text:
        return text.peek() in ("{", "[")
