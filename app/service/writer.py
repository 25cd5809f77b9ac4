"""The writer: one thread, one queue, one connection; nothing is answered before it is committed.

    take all the work that waits
      do each piece on the desk (memory only; a fault drops that piece and no other)
    commit every entry of the group in one transaction, with one sync
    publish the book, answer

When the log cannot be written the whole group is forgotten, counted, and refused as unavailable;
the first group that can be written again begins with one gap entry. Entries that the log will never
take undo the one piece that made them.

Whoever no longer waits for an answer has cancelled it. A piece that was not begun by then is left
out and counted as lost. A verdict that was committed in vain stays in the log, as nothing can be
taken back, and is counted as lost as well: the harness heard another answer, which no entry holds.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from app.domain.entries import EVERYWHERE, MACHINE, Draft, Entry
from app.domain.state import Book
from app.service.desk import Desk, Unreadable
from app.store.errors import LogRefused, LogUnavailable

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


STOPPING: Final = Unavailable(cause="floorboss is stopping")
OVERLOADED: Final = Unavailable(cause="too much work waits")


class Recipient(Protocol):
    """Who gets the answer to a piece of work, in the writer's thread."""

    def cancelled(self) -> bool: ...

    def claim(self) -> bool: ...  # False: nobody waits; after True nobody can stop waiting

    def tell(self, told: object) -> None: ...


class Promise(Future[object]):
    """An answer that a thread can wait for."""

    def claim(self) -> bool:
        """Whether an answer is still wanted; afterwards nobody can stop waiting for it."""
        return self.set_running_or_notify_cancel()

    def tell(self, told: object) -> None:
        """Give the answer; an exception is raised where it is waited for."""
        if isinstance(told, Exception):
            self.set_exception(told)
        else:
            self.set_result(told)


@dataclass(slots=True)
class Piece(Generic[Result]):
    """One piece of work: what to do on the desk, and who waits for the answer.

    `events` and `verdicts` say what is lost when the log cannot be written. What only `reads` is
    answered all the same.
    """

    run: Callable[[Desk, str], Result]
    finish: Callable[[Result, Mapping[int, Entry]], object]
    answer: Recipient
    events: int = 0
    verdicts: int = 0
    reads: bool = False


