"""Neutral events, one JSON object a line, the seed prototype's lines among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from app.domain.events import Event, Json
from app.harness import neutral
from app.harness.base import Fault
from app.harness.strict_json import parse
from app.replay.lines import Counts, Line, Source


def events(source: Source, counts: Counts) -> Iterator[Line]:
    """The file's events; a line that the own routes would refuse is counted and left out."""
    for line_no, line in source.lines():
        counts.lines += 1
        value = parse(line)
        event = value if isinstance(value, Fault) else _event(source, line_no, value)
        if isinstance(event, Fault):
            counts.refuse(line_no, event.detail)
            continue
        counts.calls += event.kind == "tool"
        yield Line(event=event, line_no=line_no)


def _event(source: Source, line_no: int, value: Json) -> Event | Fault:
    named = isinstance(value, dict) and value.get("session_id") is not None
    event = neutral.event(value, session=None if named else source.name)
    if isinstance(event, Fault) or event.event_id is not None:
        return event
    # With an id of its own the same file can be posted twice and adds nothing.
    return replace(event, event_id=f"{source.name}:{line_no}")
