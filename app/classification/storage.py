"""What of an event is stored: clipped, without secrets, with the reading beside it.

    stored(event, reading)  the body of an `observed` entry; calls.reading_of reads it back
    clip(text)              head and tail of a long text
    redact(text)            well-known shapes of secrets masked

Digests were made before, over the whole text, so clipping and redaction change no counter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any, Final, NamedTuple

from app.classification.remembering import remembered
from app.domain.calls import BuildRun, Moved, Reading, Target, TestRun
from app.domain.events import Coverage, Event, Json, TestCounts, Usage

LONGEST = 4_000  # characters kept of a result, and of the arguments together (docs/design.md 9)
DEEPEST = 64  # levels of nested arguments looked into

MASK: Final = "[redacted]"


_Shape = tuple[str, re.Pattern[str]]  # what a text must hold for the pattern to be worth trying


def _shapes(*shapes: tuple[str, str]) -> tuple[_Shape, ...]:
    return tuple((hint, re.compile(pattern, re.DOTALL)) for hint, pattern in shapes)


_SECRET_NAME: Final = (
    r"(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key)"
)
_SHAPES: Final = _shapes(
    (
        "PRIVATE KEY",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("AKIA", r"\bAKIA[0-9A-Z]{16}\b"),
    ("ASIA", r"\bASIA[0-9A-Z]{16}\b"),
    *((f"gh{kind}_", rf"\bgh{kind}_[A-Za-z0-9]{{20,}}") for kind in "pousr"),
    ("github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    ("glpat-", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("sk-", r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"),
    ("xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{8,}"),
    ("AIza", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("floorboss_", r"floorboss_[hor]_[0-9a-f]{8}_[A-Za-z0-9_-]{43}"),  # our own
    ("k_live_", r"\b[sr]k_live_[A-Za-z0-9]{10,}"),
    ("npm_", r"\bnpm_[A-Za-z0-9]{36}"),
    ("pypi-", r"\bpypi-[A-Za-z0-9_-]{32,}"),
    ("hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    ("SG.", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("ya29.", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("eyJ", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+"),  # a signed token
)
_NAMED: Final = _shapes(  # what stays, then the value that goes
    ("bearer ", r"(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{8,}"),
    ("://", r"(://[^\s:/@]+:)[^\s@/]+(?=@)"),
    *(
        (name, rf"(?i)({name}[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;]+")
        for name in ("password", "passwd", "secret", "token")
    ),
    ("basic ", r"(?i)(authorization[\"']?\s*:\s*[\"']?basic\s+)[A-Za-z0-9+/=]+"),
    ("--", r"(?i)(--(?:password|passwd|secret|token|api-key)\s+)[^\s\"'&,;-][^\s\"'&,;]*"),
    ("-u ", r"((?:^|\s)-u\s+[^\s:/]+:)[^\s\"']+"),
)
_KEYS: Final = re.compile(
    r"(?i)((?:api|access|private|secret|account)[_-]?key[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,;]+"
)
_KEY: Final = re.compile(r"key[\"']?\s*[=:]")  # as `key` alone stands in most code
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # clientSecret is client_Secret
_HOLDING: Final = (str, list, dict)  # what may hold a secret
_SECRET_KEY = re.compile(rf"(?i)(?:^|[_-]){_SECRET_NAME}$|^authorization$")


@remembered
def _names_secret(key: str) -> bool:
    return _SECRET_KEY.search(_HUMP.sub("_", key)) is not None


def clip(text: str, longest: int = LONGEST) -> str:
    """The head and the tail of a text longer than `longest`, with how much was left out."""
    if len(text) <= longest:
        return text
    note = f"\n[... {len(text) - longest} characters left out ...]\n"
    half = max(0, longest - len(note)) // 2
    return text[:half] + note + text[len(text) - half :]


def redact(text: str) -> str:
    """The text with well-known shapes of secrets masked; it cannot know every shape."""
    for hint, shape in _SHAPES:
        if hint in text:
            text = shape.sub(MASK, text)
    lowered = text.lower()
    for hint, named in _NAMED:
        if hint in lowered:
            text = named.sub(rf"\1{MASK}", text)
    return _KEYS.sub(rf"\1{MASK}", text) if _KEY.search(lowered) else text


# Ids, names, folders and lines come again: a call asks before it runs and tells when it ended.
_redacted = remembered(redact)


def stored(event: Event, reading: Reading, *, texts: bool = True) -> dict[str, Json]:
    """The body of an `observed` entry: the neutral event and its reading, only what is set.

    Without `texts` a call's arguments and its result are left out: no fold reads them.
    """
    call = event.kind in ("tool", "attempt")
    body = {
        name: held if name in _WORDS else _plain(held)
        for name, held in _set_fields(event)
        if name not in _CLIPPED
    }
    if event.arguments and (texts or not call):
        body["arguments"] = _Budget(LONGEST).clipped(dict(event.arguments), 0)
    if event.result is not None and (texts or not call):
        body["result"] = clip(redact(event.result))
    if call:
        for name, held in _set_fields(reading):
            body[_READING_KEYS.get(name, name)] = held if name in _WORDS else _plain(held)
    elif not reading.person:
        body["person"] = False
    return body


_CLIPPED: Final = frozenset({"arguments", "result"})
_READING_KEYS: Final[Mapping[str, str]] = {"tool_class": "class", "changes": "changed_state"}
_ALWAYS: Final = frozenset({"tool_class", "identity", "effects"})


# Our own words and hexadecimal digests: no secret can stand in them.
_WORDS: Final = frozenset(
    {"tool_class", "identity", "digest", "pace", "edit", "reverse", "error"}
    | {"kind", "outcome", "denied_by"}
)


def _set_fields(value: Any) -> list[tuple[str, Any]]:
    """The fields that differ from their defaults; the ones in _ALWAYS whatever they are."""
    names, defaults, held_by = _FIELDS[type(value)]
    return [
        (name, held)
        for name, default, held in zip(names, defaults, held_by(value), strict=True)
        if held is not default and held != default and (held or held not in (None, (), {}))
    ]


class _Fields(NamedTuple):
    """What is looked up of a class: names, defaults, and what reads all fields of a value."""

    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    held_by: Callable[[Any], tuple[Any, ...]]


def _fields(kind: type) -> _Fields:
    names = tuple(field.name for field in fields(kind))
    defaults = tuple(MISSING if f.name in _ALWAYS else f.default for f in fields(kind))
    return _Fields(names, defaults, attrgetter(*names))


# The library puts a class's fields together anew each time.
_FIELDS: Final[Mapping[type, _Fields]] = {
    kind: _fields(kind)
    for kind in (Event, Reading, Target, TestRun, BuildRun, Moved, TestCounts, Coverage, Usage)
}


def _plain(value: Any) -> Json:
    """A field's value as JSON; texts lose their secrets."""
    if isinstance(value, str):
        return _redacted(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return {name: _plain(held) for name, held in _set_fields(value)}


class _Budget:
    """How many characters of the arguments may still be stored."""

    def __init__(self, left: int) -> None:
        self.left = left

    def clipped(self, value: Json, depth: int) -> Json:
        """`value` with its texts clipped to what is left."""
        if depth > DEEPEST or self.left <= 0:
            return "[...]"
        match value:
            case str():
                return self._text(_redacted(value))
            case dict():
                taken = self._taken(value)
                return {clip(_redacted(k), 200): self._member(k, v, depth) for k, v in taken}
            case list():
                return [self.clipped(item, depth + 1) for item in self._items(value)]
            case _:
                self.left -= len(str(value))
                return value

    def _member(self, key: str, value: Json, depth: int) -> Json:
        if isinstance(value, _HOLDING) and _names_secret(key):
            return MASK
        return self.clipped(value, depth + 1)

    def _text(self, text: str) -> str:
        kept = clip(text, max(self.left, 80))
        self.left -= len(kept)
        return kept

    def _taken(self, members: dict[str, Json]) -> Iterator[tuple[str, Json]]:
        for key, value in members.items():
            if self.left <= 0:
                return
            self.left -= len(key)
            yield key, value

    def _items(self, items: list[Json]) -> Iterator[Json]:
        for item in items:
            if self.left <= 0:
                return
            self.left -= 1
            yield item
