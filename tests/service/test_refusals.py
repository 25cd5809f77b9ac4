"""Refused attempts: the first at once, the further ones of a minute as one entry with a count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.decisions import Refusal, refused
from app.domain.entries import Draft
from app.service.refusals import WINDOW
from app.service.writer import Unavailable
from tests.service.house import House, call, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as opened:
        yield opened


def refusal(by: str = "harness:x", attempted: str = "approve", seq: int = 1) -> Draft:
    said = Refusal(why="wrong_role", detail="no", scope="s", action="mode", seq=seq)
    return refused(said, by, attempted)


def refuse(home: House, *drafts: Draft) -> None:
    for draft in drafts:
        home.run(home.control.refuse(draft))


def counts(home: House) -> list[object]:
    return [entry.body.get("count", 1) for entry in home.entries("refused")]


def test_the_first_is_written_at_once_and_the_others_as_a_count(home: House) -> None:
    refuse(home, *[refusal()] * 5)
    assert counts(home) == [1]
    home.seconds = WINDOW
    home.run(home.control.flush())
    assert counts(home) == [1, 4]
    first, more = home.entries("refused")
    assert {**more.body, "count": None} == {**first.body, "count": None}


def test_within_the_minute_nothing_is_due(home: House) -> None:
    refuse(home, refusal(), refusal())
    home.seconds = WINDOW - 0.001
    assert not home.control.refusals.due(home.seconds)
    home.run(home.control.flush())
    assert counts(home) == [1]


def test_after_the_minute_the_next_is_a_first_one_again(home: House) -> None:
    refuse(home, refusal(), refusal())
    home.seconds = WINDOW
    refuse(home, refusal())
    assert counts(home) == [1, 1, 1]
    assert [entry.body.get("count") for entry in home.entries("refused")] == [None, 1, None]


def test_one_alone_leaves_no_count(home: House) -> None:
    refuse(home, refusal())
    home.seconds = WINDOW
    home.run(home.control.flush())
    assert counts(home) == [1]


def test_others_are_not_identical(home: House) -> None:
    refuse(home, refusal(), refusal(by="harness:y"), refusal(attempted="revert"))
    home.stored(call())
    refuse(home, refusal(seq=2))
    assert counts(home) == [1, 1, 1, 1]


def test_what_was_counted_is_written_at_the_end(home: House) -> None:
    refuse(home, *[refusal()] * 3)
    home.control.close()
    assert counts(home) == [1, 2]


def test_a_first_one_that_the_log_did_not_take_is_not_taken_for_written(home: House) -> None:
    home.full()
    while not isinstance(_written(home), Unavailable):
        pass
    refuse(home, refusal())
    home.freed()
    refuse(home, refusal())
    assert counts(home) == [1]


def _written(home: House) -> object:
    """A small entry, until not even that has a place."""
    draft = Draft(kind="observed", scope="t", action="tool", actor="harness:x")
    return home.writer.submit(lambda desk, at: desk.take(desk.begin(at).append(draft))).result()
