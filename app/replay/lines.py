"""What every reader of session files shares: lines, counts, and JSON taken as it comes."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from app.domain.events import Event, Json
from app.harness.strict_json import DIGITS

KEPT_FAULTS: Final = 20  # faults that are told one by one; all are counted
DEPTH: Final = 60  # levels of arguments, which with their event stay below the 64 of own routes

Fields: TypeAlias = dict[str, Json]
Call: TypeAlias = tuple[str, str | None, str | None, str]  # scope, call id, tool, arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One event, and the line of the file that completed it, from 1; `log` names the file."""

    event: Event
    line_no: int
    log: str = ""


@dataclass(slots=True, kw_only=True)
class Counts:
    """What a reader met; filled while its lines are taken."""

    format: str = ""  # what wrote the file; empty: nothing that is read here
    lines: int = 0  # that are not blank; of a file that is one JSON value, the parts of it
    calls: int = 0  # finished calls among the events
    unknown: Counter[str] = field(default_factory=Counter)  # by type, as the file spells it
    unreadable: int = 0
    faults: list[str] = field(default_factory=list)  # the first of the unreadable, with the line

    def refuse(self, line_no: int, why: str) -> None:
        """Count a line that says nothing."""
        self.unreadable += 1
        if len(self.faults) < KEPT_FAULTS:
            self.faults.append(f"line {line_no}: {why}")


@dataclass(frozen=True)
class Source:
    """A file of events."""

    path: Path

    @cached_property
    def name(self) -> str:
        """The session of lines that name none: `file-` and 12 hex digits of the file's SHA-256."""
        with self.path.open("rb") as file:
            return f"file-{hashlib.file_digest(file, 'sha256').hexdigest()[:12]}"

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that are not blank, without a byte order mark, numbered from 1."""
        for number, line in self.raw():
            text = line.strip()
            if text:
                yield number, text

    def raw(self) -> Iterator[tuple[int, bytes]]:
        """Every line as it stands, without a byte order mark, numbered from 1."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line


def taken(line: bytes) -> dict[str, Json] | str:
    """The object on a line, read leniently, or why there is none; never raises.

    Half of a surrogate pair becomes U+FFFD, a number no float can hold becomes a string, and of
    a key that comes twice the last counts.
    """
    try:
        text = line.decode("utf-8")
        value = whole(DECODER.decode(text), text)
    except (ValueError, RecursionError) as fault:
        return f"no JSON ({type(fault).__name__})"
    return value if isinstance(value, dict) else "no JSON object"


def objects(source: Source, counts: Counts) -> Iterator[tuple[int, dict[str, Json]]]:
    """The objects of a file's lines; every line is counted, and one without an object refused."""
    for line_no, text in source.lines():
        counts.lines += 1
        line = taken(text)
        if isinstance(line, str):
            counts.refuse(line_no, line)
        else:
            yield line_no, line


class Reading(Protocol):
    """One file being read: what each line completes, and at the end what was left open."""

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """What one more line completes."""

    def rest(self) -> Iterator[Line]:
        """What no line completed."""


def through(reading: Reading, source: Source, counts: Counts) -> Iterator[Line]:
    """The events of a file whose lines are objects, one reading of it through to the end."""
    for line_no, line in objects(source, counts):
        yield from reading.take(line_no, line)
    yield from reading.rest()


def object_of(value: Json) -> Fields:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def word(value: Json) -> str | None:
    """A text that is not empty; None for everything else."""
    return value if isinstance(value, str) and value else None


def number(value: Json) -> int | None:
    """A whole number from 0 on; None for everything else."""
    return value if type(value) is int and value >= 0 else None


def amount(value: Json) -> float | None:
    """A number from 0 on, as a float; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return float(value)


def moment(milliseconds: Json) -> str | None:
    """The time, as in RFC 3339, of milliseconds since 1970; None for what is none."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return None
    try:
        found = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def whole(value: Json, text: str) -> Json:
    """The value that stood in a text, with U+FFFD for each half of a surrogate pair."""
    return _whole(value) if "\\ud" in text or "\\uD" in text else value


def texts(content: Json) -> str:
    """A text, or the texts of its parts, whatever they are called; others by a digest."""
    match content:
        case str():
            return content
        case {"text": str(text)}:
            return text
        case list():
            return "\n".join(
                texts(part) if isinstance(part, str | dict) else "" for part in content
            )
        case dict():
            return f"[{digest(content)}]"
        case _:
            return ""


def call_of(event: Event) -> Call:
    """How the attempt and the end of one call are known to belong together."""
    told = "" if event.call_id is not None else json.dumps({**event.arguments}, sort_keys=True)
    return event.scope, event.call_id, event.tool, told


def shallow(value: Json, room: int = DEPTH) -> Json:
    """The value with everything that lies deeper than `room` levels replaced by its digest."""
    match value:
        case dict() | list() if not room:
            return digest(value)
        case dict():
            return {key: shallow(inner, room - 1) for key, inner in value.items()}
        case list():
            return [shallow(inner, room - 1) for inner in value]
        case _:
            return value


def digest(value: Json) -> str:
    """16 hex digits that stand for a value that is not kept."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    except RecursionError:  # read with a few levels more to spare than there are now
        text = "too deep"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _whole(value: Json) -> Json:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {str(_whole(key)): _whole(inner) for key, inner in value.items()}
        case list():
            return [_whole(inner) for inner in value]
        case _:
            return value


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _int(text: str) -> int | str:
    return int(text) if len(text) <= DIGITS else text


# Lenient: a number that no float can hold becomes its digits.
DECODER: Final = json.JSONDecoder(parse_float=_float, parse_int=_int, parse_constant=str)
