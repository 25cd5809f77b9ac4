"""Long sessions are folded beside the writer: they come out the same, and nobody else waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.decisions import Command, Refusal
from app.domain.entries import Entry
from app.service.control import Stored
from app.service.folding import LONG
from app.service.intake import Answer, Arrival
from app.service.writer import Unavailable
from app.store.errors import LogUnavailable
from app.store.reader import Reader
from tests.domain.floor import ANN
from tests.service.house import House, attempt, call, failing, house


@pytest.fixture
def long(tmp_path: Path) -> Iterator[House]:
    """A house after a restart; its session `s` is in plan, and has more entries than LONG."""
    with house(tmp_path) as home:
        home.stored(*(call(f"make {at}", agent_id="a" if at % 3 else None) for at in range(LONG)))
        home.stored(*[failing()] * 3)
    with house(tmp_path) as home:
        yield home


class Held:
    """Reading a session's past, which goes on when it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.let, self.times = threading.Event(), threading.Event(), 0
        whole = Reader.entries_of

        def entries_of(reader: Reader, session: str) -> Iterator[Entry]:
            self.times += 1
            self.begun.set()
            self.let.wait(60)
            yield from whole(reader, session)

        monkeypatch.setattr(Reader, "entries_of", entries_of)


async def begun(held: Held) -> None:
    while not held.begun.is_set():
        await asyncio.sleep(0.001)


def test_a_long_session_comes_out_as_the_writer_would_fold_it(long: House) -> None:
    long.run(long.control.session("s/a"))
    beside = long.desk.book.sessions["s"]
    long.desk.book = long.desk.book.without("s")
    assert long.desk.load("s") == beside


def test_nobody_waits_for_the_past_of_another_session(
    long: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)

    async def both() -> None:
        first = asyncio.ensure_future(long.control.ingest([Arrival(event=call("after"))]))
        await begun(held)
        other = await long.control.verdict(Arrival(event=attempt(session="t")))
        assert isinstance(other, Answer)
        assert not first.done()
        held.let.set()
        assert isinstance(await first, Stored)

    long.run(both())
    assert long.entries()[-1].scope == "s"


def test_many_who_wait_for_one_session_have_it_folded_once(
    long: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)

    async def many() -> None:
        waiting = [asyncio.ensure_future(long.control.session("s")) for _ in range(9)]
        await begun(held)
        await asyncio.sleep(0.05)
        held.let.set()
        found = await asyncio.gather(*waiting)
        assert all(not isinstance(one, Unavailable) and one[1].last_seq for one in found)

    long.run(many())
    assert held.times == 1


def test_what_comes_while_it_is_folded_is_not_lost(
    long: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer may be given the session's own work all the same, by whoever does not wait."""
    held = Held(monkeypatch)

    async def meanwhile() -> None:
        waiting = asyncio.ensure_future(long.control.session("s"))
        await begun(held)
        long.writer.submit(lambda desk, at: desk.load("s")).result()
        held.let.set()
        await waiting

    long.run(meanwhile())
    session = long.desk.book.sessions["s"]
    long.stored(call("later"))
    assert long.desk.book.sessions["s"].last_seq > session.last_seq
    assert long.desk.book.sessions["s"].applied == session.applied


def test_the_verdict_on_a_session_that_is_read_leaves_in_time_and_is_counted(
    long: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    monkeypatch.setattr("app.service.control.VERDICT_WITHIN", 0.05)
    assert isinstance(long.verdict(attempt()), Unavailable)
    assert long.writer.lost == 1
    held.let.set()
    long.run(long.control.session("s"))
    monkeypatch.undo()
    answer = long.verdict(attempt())
    assert isinstance(answer, Answer)
    assert answer.verdict == "deny"
    assert [entry.body["verdicts"] for entry in long.entries("gap")] == [1]


def test_a_decision_waits_for_the_session_of_its_entry(
    long: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    held.let.set()
    (proposal,) = long.entries("proposed")
    answer = long.run(long.control.command(Command(verb="approve", seq=proposal.seq, actor=ANN)))
    assert isinstance(answer, Refusal)
    assert (answer.why, held.times) == ("state_missing", 1)
    answer = long.run(long.control.command(Command(verb="approve", seq=10**6, actor=ANN)))
    assert isinstance(answer, Refusal)
    assert answer.why == "unknown_seq"


@pytest.mark.parametrize("name", ["longer_than", "entries_of", "get"])
def test_a_past_that_cannot_be_read_beside_the_writer_is_left_to_it(
    long: House, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def broken(*_: object) -> None:
        raise LogUnavailable("no")

    monkeypatch.setattr(Reader, name, broken)
    assert isinstance(long.ingest(call("after")), Stored)


def test_the_end_does_not_wait_for_a_session_that_is_read(
    long: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Held(monkeypatch)
    monkeypatch.setattr("app.service.control.VERDICT_WITHIN", 0.05)
    assert isinstance(long.verdict(attempt()), Unavailable)
    held.let.set()
    long.control.close()
    assert long.writer.lost == 0