@dataclass(slots=True)
class Lost:
    """What could not be logged since the log was last writable."""

    events: int = 0
    verdicts: int = 0
    since: str = ""
    until: str = ""

    def count(self, at: str, *, events: int, verdicts: int) -> None:
        """Count what left nothing in the log, or a verdict that was answered without it."""
        if not events and not verdicts:
            return
        self.events += events
        self.verdicts += verdicts
        self.since = self.since or at
        self.until = at

    @property
    def total(self) -> int:
        """How much there is to tell."""
        return self.events + self.verdicts

    def and_then(self, later: Lost) -> Lost:
        """Both together, as nothing could be told in between."""
        return Lost(
            events=self.events + later.events,
            verdicts=self.verdicts + later.verdicts,
            since=self.since or later.since,
            until=later.until or self.until,
        )

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
                "count": self.total,
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
        self._missed = Lost()  # counted by others than the writer's thread, under the lock
        self._lock = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._loop, name="floorboss-writer", daemon=True)
        self.book = desk.book  # what is committed; any thread may read it
        self.cause: str | None = None  # why the log cannot be written now; None: it can

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, then end; whatever comes later is refused."""
        self._stopped = True
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()
        with suppress(queue.Empty):  # what came in the very moment of stopping
            while True:
                late = self._queue.get_nowait()
                if late is not None:
                    self._tell(late, STOPPING, {})

    def now(self) -> str:
        """The time as the next entries will have it."""
        return self._clock()

    @property
    def lost(self) -> int:
        """How many events and verdicts the next gap entry will count."""
        return self._lost.and_then(self._missed).total

    def missed(self, *, events: int = 0, verdicts: int = 0) -> None:
        """Count what was answered without ever coming to the writer."""
        with self._lock:
            self._missed.count(self._clock(), events=events, verdicts=verdicts)

    def submit(
        self,
        run: Callable[[Desk, str], Result],
        finish: Callable[[Result, Mapping[int, Entry]], object] = lambda result, entries: result,
        *,
        events: int = 0,
        verdicts: int = 0,
        reads: bool = False,
    ) -> Future[object]:
        """Queue one piece of work; its answer comes when everything it wrote is durable."""
        promise = Promise()
        self.put(Piece(run, finish, promise, events, verdicts, reads))
        return promise

    def put(self, piece: Piece[Result]) -> None:
        """Queue one piece of work; its recipient is told when everything it wrote is durable."""
        refused = self._overloaded()
        if refused is None:
            self._queue.put(piece)  # type: ignore[arg-type]
            return
        self.missed(events=piece.events, verdicts=piece.verdicts)
        piece.answer.tell(refused)

    def _overloaded(self) -> Unavailable | None:
        if self._stopped:
            return STOPPING
        return OVERLOADED if self._queue.qsize() >= WAITING else None

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
        earlier, self._lost = self._lost.and_then(self._taken()), Lost()
        if earlier.total:
            self._desk.take(self._desk.begin(at).append(earlier.draft()))
        done = [(piece, self._run(piece, at)) for piece in group if self._awaited(piece, at)]
        try:
            entries = self._commit()
        except (LogUnavailable, LogRefused) as problem:
            self._lost = earlier.and_then(self._lost)
            self._desk.forget(before)
            self._failed([piece for piece, _ in done], at, problem)
        else:
            self._answer(done, entries, at)

    def _taken(self) -> Lost:
        """What others counted since the last group."""
        with self._lock:
            missed, self._missed = self._missed, Lost()
        return missed

    def _awaited(self, piece: Piece[object], at: str) -> bool:
        """Whether somebody still waits for this piece; otherwise it is not begun."""
        if not piece.answer.cancelled():
            return True
        self._lost.count(at, events=piece.events, verdicts=piece.verdicts)
        return False

    def _run(self, piece: Piece[object], at: str) -> object:
        """Do one piece; whatever goes wrong in it undoes this piece and nothing else."""
        book, count = self._desk.book, len(self._desk.fresh)
        try:
            return piece.run(self._desk, at)
        except (LogUnavailable, Unreadable) as problem:
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

    def _failed(
        self, group: list[Piece[object]], at: str, problem: LogUnavailable | LogRefused
    ) -> None:
        match problem:
            case LogUnavailable():
                self._unavailable(group, at, str(problem))
            case LogRefused():
                self._refused(group, at, problem)

    def _unavailable(self, group: list[Piece[object]], at: str, cause: str) -> None:
        if cause != self.cause:  # said once, not for every event of a full disk
            _log.error("the log cannot be written: %s", cause)
        self.cause = cause
        for piece in group:
            self._lost.count(at, events=piece.events, verdicts=piece.verdicts)
            if piece.reads:
                self._tell(piece, self._run(piece, at), {})
            else:
                self._tell(piece, Unavailable(cause=cause), {})

    def _refused(self, group: list[Piece[object]], at: str, problem: LogRefused) -> None:
        """Write the pieces one by one; the one that the log never takes fails alone."""
        if len(group) > 1:
            for piece in group:
                self._write([piece])
            return
        _log.error("the log refuses an entry: %s", problem)
        for piece in group:
            self._lost.count(at, events=piece.events, verdicts=piece.verdicts)
            self._tell(piece, problem, {})

    def _answer(
        self, done: list[tuple[Piece[object], object]], entries: tuple[Entry, ...], at: str
    ) -> None:
        self._desk.committed()
        self.book = self._desk.book
        if entries:
            self.cause = None
            self._published(entries)
        by_seq = {entry.seq: entry for entry in entries}
        for piece, result in done:
            if isinstance(result, Unavailable):  # the past could not be read
                self._lost.count(at, events=piece.events, verdicts=piece.verdicts)
                self._tell(piece, result, by_seq)
            elif not self._tell(piece, result, by_seq):
                self._lost.count(at, events=0, verdicts=piece.verdicts)

    def _published(self, entries: tuple[Entry, ...]) -> None:
        """Tell the listeners; a fault of theirs is not the log's."""
        try:
            self._publish(self.book, entries)
        except Exception:
            _log.exception("a listener failed")

    def _tell(self, piece: Piece[object], result: object, entries: Mapping[int, Entry]) -> bool:
        """Give a piece its answer; False: nobody waits for it any more."""
        if not piece.answer.claim():
            return False
        try:
            told = result if _is_fault(result) else piece.finish(result, entries)
        except Exception as fault:  # the thread must outlive any fault of one piece
            told = fault
        piece.answer.tell(told)
        return True


def _is_fault(result: object) -> bool:
    return isinstance(result, Exception | Unavailable)
