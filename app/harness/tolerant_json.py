"""JSON as the hook routes take it: what can be made sense of is made sense of, and nothing raises.

    bytes -> UTF-8; what is none becomes U+FFFD, a byte order mark is dropped
          -> one pass of the standard parser: the last duplicate key wins, non-finite numbers and
             endless integers become strings, control characters in strings are taken
          -> lone surrogates become U+FFFD
          -> what lies deeper than 64 levels is replaced by its digest

A harness obeys only an answer with status 200, so a body is a value wherever it can be one; what
is left comes back as a Fault, which repeats none of it.
"""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from typing import Final

from app.domain.events import Json
from app.harness.base import Fault

LARGEST: Final = 16 << 20  # bytes
DEPTH: Final = 64  # levels; `[]` has one
DIGITS: Final = 308  # digits of an integer; beyond them it is infinite to whoever reads floats
CUTTABLE: Final = 1 << 20  # characters; a longer text the parser cannot nest is not cut by hand
MEMBERS: Final = 400_000  # values in a body; more cannot be judged while a harness waits
BRACKETS: Final = 5 * MEMBERS  # strings hold some as well, but no text is made of them

TOO_LARGE: Final = Fault(
    code="too_large", detail=f"The body is larger than {LARGEST:,} bytes.", status=413
)
EMPTY: Final = Fault(code="empty_body", detail="The body is empty; expected JSON.")
NOT_JSON: Final = Fault(code="bad_json", detail="The body is not JSON.")
TOO_MANY: Final = Fault(
    code="too_many", detail=f"The body holds more than {MEMBERS:,} values.", status=413
)
TOO_DEEP: Final = Fault(code="too_deep", detail="The body is nested too deeply.")

_HALF: Final = re.compile("[\ud800-\udfff]")  # the parser has joined all pairs already
_HALF_ESCAPED: Final = re.compile(r"\\u[dD]")  # no other half gets through the decoding of UTF-8
_SIGNS: Final = re.compile(r'["\\\[\]{}]')


def parse(data: bytes) -> Json | Fault:
    """The JSON value in `data`, cleaned; a Fault where there is none. Never raises."""
    if len(data) > LARGEST:
        return TOO_LARGE
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        return EMPTY
    brackets = _brackets(text)
    if brackets > BRACKETS:
        return TOO_MANY
    try:
        return _cleaned(_DECODER.decode(text), text, brackets)
    except RecursionError:
        return _by_hand(text)
    except ValueError:
        return NOT_JSON


def _brackets(text: str) -> int:
    """More than the containers, as strings hold some as well."""
    return text.count("[") + text.count("{")


def digest_of(data: bytes) -> str:
    """The digest, 16 hex digits, that stands for what was too deep, too large or no JSON."""
    return sha256(data).hexdigest()[:16]


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _integer(text: str) -> int | str:
    return int(text) if len(text) <= DIGITS else text


_DECODER: Final = json.JSONDecoder(
    strict=False, parse_float=_finite, parse_int=_integer, parse_constant=str
)


def _cleaned(value: Json, text: str, brackets: int) -> Json | Fault:
    """The value without half characters and without depth; most bodies need no walk at all."""
    if len(text) > 2 * MEMBERS and _crowded(value):
        return TOO_MANY
    dirty = brackets > DEPTH or _HALF_ESCAPED.search(text)
    return _clean(value, DEPTH) if dirty else value


def _clean(value: Json, levels: int) -> Json:
    match value:
        case str():
            return _HALF.sub("\ufffd", value)
        case dict() | list() if levels == 0:
            return digest_of(json.dumps(value, sort_keys=True).encode())
        case dict():
            return {_HALF.sub("\ufffd", k): _clean(v, levels - 1) for k, v in value.items()}
        case list():
            return [_clean(item, levels - 1) for item in value]
        case _:
            return value


def _crowded(value: Json) -> bool:
    """Whether there is too much to look at; it looks no further than that."""
    found, left = 0, [value]
    while left and found <= MEMBERS:
        inner = left.pop()
        if isinstance(inner, dict | list):
            found += len(inner)
            left += inner.values() if isinstance(inner, dict) else inner
    return found > MEMBERS


def _by_hand(text: str) -> Json | Fault:
    """The value of a text that is nested deeper than the parser goes: cut before it is parsed."""
    if len(text) > CUTTABLE:
        return TOO_DEEP
    shallow = _cut(text)
    try:
        return _cleaned(_DECODER.decode(shallow), shallow, _brackets(shallow))
    except RecursionError:
        return TOO_DEEP
    except ValueError:
        return NOT_JSON


def _cut(text: str) -> str:
    """The text with each container deeper than DEPTH replaced by its digest, in one pass."""
    parts: list[str] = []
    depth, kept, began, escaped, inside = 0, 0, 0, -1, False
    for found in _SIGNS.finditer(text):
        at, sign = found.start(), found.group()
        if at == escaped:
            continue
        if sign == "\\":
            escaped = at + 1
        elif sign == '"':
            inside = not inside
        elif not inside and sign in "[{":
            depth += 1
            began = at if depth == DEPTH + 1 else began
        elif not inside:
            if depth == DEPTH + 1:
                deep = digest_of(text[began : at + 1].encode())
                parts += (text[kept:began], f'"{deep}"')
                kept = at + 1
            depth -= 1
    return "".join((*parts, text[kept:]))
