"""What is held in memory: a log without text, answering as the stored one; of a file, little."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.entries import Entry, Kind
from app.replay.lines import Counts
from app.replay.memory import Memory
from app.replay.readers import read
from app.replay.turns import Turns
from tests.replay.many import WRITERS, many


def entry(seq: int, kind: Kind = "observed", scope: str = "s", ref: int | None = None) -> Entry:
    return Entry(
        seq=seq,
        at="2026-11-30T09:00:00.000Z",
        kind=kind,
        scope=scope,
        action="tool" if kind == "observed" else "mode",
        actor="harness:test",
        ref=ref,
        dedup_key=f"key:{seq}" if kind == "observed" else None,
        body={"tool": "Bash", "arguments": {"command": "ls"}, "result": "long", "handoff": {}},
    )


@pytest.fixture
def memory() -> Memory:
    memory = Memory()
    memory.append([entry(1), entry(2, "applied", ref=1), entry(3, "proposed", ref=2)])
    memory.append([entry(4, "ended", ref=3), entry(5, scope="s/agent"), entry(6, scope="other")])
    return memory


def test_a_session_has_its_own_entries_and_those_of_its_agents(memory: Memory) -> None:
    assert [found.seq for found in memory.entries_of("s")] == [1, 2, 3, 4, 5]
    assert [found.seq for found in memory.entries_of("nobody")] == []


def test_an_entry_is_found_by_its_key_and_by_its_place(memory: Memory) -> None:
    assert memory.find("key:5") == memory.get(5)
    assert memory.find("key:7") is memory.get(0) is memory.get(7) is None


def test_the_text_of_what_was_reported_is_not_kept(memory: Memory) -> None:
    first = memory.get(1)
    assert first is not None
    assert first.body == {"tool": "Bash", "handoff": {}}


def test_a_gap_is_refused(memory: Memory) -> None:
    with pytest.raises(ValueError, match="8 cannot follow 6"):
        memory.append([entry(8)])


@given(
    scopes=st.lists(st.sampled_from(("s", "s/agent", "other")), min_size=20, max_size=60),
    at_hand=st.integers(0, 5),
)
def test_what_was_spilled_answers_like_what_is_at_hand(scopes: list[str], at_hand: int) -> None:
    memory = Memory(at_hand=at_hand)
    entries = [entry(seq, scope=scope) for seq, scope in enumerate(scopes, start=1)]
    for each in entries:
        memory.append([each])
    slim = [replace(e, body={"tool": "Bash", "handoff": {}}) for e in entries]
    assert [memory.get(each.seq) for each in entries] == slim
    assert [memory.find(f"key:{each.seq}") for each in entries] == slim
    assert memory.find("key:0") is None
    for session, after in product(("s", "other", "nobody"), (0, 10)):
        mine = [each for each in slim if each.session == session and each.seq > after]
        assert list(memory.entries_of(session, after)) == mine


def test_a_session_s_start_keeps_what_it_goes_on_from() -> None:
    memory = Memory()
    start = replace(entry(1), action="session", body={"arguments": {"source": "compact"}})
    memory.append([start])
    assert memory.get(1) == start


def test_turns_are_kept_by_seq_wherever_those_lie() -> None:
    turns, plain = Turns(), {}
    for number, seq in enumerate((1, 4_095, 4_096, 3, 9_000_000, 3), start=1):
        turns[seq] = plain[seq] = number
    assert dict(turns) == plain
    assert len(turns) == len(plain)
    assert 2 not in turns
    assert 5_000_000 not in turns


@pytest.mark.parametrize("name", WRITERS)
def test_reading_takes_no_more_memory_for_a_longer_file(name: str, tmp_path: Path) -> None:
    path = many(tmp_path / "long", name, 600, 20_000)
    tracemalloc.start()
    try:
        calls = sum(line.event.kind == "tool" for line in read(path, Counts()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert calls == 600
    assert peak < path.stat().st_size / 10
