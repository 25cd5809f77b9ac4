"""The same events mean the same, however they are cut into requests, kept and folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.entries import EVERYWHERE, Entry
from app.domain.events import Event, TestCounts
from app.domain.evolve import evolve_all
from app.domain.state import Book, Session
from app.replay.run import Core
from app.service.intake import Arrival, check, receive
from tests.replay.runs import configuration

with TemporaryDirectory() as folder:
    CONFIGURATION = configuration(Path(folder))

SESSIONS = ("s", "t")
AT = "2026-11-30T09:00:00.000Z"
CALLS: tuple[dict[str, Any], ...] = (
    {"tool": "Bash", "arguments": {"command": "make"}, "outcome": "error", "result": "no rule"},
    {"tool": "Bash", "arguments": {"command": "pytest"}, "tests": TestCounts(failed=2)},
    {"tool": "Bash", "arguments": {"command": "pytest"}, "tests": TestCounts(passed=2, failed=0)},
    {"tool": "Read", "arguments": {"file_path": "a.py"}, "outcome": "ok", "result": "text"},
    {"tool": "Edit", "arguments": {"file_path": "a.py", "old_string": "a"}, "outcome": "error"},
    {"tool": "Write", "arguments": {"file_path": "tests/test_a.py"}, "outcome": "ok"},
    {"tool": "WebFetch", "arguments": {"url": "https://a"}, "outcome": "denied", "rule": "net"},
    {"tool": "Bash", "arguments": {"command": "sleep 9"}, "outcome": "timeout"},
    {
        "tool": "Write",
        "arguments": {"file_path": "b"},
        "outcome": "blocked",
        "rule": "foreign_hook",
    },
)
OTHERS: tuple[dict[str, Any], ...] = (
    {"kind": "prompt"},
    {"kind": "turn"},
    {"kind": "compact"},
    {"kind": "session_start"},
    {"kind": "session_end"},
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """A call, its attempt, or something else, of two sessions and their agents."""
    place: dict[str, Any] = {
        "session_id": draw(st.sampled_from(SESSIONS)),
        "agent_id": draw(st.sampled_from([None, None, None, "helper", "other"])),
        "occurred_at": AT,
    }
    if not draw(st.integers(0, 5)):
        return Event(**place, **draw(st.sampled_from(OTHERS)))
    kind: Any = draw(st.sampled_from(["tool", "tool", "tool", "tool", "attempt"]))
    call_id = draw(st.sampled_from([None, None, None, "c1", "c2"]))
    share = draw(st.sampled_from([None, None, 150_000, 190_000]))
    call = draw(st.sampled_from(CALLS))
    if kind == "attempt":
        call = {name: call[name] for name in ("tool", "arguments")}
    return Event(**place, kind=kind, call_id=call_id, context_tokens=share, **call)


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    """Events in runs, as loops come, some of them reported twice under one id."""
    runs = draw(st.lists(st.tuples(events(), st.integers(1, 5)), min_size=1, max_size=14))
    found = [event for event, times in runs for _ in range(times)]
    for place in draw(st.lists(st.integers(0, len(found) - 1), max_size=3)):
        again = replace(found[place], event_id=f"e{place}")
        found[place] = again
        found.append(again)
    return found


def entries_of(core: Core) -> list[Entry]:
    """All entries without the time at which they were written."""
    found = (core.memory.get(seq) for seq in range(1, core.memory.head_seq + 1))
    return [replace(entry, at="") for entry in found if entry is not None]


def sessions_of(core: Core) -> list[Session]:
    """All sessions, folded where they are not at hand, without the time of their last entry."""
    names = (EVERYWHERE, *SESSIONS)
    return [replace(core.desk.load(name), last_at="") for name in names]


def ran(found: Sequence[Event], keep: int = 10) -> Core:
    core = Core(CONFIGURATION, keep)
    for event in found:
        core.take(event)
    return core


@given(streams(), st.data())
@settings(max_examples=60)
def test_any_batching_gives_the_same_entries_and_the_same_state(
    found: list[Event], data: st.DataObject
) -> None:
    batched, rest = Core(CONFIGURATION), found
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        arrivals = [Arrival(event=event) for event in rest[:size]]
        assert check(batched.desk, arrivals) is None
        for arrival in arrivals:
            receive(batched.desk, arrival, f"2026-11-30T10:00:00.{size:03}Z")
        batched.memory.append(batched.desk.fresh)
        batched.desk.committed()
        rest = rest[size:]
    single = ran(found)
    assert entries_of(batched) == entries_of(single)
    assert sessions_of(batched) == sessions_of(single)


@given(streams())
@settings(max_examples=60)
def test_a_session_that_was_forgotten_and_folded_again_is_the_same(found: list[Event]) -> None:
    forgetful, kept = ran(found, keep=1), ran(found)
    assert len(forgetful.desk.book.sessions) <= 1
    assert entries_of(forgetful) == entries_of(kept)
    assert sessions_of(forgetful) == sessions_of(kept)


@given(streams(), st.data())
@settings(max_examples=60)
def test_a_prefix_and_then_the_rest_is_the_whole(found: list[Event], data: st.DataObject) -> None:
    core = ran(found)
    every = [core.memory.get(seq) for seq in range(1, core.memory.head_seq + 1)]
    entries = [entry for entry in every if entry is not None]
    cut = data.draw(st.integers(0, len(entries)))
    whole = evolve_all(Book(), entries)
    assert evolve_all(evolve_all(Book(), entries[:cut]), entries[cut:]) == whole
    assert whole == core.desk.book


@given(streams())
@settings(max_examples=60)
def test_the_machine_never_loosens(found: list[Event]) -> None:
    machine = [e for e in entries_of(ran(found)) if e.actor == "machine"]
    changes = [e for e in machine if e.kind in ("applied", "ended")]
    assert all(entry.direction != "loosen" for entry in changes)
