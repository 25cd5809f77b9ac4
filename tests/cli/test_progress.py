"""The line of progress, on a real terminal and where there is none."""

from __future__ import annotations

import io
import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from app.cli.progress import Progress


@contextmanager
def terminal() -> Iterator[tuple[TextIO, int]]:
    """A terminal to write to, and the descriptor that reads what it was sent."""
    reading, writing = pty.openpty()
    try:
        with os.fdopen(writing, "w", encoding="utf-8") as stream:
            yield stream, reading
    finally:
        os.close(reading)


def sent(stream: TextIO, reading: int) -> str:
    """What the terminal was sent, read up to a mark: one read may end anywhere before it."""
    stream.write("\x04")
    stream.flush()
    said = b""
    while not said.endswith(b"\x04"):
        said += os.read(reading, 4096)
    return said[:-1].decode()


def test_a_terminal_sees_how_far_it_is_and_then_a_clean_line() -> None:
    with terminal() as (stream, reading):
        progress = Progress(4, "files", stream, after=0, every=0)
        progress.step()
        assert list(progress.watching("ab")) == ["a", "b"]
        progress.step()
        said = sent(stream, reading)
    assert said == (
        "\r\x1b[K[#####---------------] 1 of 4 files, events read: 1"
        "\r\x1b[K[#####---------------] 1 of 4 files, events read: 2"
        "\r\x1b[K"
    )


def test_items_without_a_name_are_not_counted_aloud() -> None:
    with terminal() as (stream, reading):
        progress = Progress(4, "points", stream, after=0, every=0, counting="")
        list(progress.watching("a"))
        said = sent(stream, reading)
    assert said == "\r\x1b[K[--------------------] 0 of 4 points"


def test_short_work_says_nothing() -> None:
    moments = iter([0.0, 0.5, 0.9, 1.0, 1.05])
    with terminal() as (stream, reading):
        progress = Progress(1, "files", stream, clock=lambda: next(moments))
        list(progress.watching("ab"))
        progress.clear()
        print("nothing before", file=stream, flush=True)
        said = sent(stream, reading)
    assert said == "nothing before\r\n"


def test_without_a_terminal_nothing_is_written() -> None:
    stream = io.StringIO()
    progress = Progress(1, "files", stream, after=0, every=0)
    list(progress.watching("ab"))
    progress.step()
    assert stream.getvalue() == ""
