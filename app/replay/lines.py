"""What every reader of session files shares: lines, counts, and JSON taken as it comes."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

from app.domain.events import Event, Json
from app.harness.strict_json import DIGITS

KEPT_FAULTS: Final = 20  # faults that are told one by one; all are counted
DEPTH: Final = 60  # levels of arguments, which with their event stay below the 64 of own routes

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

    lines: int = 0  # that are not blank
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
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
                if text:
                    yield number, text


def taken(line: bytes) -> dict[str, Json] | str:
    """The object on a line, read leniently, or why there is none; never raises.

    Half of a surrogate pair becomes U+FFFD, a number no float can hold becomes a string, and of
    a key that comes twice the last counts.
    """
    try:
        text = line.decode("utf-8")
        value: Json = json.loads(text, parse_float=_float, parse_int=_int, parse_constant=str)
        if "\\ud" in text or "\\uD" in text:
            value = _whole(value)
    except (ValueError, RecursionError) as fault:
        return f"no JSON ({type(fault).__name__})"
    return value if isinstance(value, dict) else "no JSON object"


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
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
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
