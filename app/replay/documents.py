"""Files that are JSON values and not lines: read part by part, so that memory does not grow.

    {"info": {...}, "messages": [A, B]}   info, then messages: A, then messages: B
    [A, B]                                A, then B

A file may hold several values, one a line among others. What is cut off or broken is told once, and
reading goes on at the next line that begins a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from app.domain.events import Json
from app.replay.lines import DECODER, Counts, Source, whole

CHUNK: Final = 1 << 16  # characters read at once
LONGEST: Final = 1 << 25  # characters that one part may have
BLANK: Final = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A member of a value, or an element of the list that is the member.

    `document` counts the values of the file from 1, `place` the parts of a value from 1; `key` is
    the member's name, empty in a list.
    """

    document: int
    place: int
    line_no: int
    key: str
    value: Json
    listed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """Where a value could not be read on, and why."""

    line_no: int
    why: str


class Text:
    """A file's characters, of which no more are at hand than its next part needs."""

    def __init__(self, path: Path) -> None:
        # What is no UTF-8 becomes U+FFFD: one such byte is no reason to lose a whole session.
        self._file = path.open(encoding="utf-8-sig", errors="replace", newline="")
        self._held = ""
        self._at = 0
        self.line_no = 1

    def __enter__(self) -> Text:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            found = BLANK.match(self._held, self._at)
            self._pass(found.end() if found else self._at)
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> None:
        """Pass one character; ValueError where another stands."""
        found = self.peek()
        if found != expected:
            raise ValueError(f"expected {expected}")
        self._pass(self._at + 1)

    def value(self) -> Json:
        """The value that begins here; ValueError where there is none, or one that is too long."""
        self.peek()
        while True:
            end = None
            with suppress(ValueError):
                value, end = DECODER.raw_decode(self._held, self._at)
            if end is not None and (end < len(self._held) or not self._more()):
                break
            if end is None and not self._more():
                raise ValueError("no JSON")
        text = self._held[self._at : end]
        self._pass(end)
        return whole(value, text)

    def skip_line(self) -> None:
        """Pass everything up to a line that begins a list or an object, or to the end."""
        while self._next_line():
            if self._held[self._at : self._at + 1] in ("{", "["):
                return

    def _next_line(self) -> bool:
        while True:
            at = self._held.find("\n", self._at)
            if at >= 0:
                self._pass(at + 1)
                return self._at < len(self._held) or self._more()
            self._pass(len(self._held))
            if not self._more():
                return False

    def _pass(self, end: int) -> None:
        self.line_no += self._held.count("\n", self._at, end)
        self._at = end

    def _more(self) -> bool:
        left = len(self._held) - self._at
        read = self._file.read(max(CHUNK, left)) if left <= LONGEST else ""
        self._held, self._at = self._held[self._at :] + read, 0
        return bool(read)


def parts(source: Source, counts: Counts | None = None) -> Iterator[Part]:
    """The parts of all values of a file; `counts` is told of each, and of what is broken."""
    for part in _read(source.path):
        if counts is not None:
            counts.lines += 1
        if isinstance(part, Part):
            yield part
        elif counts is not None:
            counts.refuse(part.line_no, part.why)


def _read(path: Path) -> Iterator[Part | Broken]:
    document = 0
    with Text(path) as text:
        while text.peek():
            document += 1
            try:
                yield from _document(text, document)
            except (ValueError, RecursionError) as fault:
                yield Broken(line_no=text.line_no, why=f"no JSON ({type(fault).__name__})")
                text.skip_line()


def _document(text: Text, document: int) -> Iterator[Part]:
    if text.peek() == "[":
        for place, (line_no, value) in enumerate(_elements(text), start=1):
            yield _part(document, place, line_no, "", value, listed=True)
        return
    text.take("{")
    place = 0
    while text.peek() not in ("}", ""):
        key = text.value()
        text.take(":")
        if not isinstance(key, str):
            raise ValueError("a member without a name")
        listed = text.peek() == "["
        for line_no, value in _elements(text) if listed else _one(text):
            place += 1
            yield _part(document, place, line_no, key, value, listed=listed)
        if text.peek() == "}":
            break
        text.take(",")
    text.take("}")


def _part(document: int, place: int, line_no: int, key: str, value: Json, *, listed: bool) -> Part:
    return Part(
        document=document, place=place, line_no=line_no, key=key, value=value, listed=listed
    )


def _one(text: Text) -> Iterator[tuple[int, Json]]:
    line_no = text.line_no
    yield line_no, text.value()


def _elements(text: Text) -> Iterator[tuple[int, Json]]:
    text.take("[")
    while text.peek() not in ("]", ""):
        yield text.line_no, text.value()
        if text.peek() == "]":
            break
        text.take(",")
    text.take("]")
