"""Drive a scenario's events through the edge, the fold and the checks, as the daemon would."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from app.classification.reading import read
from app.classification.shellcode.found import Effects
from app.classification.storage import stored
from app.domain.calls import call_of
from app.domain.checks import Trip, tripped
from app.domain.configuration import Thresholds
from app.domain.entries import Action, Entry
from app.domain.events import Event, TestCounts
from app.domain.profiles import THRESHOLDS
from app.domain.signals import (
    EMPTY,
    Cause,
    Stream,
    compacted,
    finished,
    fired,
    prompted,
    turned,
)

CASES: Final = Path(__file__).parents[1] / "cases" / "scenarios.jsonl"
DEFAULT: Final = THRESHOLDS["default"]
START_MS: Final = 1_795_000_000_000  # any moment; only differences are used


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """One check that fired in a scenario: after which event, and what it was."""

    turn: int  # 1 = the first event
    trip: Trip


def scenarios() -> list[dict[str, Any]]:
    """Every scenario of the corpus."""
    return [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]


def event_of(raw: Mapping[str, Any]) -> Event:
    """The neutral event that a scenario's line stands for."""
    tests = raw.get("tests")
    known = {key: value for key, value in raw.items() if key != "tests"}
    counts = TestCounts(**tests) if tests else None
    return Event(session_id="scenario", tests=counts, **known)


ACTIONS: Final[Mapping[str, Action]] = {
    "tool": "tool",
    "prompt": "prompt",
    "turn": "turn",
    "compact": "compaction",
}


def entry_of(event: Event, seq: int, at_ms: int) -> Entry:
    """The `observed` entry an event becomes."""
    reading = read(event, Effects(effects=("unknown",)))
    return Entry(
        seq=seq,
        at=_rfc3339(at_ms),
        kind="observed",
        scope=event.scope,
        action=ACTIONS[event.kind],
        actor="harness:test",
        body=stored(event, reading),
    )


def folded(stream: Stream, entry: Entry) -> Stream:
    """The stream after one entry."""
    match entry.action:
        case "prompt":
            return prompted(stream, entry.body.get("person") is not False)
        case "turn":
            return turned(stream)
        case "compaction":
            return compacted(stream)
        case _:
            return finished(stream, call_of(entry))


def run(events: list[Mapping[str, Any]], thresholds: Thresholds = DEFAULT) -> Iterator[Fired]:
    """Everything that fires, in order; each change of mode is applied at once."""
    streams: dict[str, Stream] = {}
    clock = START_MS
    for turn, raw in enumerate(events, 1):
        event = event_of(raw)
        clock += event.duration_ms or 0
        agent = event.agent_id or ""
        stream = folded(streams.get(agent, EMPTY), entry_of(event, turn, clock))
        while trips := tripped(stream, thresholds):
            trip = trips[0]
            yield Fired(turn=turn, trip=trip)
            stream = fired(stream, (cause_of(trip),), automatic=trip.response == "mode", seq=turn)
        streams[agent] = stream


def cause_of(trip: Trip) -> Cause:
    """What an entry would say about a trip."""
    return Cause(rule=trip.rule, key=trip.key, threshold=trip.threshold, target=trip.target)


def _rfc3339(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
