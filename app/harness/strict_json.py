"""JSON as the own routes take it: everything that two readers could read differently is refused.

    bytes -> strict UTF-8, no byte order mark
          -> one pass of the standard parser, whose callbacks refuse duplicate keys,
             NaN, Infinity, 1e999 and integers beyond any float
          -> depth, walked without recursion, and only where the brackets could reach the limit
          -> lone surrogates, looked for only where an escape could have made one

Nothing runs over the text before the parser does: a pattern that looks for brackets outside
strings took 40 seconds on 40 KB of escaped quotes. No fault repeats any of its input.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Final, NoReturn

from app.domain.events import Json
from app.harness.base import Fault

DEPTH: Final = 64  # levels; `[]` has one
DIGITS: Final = 308  # digits of an integer; beyond them it is infinite to whoever reads floats


class _Refused(Exception):
    """Carries a fault out of the parser's callbacks."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.code)
        self.fault = fault


EMPTY: Final = Fault(code="empty_body", detail="The body is empty; expected JSON.")
BAD_BYTES: Final = Fault(code="bad_unicode", detail="The body is not UTF-8.")
BYTE_ORDER_MARK: Final = Fault(
    code="bad_unicode", detail="The body starts with a byte order mark; send UTF-8 without one."
)
LONE_SURROGATE: Final = Fault(
    code="bad_unicode", detail="A string holds half of a surrogate pair, which is no character."
)
DUPLICATE: Final = Fault(code="duplicate_key", detail="An object names one of its keys twice.")
NON_FINITE: Final = Fault(
    code="non_finite_number", detail="A number is NaN, infinite or too large for a float."
)
TOO_DEEP: Final = Fault(
    code="too_deep", detail=f"The body is nested too deeply; an event may have {DEPTH} levels."
)
LONG_NUMBER: Final = Fault(code="long_number", detail=f"An integer has more than {DIGITS} digits.")


def parse(data: bytes, depth: int = DEPTH) -> Json | Fault:
    """The one JSON value in `data`, nested at most `depth` levels; never raises."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return BAD_BYTES
    return _parse(text, depth)


def lines(data: bytes) -> tuple[Json, ...] | Fault:
    """The values of newline-delimited JSON, blank lines skipped; a fault names its line, from 1."""
    values: list[Json] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        value = parse(line)
        if isinstance(value, Fault):
            return replace(value, at=f"line {number}")
        values.append(value)
    return tuple(values)


def _parse(text: str, depth: int) -> Json | Fault:
    if text.startswith("\ufeff"):
        return BYTE_ORDER_MARK
    if not text.strip(" \t\r\n"):
        return EMPTY
    try:
        value: Json = _DECODER.decode(text)
    except _Refused as refused:
        return refused.fault
    except RecursionError:
        return TOO_DEEP
    except json.JSONDecodeError as error:
        return _not_json(error)
    if _deeper(value, text, depth):
        return TOO_DEEP
    return LONE_SURROGATE if _has_surrogate(value, text) else value


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused(DUPLICATE)
    return value


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(NON_FINITE)
    return number


def _integer(text: str) -> int:
    if len(text) > DIGITS:
        raise _Refused(LONG_NUMBER)
    return int(text)


def _constant(_: str) -> NoReturn:
    raise _Refused(NON_FINITE)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_integer, parse_constant=_constant
)


def _not_json(error: json.JSONDecodeError) -> Fault:
    place = f"line {error.lineno}, column {error.colno}"
    return Fault(code="bad_json", detail=f"The body is not JSON; it stops making sense at {place}.")


def _deeper(value: Json, text: str, depth: int) -> bool:
    if text.count("[") + text.count("{") <= depth:
        return False
    level: list[Json] = [value]
    for _ in range(depth + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Json) -> list[Json]:
    """What lies directly in a container, with a stand-in for emptiness: `[]` is a level too."""
    match value:
        case dict():
            return list(value.values()) or [None]
        case list():
            return value or [None]
        case _:
            return []


def _has_surrogate(value: Json, text: str) -> bool:
    if "\\ud" not in text and "\\uD" not in text:
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
