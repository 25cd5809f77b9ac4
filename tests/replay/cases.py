"""Sessions of which it is known what should happen in them: the corpus, and folders of one's own.

A folder holds sessions of neutral events, one a line, and an `index.json`, a list of

    {"name": "a", "should_fire": true, "mode": "plan", "due": 7, "events": "a.ndjson"}

`due` is the event by which something must have fired, from 0; without it, or with null, the last.
`mode` null: any, or none. `events` may also be the list of events; where it is neither, they are
in `NAME.ndjson` or `NAME.jsonl`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.domain.events import Event
from app.harness import neutral
from app.replay.lines import Line
from tests.replay.runs import CORPUS, scenarios

# What the corpus calls a counter, in the names of our rules; any other counter is its own rule.
RULES: Final[Mapping[str, frozenset[str]]] = {
    "repeated": frozenset({"repeated", "same_error"}),
    "scope": frozenset({"context"}),
    "success_rate": frozenset({"success_rate", "streak", "review"}),
}
INDEX: Final = "index.json"
Raw = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One session and what is expected of it; the line of an event is its number, from 1."""

    name: str
    stuck: bool  # something must fire; else nothing may
    lines: tuple[Line, ...]
    due: int = 0  # the event by which it must have fired, from 1; 0 where nothing may
    mode: str | None = None  # that must be asked for; None: any, or none
    rules: frozenset[str] | None = None  # that are accepted; None: any
    agent: str | None = None  # whose counter it must be; None: anybody's
    most: int | None = None  # firings; None: any number
    first: int = 1  # the number its author gives to the first event


def corpus(path: Path = CORPUS) -> list[Case]:
    """The scenarios of a file."""
    return [case_of(raw) for raw in scenarios(path)]


def case_of(raw: Mapping[str, Any]) -> Case:
    """A scenario as the corpus has it."""
    expect = raw["expect"] or {}
    counters = [expect.get("counter"), *expect.get("also", ())]
    return Case(
        name=raw["id"],
        stuck=raw["kind"] == "should_fire",
        lines=tuple(lines_of(raw["events"])),
        due=expect.get("by_turn") or 0,
        mode=expect.get("to_mode"),
        rules=frozenset[str]().union(*(rules_of(each) for each in counters if each)),
        agent=expect.get("agent_id"),
        most=expect.get("max_fires"),
    )


def rules_of(counter: str) -> frozenset[str]:
    """Our rules for a counter of the corpus."""
    return RULES.get(counter, frozenset({counter}))


def lines_of(events: Iterable[Mapping[str, Any]]) -> Iterator[Line]:
    """The events as a replay has them; raises ValueError for one that is none."""
    for number, raw in enumerate(events, 1):
        event = neutral.event(dict(raw))
        if not isinstance(event, Event):
            raise ValueError(f"event {number}: {event.detail}")
        yield Line(event=event, line_no=number)


def indexed(folder: Path) -> list[Case]:
    """The sessions of a folder with an index."""
    index = json.loads((folder / INDEX).read_text("utf-8"))
    return [_session(folder, entry) for entry in index]


def _session(folder: Path, entry: Mapping[str, Any]) -> Case:
    name = entry["name"]
    try:
        lines = tuple(lines_of(_named(name, each) for each in _events(folder, entry)))
    except ValueError as fault:
        raise ValueError(f"{name}: {fault}") from fault
    due, stuck = entry.get("due"), bool(entry["should_fire"])
    return Case(
        name=name,
        stuck=stuck,
        lines=lines,
        due=0 if not stuck else len(lines) if due is None else due + 1,
        mode=entry.get("mode") if stuck else None,
        first=0,
    )


def _events(folder: Path, entry: Mapping[str, Any]) -> list[Raw]:
    said = entry.get("events")
    if isinstance(said, list):
        return said
    path = folder / (said if isinstance(said, str) else f"{entry['name']}.ndjson")
    if not isinstance(said, str) and not path.exists():
        path = path.with_suffix(".jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def _named(session: str, raw: Raw) -> Raw:
    return {"session_id": session, **raw}
