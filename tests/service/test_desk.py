"""The desk: sessions folded when needed and forgotten when many others came, nothing else lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from app.domain.entries import MACHINE, Draft, Entry
from app.domain.events import Json
from app.service.control import CutOff
from app.service.desk import Desk, Unreadable
from app.service.past import StoredPast
from app.service.writer import Unavailable
from tests.domain.floor import AT
from tests.service.house import House, attempt, call, failing, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, keep=2) as opened:
        yield opened


def draft(scope: str = "s", key: str | None = None) -> Draft:
    return Draft(
        kind="observed", scope=scope, action="tool", actor="harness:x", dedup_key=key,
        body={"outcome": "ok"},
    )  # fmt: skip


def test_the_session_used_longest_ago_is_forgotten_and_folds_to_the_same(home: House) -> None:
    home.stored(failing(), failing(), failing())
    kept = home.desk.load("s")
    for name in ("t", "u"):
        home.stored(call(session=name))
    assert sorted(home.desk.book.sessions) == ["t", "u"]
    assert home.desk.load("s") == kept
    assert set(home.writer.book.sessions) == {"t", "u"}


def test_using_a_session_keeps_it(home: House) -> None:
    for name in ("s", "t", "s", "u"):
        home.stored(call(session=name))
    assert sorted(home.desk.book.sessions) == ["s", "u"]


def test_a_session_that_goes_on_after_it_was_forgotten_keeps_its_counters(home: House) -> None:
    home.stored(failing(), failing())
    for name in ("t", "u"):
        home.stored(call(session=name))
    (answer,) = home.stored(failing())
    assert answer.mode == "plan"


def test_the_scope_of_all_is_always_at_hand(home: House) -> None:
    assert home.desk.load("*") is home.desk.book.everywhere
    assert home.desk.book.configured is not None


def test_a_desk_opened_on_the_same_log_has_the_same_book(home: House) -> None:
    home.stored(failing(), failing(), failing())
    again = Desk(StoredPast(home.log, home.reader), home.desk.configuration)
    assert again.load("s") == home.desk.load("s")
    assert again.book.head == home.desk.book.head
    assert again.book.configured == home.desk.book.configured


def test_what_is_fresh_is_found_before_it_is_committed(home: House) -> None:
    desk = home.desk
    desk.take(desk.begin(AT).append(draft(key="k")))
    assert desk.find("k") == desk.fresh[0] == desk.get(desk.fresh[0].seq)
    assert home.log.find("k") is None
    desk.forget(desk.book.without("s"))


def test_what_is_forgotten_is_nowhere(home: House) -> None:
    desk, before = home.desk, home.desk.book
    desk.take(desk.begin(AT).append(draft(key="kept")))
    kept = desk.book
    desk.take(desk.begin(AT).append(draft(key="gone")))
    desk.forget(kept, 1)
    assert (desk.find("gone"), desk.book.head, len(desk.fresh)) == (None, before.head + 1, 1)
    desk.forget(before)
    assert (desk.find("kept"), desk.book, desk.fresh) == (None, before, [])


def test_an_event_caused_what_the_machine_wrote_right_behind_it(home: House) -> None:
    answers = home.stored(failing(), failing(), failing(), call("other"))
    third, fourth = answers[2].seq, answers[3].seq
    assert [entry.seq for entry in home.desk.caused_by(third)] == [third + 1, third + 2]
    assert home.desk.caused_by(fourth) == ()
    assert home.desk.caused_by(answers[0].seq) == ()


@pytest.mark.parametrize("scope", ["s", "*"])
def test_an_entry_that_floorboss_did_not_write_is_named_wherever_it_is_met(
    tmp_path: Path, scope: str
) -> None:
    with house(tmp_path) as home:
        home.stored(call(), call(session="t"))
        home.log.commit((strange(home.reader.head() + 1, scope),))
    words = "entry 4, or the next one of its session, is not as floorboss writes them"
    if scope == "*":
        with pytest.raises(Unreadable, match=words), house(tmp_path):
            pass
        return
    with house(tmp_path) as home:
        answer = home.ingest(call())
        assert isinstance(answer, CutOff)
        assert re.search(words, answer.cause)
        assert isinstance(home.verdict(attempt()), Unavailable)
        assert isinstance(home.run(home.control.session("s")), Unavailable)
        home.stored(call(session="t"))
        counts = [cast(int, entry.body["count"]) for entry in home.entries("gap")]
        assert sum(counts) == 2


def strange(seq: int, scope: str) -> Entry:
    body: Mapping[str, Json] = {"mode": "plan", "definition": {"tools": ["?"]}}
    return Entry(
        seq=seq, at=AT, kind="applied", scope=scope, action="mode", actor=MACHINE, body=body
    )


def test_a_session_folded_elsewhere_is_taken_with_what_came_since(home: House) -> None:
    home.stored(failing(), failing())
    early = home.desk.load("s")
    home.stored(failing(), call(agent_id="a"))
    whole = home.desk.load("s")
    home.desk.book = home.desk.book.without("s")
    home.desk.adopt(early)
    assert home.desk.book.sessions["s"] == whole
    home.desk.adopt(early)
    assert home.desk.book.sessions["s"] == whole


def test_a_look_at_what_the_log_does_not_know_makes_nobody_forgotten(home: House) -> None:
    home.stored(failing(), call(session="t"))
    kept = home.desk.book
    for name in ("x", "y/a", "z"):
        answer = home.run(home.control.session(name))
        assert not isinstance(answer, Unavailable)
        assert (answer[1].id, answer[1].last_seq) == (name[0], 0)
    assert home.desk.book == kept == home.writer.book
