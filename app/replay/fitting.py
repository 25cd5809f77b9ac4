"""An event made small enough to be sent: long texts are clipped, by the same rule wherever it goes.

A session file may hold a result of many megabytes; the daemon takes events of one. A replay
without a daemon clips alike, so that both read the same text.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from app.classification.storage import clip
from app.domain.events import Event, Json
from app.harness.neutral import to_json
from app.replay.lines import digest

LARGEST: Final = 1 << 20  # bytes of an event as it is sent; what the own routes take
LENGTHS: Final = (100_000, 20_000, 4_000, 500)  # characters of one text, tried in this order

ROOM: Final = LARGEST // 2  # for the texts; the names of an event, a dozen of them, take far less
SIGN: Final = 6  # bytes that one sign takes at the most: one of control becomes \\u0000
NUMBER: Final = 400  # digits of a number at the most
NAMED: Final = 1_000  # uncovered places kept of a report that is too long


def sent(event: Event) -> bytes:
    """The event as one line of NDJSON, without the line's end."""
    text = json.dumps(to_json(event), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def fitted(event: Event) -> Event:
    """The event itself where it is small enough, else with its texts clipped until it is."""
    if _surely_small(event) or len(sent(event)) <= LARGEST:
        return event
    for longest in LENGTHS:
        smaller = _clipped(event, longest)
        if len(sent(smaller)) <= LARGEST:
            return smaller
    # Too many small things for any clipping: what they were is kept as a digest.
    return replace(_clipped(event, LENGTHS[-1]), arguments={"digest": digest({**event.arguments})})


def _surely_small(event: Event) -> bool:
    """Whether an event fits however its texts are written: most do by far, and are not written."""
    if event.coverage is not None:
        return False
    left = ROOM - SIGN * len(event.result or "")
    for key, value in event.arguments.items():
        if isinstance(value, list | dict):
            return False
        left -= SIGN * (len(key) + (len(value) if isinstance(value, str) else NUMBER))
    return left > 0


def _clipped(event: Event, longest: int) -> Event:
    arguments = {name: _inner(value, longest) for name, value in event.arguments.items()}
    result = None if event.result is None else clip(event.result, longest)
    coverage = event.coverage
    if coverage is not None:
        named = tuple(clip(name, longest) for name in coverage.uncovered[:NAMED])
        coverage = replace(coverage, uncovered=named)
    return replace(event, arguments=arguments, result=result, coverage=coverage)


def _inner(value: Json, longest: int) -> Json:
    match value:
        case str():
            return clip(value, longest)
        case list():
            return [_inner(item, longest) for item in value]
        case dict():
            return {key: _inner(item, longest) for key, item in value.items()}
        case _:
            return value
