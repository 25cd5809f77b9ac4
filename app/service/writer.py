"""The writer: one thread, one queue, one connection; nothing is answered before it is committed.

    take all the work that waits
      do each piece on the desk (memory only; a fault drops that piece and no other)
    commit every entry of the group in one transaction, with one sync
    publish the book, answer

When the log cannot be written the whole group is forgotten, counted, and refused as unavailable;
the first group that can be written again begins with one gap entry (reliability: DUR-04).
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from app.domain.entries import EVERYWHERE, MACHINE, Draft, Entry
from app.domain.state import Book
from app.service.desk import Desk
from app.store.errors import LogUnavailable

Result = TypeVar("Result")
_log = logging.getLogger("floorboss.writer")

GROUP = 256  # pieces of work committed together at the most
WAITING = 10_000  # pieces of work that may wait; further ones are refused as overload


class Ledger(Protocol):
    """What the writer asks of a log: one transaction for a group of entries."""

    def commit(self, entries: Sequence[Entry]) -> tuple[Entry, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """Nothing was written: the log could not be, for the cause named, or too much waited."""

    cause: str


@dataclass(slots=True)
class Piece(Generic[Result]):
    """One piece of work: what to do on the desk, and who waits for the answer.

    `events` and `verdicts` say what is lost when the log cannot be written.
    """

    run: Callable[[Desk, str], Result]
    finish: Callable[[Result, Mapping[int, Entry]], object]
    answer: Future[object]
    events: int = 0
    verdicts: int = 0


@dataclass(slots=True)
class Lost:
    """What could not be logged since the log was last writable."""

    events: int = 0
    verdicts: int = 0
    since: str = ""
    until: str = ""

    def count(self, piece: Piece[object], at: str) -> None:
        """Count one piece of work that left nothing in the log."""
        self.events += piece.events
        self.verdicts += piece.verdicts
        self.since = self.since or at
        self.until = at

    def draft(self) -> Draft:
        """The gap entry that tells what is missing."""
        return Draft(
            kind="gap",
            scope=EVERYWHERE,
            action="notice",
            actor=MACHINE,
            body={
                "from": self.since,
                "to": self.until,
                "count": self.events + self.verdicts,
                "events": self.events,
                "verdicts": self.verdicts,
            },
        )


class Writer:
    """The only thread that makes entries; `start` before the first `submit`, `stop` at the end."""

    def __init__(
        self,
        desk: Desk,
        ledger: Ledger,
        clock: Callable[[], str],
        publish: Callable[[Book, tuple[Entry, ...]], None] = lambda book, entries: None,
    ) -> None:
        self._desk = desk
        self._ledger = ledger
        self._clock = clock
        self._publish = publish
        self._queue: queue.SimpleQueue[Piece[object] | None] = queue.SimpleQueue()
        self._lost = Lost()
        self._thread = threading.Thread(target=self._loop, name="floorboss-writer", daemon=True)
        self.book = desk.book  # what is committed; any thread may read it
        self.cause: str | None = None  # why the log cannot be written now; None: it can

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, then end."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    @property
    def lost(self) -> int:
        """How many events and verdicts the next gap entry will count."""
        return self._lost.events + self._lost.verdicts

    def submit(
        self,
        run: Callable[[Desk, str], Result],
        finish: Callable[[Result, Mapping[int, Entry]], object] = lambda result, entries: result,
        *,
        events: int = 0,
        verdicts: int = 0,
    ) -> Future[object]:
        """Queue one piece of work; its answer comes when everything it wrote is durable."""
        answer: Future[object] = Future()
        if self._queue.qsize() >= WAITING:
            answer.set_result(Unavailable(cause="too much work waits"))
            return answer
        piece = Piece(run=run, finish=finish, answer=answer, events=events, verdicts=verdicts)
        self._queue.put(piece)  # type: ignore[arg-type]
        return answer

    def _loop(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            group, last = self._gather(first)
            self._write(group)
            if last:
                return

    def _gather(self, first: Piece[object]) -> tuple[list[Piece[object]], bool]:
        group = [first]
        while len(group) < GROUP:
            try:
                piece = self._queue.get_nowait()
            except queue.Empty:
                return group, False
            if piece is None:
                return group, True
            group.append(piece)
        return group, False

    def _write(self, group: list[Piece[object]]) -> None:
        before, at = self._desk.book, self._clock()
        if self.lost:
            self._desk.take(self._desk.begin(at).append(self._lost.draft()))
        results = [self._run(piece, at) for piece in group]
        try:
            entries = self._commit()
        except LogUnavailable as problem:
            self._unavailable(group, before, at, str(problem))
            return
        self._answer(group, results, entries)

    def _run(self, piece: Piece[object], at: str) -> object:
        """Do one piece; whatever goes wrong in it undoes this piece and nothing else."""
        book, count = self._desk.book, len(self._desk.fresh)
        try:
            return piece.run(self._desk, at)
        except LogUnavailable as problem:
            self._desk.forget(book, count)
            return Unavailable(cause=str(problem))
        except Exception as fault:  # the thread must outlive any fault of one piece
            _log.exception("a piece of work failed")
            self._desk.forget(book, count)
            return fault

    def _commit(self) -> tuple[Entry, ...]:
        if not self._desk.fresh:
            return ()
        return self._ledger.commit(tuple(self._desk.fresh))

    def _unavailable(self, group: list[Piece[object]], before: Book, at: str, cause: str) -> None:
        _log.error("the log cannot be written: %s", cause)
        self._desk.forget(before)
        self.cause = cause
        for piece in group:
            self._lost.count(piece, at)
            piece.answer.set_result(Unavailable(cause=cause))

    def _answer(
        self, group: list[Piece[object]], results: list[object], entries: tuple[Entry, ...]
    ) -> None:
        self._desk.committed()
        self.book = self._desk.book
        if entries:
            self._lost, self.cause = Lost(), None
            self._publish(self.book, entries)
        by_seq = {entry.seq: entry for entry in entries}
        for piece, result in zip(group, results, strict=True):
            match result:
                case Exception():
                    piece.answer.set_exception(result)
                case Unavailable():
                    piece.answer.set_result(result)
                case _:
                    piece.answer.set_result(piece.finish(result, by_seq))
