"""The writer: groups, one sync each; a faulty piece alone fails; what is lost is counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from app.domain.entries import Draft, Entry
from app.service.desk import Desk
from app.service.writer import OVERLOADED, STOPPING, Unavailable, Writer
from app.store.errors import LogRefused, LogUnavailable
from app.store.log import Log
from tests.domain.floor import AT
from tests.service.house import House, call, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as opened:
        yield opened


def draft(text: str = "", **fields: Any) -> Draft:
    said: dict[str, Any] = {
        "kind": "observed", "scope": "s", "action": "tool", "actor": "harness:x",
        "body": {"text": text},
    }  # fmt: skip
    return Draft(**{**said, **fields})


BIG = draft("x" * 50_000)  # needs pages of its own


def writes(*drafts: Draft) -> Callable[[Desk, str], int]:
    """A piece of work that writes these, and says how many entries it saw before them."""

    def run(desk: Desk, at: str) -> int:
        seen = desk.book.head
        desk.take(desk.begin(at).append(*drafts))
        return seen

    return run


class Counting:
    """A log that remembers how its commits were grouped."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.groups: list[int] = []

    def commit(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        self.groups.append(len(entries))
        return self.log.commit(entries)


def held(writer: Writer) -> tuple[threading.Event, Future[object]]:
    """Keep the writer busy until the event is set, so that what comes meanwhile is one group."""
    release, began = threading.Event(), threading.Event()

    def run(desk: Desk, at: str) -> None:
        began.set()
        release.wait()

    future = writer.submit(run)
    began.wait()
    return release, future


def together(
    home: House, *pieces: Callable[[Desk, str], Any], events: int = 0, verdicts: int = 0
) -> list[Future[object]]:
    """Pieces that are written as one group."""
    release, _ = held(home.writer)
    futures = [home.writer.submit(piece, events=events, verdicts=verdicts) for piece in pieces]
    release.set()
    for future in futures:
        future.exception()
    return futures


def test_what_waits_is_committed_together(home: House) -> None:
    counting = Counting(home.log)
    home.writer._ledger = counting
    futures = together(home, *(writes(draft(str(at))) for at in range(20)))
    assert [future.result() for future in futures] == list(range(1, 21))
    assert counting.groups == [20]


def test_pieces_of_one_group_see_each_other_and_keep_their_order(home: House) -> None:
    together(home, *(writes(draft(str(at))) for at in range(5)))
    assert [entry.body["text"] for entry in home.entries("observed")] == list("01234")


def test_an_answer_comes_when_its_entries_are_in_the_log(home: House) -> None:
    def finish(result: Any, entries: Any) -> Any:
        return [entry.hash for entry in entries.values()], home.reader.head()

    answer: Any = home.writer.submit(writes(draft()), finish).result()
    assert (len(answer[0][0]), answer[1]) == (64, 2)


def test_a_faulty_piece_undoes_itself_and_nothing_else(home: House) -> None:
    def faulty(desk: Desk, at: str) -> None:
        desk.take(desk.begin(at).append(draft("gone", dedup_key="k")))
        raise RuntimeError("of this piece")

    def looks(desk: Desk, at: str) -> object:
        return desk.find("k")

    first, second, third, fourth = together(
        home, writes(draft("a")), faulty, looks, writes(draft("b"))
    )
    assert (first.result(), third.result(), fourth.result()) == (1, None, 2)
    assert isinstance(second.exception(), RuntimeError)
    assert [entry.body["text"] for entry in home.entries("observed")] == ["a", "b"]


def test_an_entry_that_the_log_never_takes_fails_alone(home: House) -> None:
    bad = draft(kind="applied", action="notice", actor="machine", direction="loosen")
    first, second, third = together(home, writes(draft("a")), writes(bad), writes(draft("b")))
    assert (first.result(), third.result()) == (1, 2)
    assert isinstance(second.exception(), LogRefused)
    assert [entry.body["text"] for entry in home.entries("observed")] == ["a", "b"]


def test_the_thread_outlives_faults_of_those_who_finish_and_listen(home: House) -> None:
    def faulty(*_: object) -> object:
        raise RuntimeError("not the log's")

    home.feed.listen(faulty)  # type: ignore[arg-type]
    assert isinstance(home.writer.submit(writes(draft()), faulty).exception(), RuntimeError)
    assert home.writer.submit(writes(draft())).result() == 2


def test_a_full_disk_refuses_the_whole_group_and_counts_it(home: House) -> None:
    before = home.writer.book
    home.full()
    big = [writes(BIG) for _ in range(3)]
    answers = [future.result() for future in together(home, *big, events=2, verdicts=1)]
    assert all(isinstance(answer, Unavailable) for answer in answers)
    assert home.writer.lost == 9
    assert home.writer.cause is not None
    assert home.writer.book == before
    assert home.desk.book == before
    assert len(home.entries()) == 1


def test_the_first_success_writes_one_gap_with_what_was_lost(home: House) -> None:
    home.full()
    home.writer.submit(writes(BIG), events=2).result()
    home.writer.submit(writes(BIG), verdicts=1).result()
    home.freed()
    home.writer.submit(writes(draft("again")), events=1).result()
    home.writer.submit(writes(draft("later")), events=1).result()
    assert [entry.kind for entry in home.entries()][1:] == ["gap", "observed", "observed"]
    (gap,) = home.entries("gap")
    assert (gap.scope, gap.actor) == ("*", "machine")
    assert gap.body == {"from": AT, "to": AT, "count": 3, "events": 2, "verdicts": 1}
    assert (home.writer.lost, home.writer.cause) == (0, None)


def test_the_gap_itself_may_fail_and_is_told_once(home: House) -> None:
    home.full()
    for _ in range(3):
        home.writer.submit(writes(BIG), events=1).result()
    home.freed()
    home.writer.submit(writes(draft())).result()
    assert [entry.body["count"] for entry in home.entries("gap")] == [3]


def test_a_full_disk_keeps_nobody_from_reading(home: House) -> None:
    together(home, writes(draft("known", scope="t")))
    home.desk.book = home.desk.book.without("t")
    home.full()
    release, _ = held(home.writer)
    write = home.writer.submit(writes(BIG), events=1)
    read = home.writer.submit(lambda desk, at: desk.load("t").last_seq, reads=True)
    release.set()
    assert isinstance(write.result(), Unavailable)
    assert read.result() == 2


def test_a_past_that_cannot_be_read_is_counted_too(home: House) -> None:
    def unreadable(desk: Desk, at: str) -> None:
        raise LogUnavailable("disk I/O error")

    answer = home.writer.submit(unreadable, events=1).result()
    assert answer == Unavailable(cause="disk I/O error")
    home.writer.submit(writes(draft())).result()
    assert [entry.body["count"] for entry in home.entries("gap")] == [1]


def test_work_that_nobody_waits_for_is_not_begun_and_counts_as_lost(home: House) -> None:
    release, _ = held(home.writer)
    future = home.writer.submit(writes(draft("unwanted")), verdicts=1)
    future.cancel()
    release.set()
    home.writer.submit(writes(draft("wanted"))).result()
    home.writer.submit(writes(draft("later"))).result()
    assert [entry.body.get("text") for entry in home.entries("observed")] == ["wanted", "later"]
    assert [entry.body["verdicts"] for entry in home.entries("gap")] == [1]


def test_after_the_end_nothing_is_taken_and_nobody_waits(home: House) -> None:
    home.writer.stop()
    assert home.writer.submit(writes(draft())).result() == STOPPING


def test_what_waits_is_written_before_the_end(home: House) -> None:
    release, _ = held(home.writer)
    futures = [home.writer.submit(writes(draft(str(at)))) for at in range(5)]
    stopping = threading.Thread(target=home.writer.stop)
    stopping.start()
    release.set()
    stopping.join()
    assert all(isinstance(future.result(), int) for future in futures)
    assert len(home.entries("observed")) == 5


def test_parallel_posts_are_each_stored_once_and_in_one_order(home: House) -> None:
    def post(name: int) -> None:
        for at in range(25):
            home.writer.submit(writes(draft(f"{name} {at}"))).result()

    threads = [threading.Thread(target=post, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = [str(entry.body["text"]) for entry in home.entries("observed")]
    assert sorted(texts) == sorted(f"{name} {at}" for name in range(8) for at in range(25))
    for name in range(8):  # each poster's own are in the order in which they were posted
        own = [int(text.split()[1]) for text in texts if text.split()[0] == str(name)]
        assert own == list(range(25))
    assert [entry.seq for entry in home.entries()] == list(range(1, 202))


def test_every_committed_group_is_told_to_those_who_listen(home: House) -> None:
    told: list[int] = []
    home.feed.listen(lambda book, entries: told.extend(entry.seq for entry in entries))
    home.stored(call(), call("ls"))
    home.stored(call())
    assert told == [2, 3, 4]
    assert home.control.written["observed"] == 3


def test_what_too_long_a_queue_turned_away_is_counted(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.writer.WAITING", 0)
    assert home.writer.submit(writes(draft()), events=2, verdicts=1).result() == OVERLOADED
    assert home.writer.lost == 3
    monkeypatch.undo()
    home.writer.submit(writes(draft())).result()
    (gap,) = home.entries("gap")
    assert (gap.body["events"], gap.body["verdicts"], home.writer.lost) == (2, 1, 0)
