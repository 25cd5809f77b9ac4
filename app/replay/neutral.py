"""Neutral events, one JSON object a line, the seed prototype's lines among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.domain.events import Event, Json
from app.harness import neutral
from app.harness.base import Fault
from app.harness.strict_json import parse
from app.replay.lines import Call, Counts, Line, Source, call_of

# The fields of a call that are known before it runs.
ASKED: Final = (
    *("session_id", "harness", "agent_id", "parent_agent_id", "turn_id", "batch_id", "call_id"),
    *("tool", "arguments", "occurred_at", "cwd", "permission_mode"),
)


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; a line that the own routes would refuse is counted and left out.

    With `attempts` a call that the file does not ask for is asked for right before its end.
    """
    asked: Counter[Call] = Counter()  # attempts of the file whose end has not come
    for line_no, line in source.lines():
        counts.lines += 1
        value = parse(line)
        event = value if isinstance(value, Fault) else _event(source, line_no, value)
        if isinstance(event, Fault):
            counts.refuse(line_no, event.detail)
            continue
        counts.calls += event.kind == "tool"
        if attempts and event.kind == "attempt":
            asked[call_of(event)] += 1
        elif attempts and event.kind == "tool":
            yield from asked_before(event, line_no, asked)
        yield Line(event=event, line_no=line_no)


def asked_before(event: Event, line_no: int, asked: Counter[Call]) -> Iterator[Line]:
    """The attempt of a call that the file tells only the end of."""
    call = call_of(event)
    if asked[call]:
        asked[call] -= 1
    else:
        yield Line(event=_attempt(event), line_no=line_no)


def _attempt(event: Event) -> Event:
    """What was known of a call before it ran."""
    return Event(
        kind="attempt",
        event_id=f"{event.event_id}:attempt",
        **{name: getattr(event, name) for name in ASKED},
    )


def _event(source: Source, line_no: int, value: Json) -> Event | Fault:
    named = isinstance(value, dict) and value.get("session_id") is not None
    event = neutral.event(value, session=None if named else source.name)
    if isinstance(event, Fault) or event.event_id is not None:
        return event
    # With an id of its own the same file can be posted twice and adds nothing.
    return replace(event, event_id=f"{source.name}:{line_no}")
