"""The service for those who decide and who read: over a real log, and when it cannot be written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.domain.decisions import Command, Refusal, Verb
from app.domain.entries import Entry
from app.domain.events import Event
from app.domain.expected_state import state_of
from app.domain.proposing import Unclear, Wish
from app.domain.state import Book
from app.service.control import SHARED, SLICE, CutOff, Decided
from app.service.intake import Answer, Arrival
from app.service.writer import Unavailable
from tests.domain.floor import ANN, configured
from tests.domain.ledger import audit
from tests.service.house import House, attempt, call, failing, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as opened:
        yield opened


def restricted(home: House, session: str = "s") -> int:
    """A session in plan; the seq of its way back."""
    return home.stored(*[failing(session=session)] * 3)[-1].fired[-1].seq


def decide(home: House, verb: Verb, seq: int, state: str | None, **fields: Any) -> Any:
    command = Command(verb=verb, seq=seq, actor=ANN, expected_state=state)
    return home.run(home.control.command(command, **fields))


def seen(home: House, verb: Verb, seq: int) -> str:
    """The state that a dry run shows."""
    answer = decide(home, verb, seq, None, dry_run=True)
    assert isinstance(answer, Decided)
    return answer.state


def test_a_dry_run_says_what_would_be_and_changes_nothing(home: House) -> None:
    back = restricted(home)
    head = home.reader.head()
    answer = decide(home, "approve", back, None, dry_run=True)
    assert isinstance(answer, Decided)
    assert len(answer.book.session("s").overrides) == 0
    assert home.reader.head() == head
    assert len(home.desk.load("s").overrides) == 1


def test_a_decision_for_the_state_of_the_dry_run_is_carried_out(home: House) -> None:
    back = restricted(home)
    answer = decide(home, "approve", back, seen(home, "approve", back))
    assert isinstance(answer, Decided)
    assert [entry.kind for entry in answer.entries] == ["approved", "reverted"]
    assert all(len(entry.hash) == 64 for entry in answer.entries)
    assert audit(home.entries()) == []


def test_a_stale_state_is_refused_kept_in_the_log_and_changes_nothing_else(home: House) -> None:
    back = restricted(home)
    state = seen(home, "approve", back)
    wish = Wish(
        scope="*", action="mode", value={"mode": "debug"}, reason="", actor=ANN, decide=True
    )
    home.run(home.control.wish(wish))
    before = home.desk.load("s").overrides
    answer = decide(home, "approve", back, state)
    assert isinstance(answer, Refusal)
    assert (answer.why, answer.state) == ("state_changed", seen(home, "approve", back))
    (refused,) = home.entries("refused")
    assert (refused.ref, refused.body["by"], refused.body["attempted"]) == (back, ANN, "approve")
    assert home.desk.load("s").overrides == before


def test_the_wrong_verb_is_refused_and_kept(home: House) -> None:
    back = restricted(home)
    answer = decide(home, "apply", back, seen(home, "approve", back))
    assert isinstance(answer, Refusal)
    assert f"approve {back}" in answer.detail
    assert [entry.body["why"] for entry in home.entries("refused")] == ["wrong_verb"]


def test_a_refused_dry_run_leaves_no_trace(home: House) -> None:
    back = restricted(home)
    head = home.reader.head()
    assert isinstance(decide(home, "apply", back, None, dry_run=True), Refusal)
    assert home.reader.head() == head


def test_a_persons_stale_wish_is_refused_and_the_log_goes_on(home: House) -> None:
    wish = Wish(
        scope="s", action="mode", value={"mode": "test_development"}, reason="", actor=ANN,
        decide=True, expected_state="stale",
    )  # fmt: skip
    assert isinstance(home.run(home.control.wish(wish)), Refusal)
    (refused,) = home.entries("refused")
    assert refused.ref is None
    assert home.stored(call())[0].seq == refused.seq + 1


def test_an_entry_that_is_not_there_is_not_decided(home: House) -> None:
    answer = decide(home, "approve", 99, "x")
    assert isinstance(answer, Refusal)
    assert answer.why == "unknown_seq"


def test_a_repeated_wish_names_the_open_proposal(home: House) -> None:
    wish = Wish(scope="s", action="mode", value={"mode": "plan"}, reason="", actor="harness:x")
    first, second = home.run(home.control.wish(wish)), home.run(home.control.wish(wish))
    assert isinstance(first, Decided)
    assert isinstance(second, Decided)
    assert (second.seq, second.repeated, second.entries) == (first.seq, True, ())


def test_an_unclear_wish_is_told_so(home: House) -> None:
    wish = Wish(scope="s", action="mode", value={"mode": "?"}, reason="", actor="harness:x")
    assert isinstance(home.run(home.control.wish(wish)), Unclear)


def test_a_decision_is_in_force_for_the_next_verdict(home: House) -> None:
    back = restricted(home)
    first = home.verdict(attempt())
    decide(home, "approve", back, seen(home, "approve", back))
    second = home.verdict(attempt())
    assert [a.verdict for a in (first, second) if isinstance(a, Answer)] == ["deny", "none"]


def test_a_session_nobody_has_at_hand_is_folded_for_whoever_asks(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        restricted(home)
        kept = home.desk.load("s")
    with house(tmp_path) as home:
        answer = home.run(home.control.session("s"))
        assert not isinstance(answer, Unavailable)
        assert answer[1] == kept
        assert audit(home.entries()) == []


def test_after_a_restart_a_decision_is_still_decided(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        back = restricted(home)
        decide(home, "approve", back, seen(home, "approve", back))
    with house(tmp_path) as home:
        answer = decide(home, "approve", back, None)
        assert isinstance(answer, Refusal)
        assert answer.why == "already_decided"


def test_a_way_back_that_other_settings_made_void_is_offered_anew(tmp_path: Path) -> None:
    with house(tmp_path, configured(start_mode="debug")) as home:
        back = restricted(home)
    with house(tmp_path) as home:
        assert home.desk.load("s").proposals[back].body["mode"] == "debug"
        answer = decide(home, "approve", back, state_of(home.desk.book, "s"))
        assert isinstance(answer, Refusal)
        assert answer.why == "void"
        (again,) = home.desk.load("s").proposals.values()
        assert (again.body["mode"], again.seq) == ("implementation", home.reader.head())
        assert audit(home.entries()) == []


def test_a_wish_that_other_settings_made_void_is_written_anew(tmp_path: Path) -> None:
    wish = Wish(scope="s", action="mode", value={"mode": "debug"}, reason="", actor=ANN)
    with house(tmp_path, configured(start_mode="debug")) as home:
        back = restricted(home)
        assert wished(home, wish).seq == back
    with house(tmp_path) as home:
        answer = wished(home, wish)
        assert (answer.repeated, [entry.kind for entry in answer.entries][-1]) == (
            False, "proposed"
        )  # fmt: skip
        assert audit(home.entries()) == []


def wished(home: House, wish: Wish) -> Decided:
    answer = home.run(home.control.wish(wish))
    assert isinstance(answer, Decided)
    return answer


def test_on_a_full_disk_events_are_cut_off_verdicts_unlogged_and_reads_go_on(home: House) -> None:
    restricted(home)
    home.full()
    big = call(result="x" * 4_000)
    while not isinstance(home.ingest(*[big] * 20), CutOff):
        pass
    assert home.ingest(*[big] * 20) == CutOff(stored=0, cause="database or disk is full")
    while not isinstance(home.verdict(attempt()), Unavailable):
        pass
    answer = home.run(home.control.session("s"))
    assert not isinstance(answer, Unavailable)
    assert home.writer.lost > 0
    lost = home.writer.lost
    home.freed()
    home.stored(call("after"))
    assert [entry.body["count"] for entry in home.entries("gap")][-1] == lost
    assert audit(home.entries()) == []


def test_a_large_request_says_how_much_of_it_was_stored(home: House) -> None:
    events = [call(f"make {at}", result="x" * 4_000) for at in range(400)]
    home.stored(call())
    pages = home._pragma("page_count")
    home._pragma(f"max_page_count = {pages + 300}")
    answer = home.ingest(*events)
    assert isinstance(answer, CutOff)
    assert answer.stored in (100, 200, 300)
    assert len(home.entries("observed")) == answer.stored + 1
    home.freed()
    home.stored(call("after"))
    assert [entry.body["events"] for entry in home.entries("gap")] == [400 - answer.stored]


def test_what_lost_its_place_is_told_by_the_next_look_at_what_is_due(home: House) -> None:
    home.full()
    while not isinstance(home.ingest(*[call(result="x" * 4_000)] * 20), CutOff):
        pass
    home.freed()
    home.run(home.control.flush())
    assert home.entries()[-1].kind == "gap"
    assert home.writer.lost == 0


def test_what_was_written_is_counted_by_kind(home: House) -> None:
    restricted(home)
    assert dict(home.control.written) == {
        "configured": 1, "observed": 3, "applied": 1, "proposed": 1
    }  # fmt: skip


def prompts(session: str) -> list[Arrival]:
    return [Arrival(event=Event(session_id=session, kind="prompt"))] * (2 * SLICE)


def steps(home: House, *sessions: str) -> list[int]:
    """How many events of the first session each commit held, all of them sent at once."""
    sizes: list[int] = []

    def counted(_: Book, entries: tuple[Entry, ...]) -> None:
        sizes.append(sum(entry.scope == sessions[0] for entry in entries))

    async def together() -> None:
        await asyncio.gather(*(home.control.ingest(prompts(name)) for name in sessions))

    home.feed.listen(counted)
    home.run(together())
    return [size for size in sizes if size]


def test_a_large_request_takes_smaller_steps_while_another_one_waits(home: House) -> None:
    assert steps(home, "alone") == [SLICE, SLICE]
    shared = steps(home, "a", "b")
    assert SHARED in shared
    assert sum(shared) == 2 * SLICE
