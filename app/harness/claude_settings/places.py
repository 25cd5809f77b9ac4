"""Where the parts of a JSON text stand: the standard parser finds their ends, nothing else does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecoder
from typing import Final, TypeAlias

Path: TypeAlias = tuple[str | int, ...]  # from the root inwards; the root itself is ()

BLANK: Final = "\ufeff \t\n\r"  # what may stand around a value, and the byte order mark
_SPACE: Final = re.compile(r"[ \t\n\r]*")
# Numbers are left as text: only their ends are wanted, and they may have any length.
_PARSER: Final = JSONDecoder(parse_int=str, parse_float=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A value with its name: `text[start:end]` is both, `text[value:end]` the value."""

    name: str | int
    start: int
    value: int
    end: int


def root(text: str) -> Part:
    """The whole value of a text that holds one."""
    start = len(text) - len(text.lstrip(BLANK))
    return Part(name="", start=start, value=start, end=_PARSER.raw_decode(text, start)[1])


def part(text: str, path: Path) -> Part | None:
    """The part at a path, or None. Of two members with one name it is the last, as for readers."""
    found: Part | None = root(text)
    for name in path:
        inner = () if found is None else parts(text, found)
        found = next((each for each in reversed(inner) if each.name == name), None)
    return found


def parts(text: str, whole: Part) -> tuple[Part, ...]:
    """What an object or a list holds, in the order of the text; of any other value nothing."""
    if text[whole.value] not in "{[":
        return ()
    found: list[Part] = []
    at = _past_space(text, whole.value + 1)
    while text[at] not in "}]":
        at = _past_space(text, at + 1) if text[at] == "," else at
        found.append(_next(text, at, len(found) if text[whole.value] == "[" else None))
        at = _past_space(text, found[-1].end)
    return tuple(found)


def _next(text: str, start: int, index: int | None) -> Part:
    name: str | int
    if index is None:
        name, end = _PARSER.raw_decode(text, start)
        value = _past_space(text, _past_space(text, end) + 1)
    else:
        name, value = index, start
    return Part(name=name, start=start, value=value, end=_PARSER.raw_decode(text, value)[1])


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
