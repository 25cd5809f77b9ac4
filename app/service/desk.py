"""The desk: the book, and the past it was folded from, at the one place where entries are made.

A session is folded from the log when it is first needed and forgotten when many others were used
since; the log makes the same state again. What is not committed yet can be forgotten as well.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from app.classification.disk import Disk
from app.domain.configuration import Configuration
from app.domain.entries import EVERYWHERE, MACHINE, Entry, session_of
from app.domain.evolve import evolve
from app.domain.state import Book, Session
from app.domain.transaction import Pending

SESSIONS = 2_000  # sessions kept in memory; each is a few hundred kilobytes at the most


class Past(Protocol):
    """What the desk asks of a log: only what is committed."""

    @property
    def head_seq(self) -> int: ...

    def entries_of(self, session: str, after: int = 0) -> Iterable[Entry]: ...

    def find(self, dedup_key: str) -> Entry | None: ...

    def get(self, seq: int) -> Entry | None: ...


class Unreadable(Exception):
    """The past holds an entry that floorboss did not write; `str()` says which."""


class Desk:
    """The book as the entries made so far leave it, committed or not."""

    def __init__(
        self,
        past: Past,
        configuration: Configuration,
        keep: int = SESSIONS,
        own: tuple[str, ...] = (),
        disk: type[Disk] = Disk,
        texts: bool = True,
        let_go: Callable[[Session], None] = lambda session: None,
    ) -> None:
        self.past = past
        self._otherwise = configuration  # where no entry holds the settings
        self.own = own  # what no agent may write
        self.disk = disk  # what is asked about the paths of a call
        self.texts = texts  # whether entries hold what a call was told and what it answered
        self._let_go = let_go  # told of each session that is no longer at hand
        self.fresh: list[Entry] = []  # made in this group, not committed
        self._keys: dict[str, Entry] = {}
        self._looked_up: dict[str, Entry | None] = {}  # in the past, since the last commit
        self._keep = keep
        self._used: OrderedDict[str, None] = OrderedDict()
        self.book = self._opened()

    @property
    def configuration(self) -> Configuration:
        """The configuration in force: that of the newest configured entry, committed or not."""
        return self.under(self.book)

    def under(self, book: Book) -> Configuration:
        """The configuration that a book has in force."""
        return book.configuration(self._otherwise)

    def _opened(self) -> Book:
        return self._folded(Book(head=self.past.head_seq), EVERYWHERE)

    def _folded(self, book: Book, name: str) -> Book:
        """The book with a session's further entries; a row that nobody understands is named."""
        seq = book.session(name).last_seq
        try:
            for entry in self.past.entries_of(name, seq):
                seq = entry.seq
                book = evolve(book, entry)
        except (ValueError, TypeError, AttributeError, LookupError) as fault:
            raise Unreadable(
                f"entry {seq}, or the next one of its session, is not as floorboss writes them; "
                "floorboss verify tells whether the log was changed"
            ) from fault
        return book

    def load(self, scope: str) -> Session:
        """The session of `scope`, folded from the log when it is not at hand."""
        name = session_of(scope)
        if name == EVERYWHERE:
            return self.book.everywhere
        if name not in self.book.sessions:
            book = self.book.with_session(Session(id=name))
            self.book = self._folded(book, name)
        self._used[name] = None
        self._used.move_to_end(name)
        return self.book.sessions[name]

    def look(self, scope: str) -> tuple[Book, Session]:
        """The book with the session of `scope` in it; one without entries takes nobody's place."""
        found = self.load(scope)
        book = self.book
        if not found.last_seq:
            self.book = book.without(found.id)
            self._used.pop(found.id, None)
        return book, found

    def adopt(self, session: Session) -> None:
        """Take a session that was folded elsewhere, and what came since."""
        name = session.id
        if name not in self.book.sessions:
            self.book = self._folded(self.book.with_session(session), name)
        self.load(name)

    def begin(self, at: str) -> Pending:
        """A transaction on top of what the desk knows."""
        return Pending(book=self.book, at=at)

    def take(self, pending: Pending) -> None:
        """Make a transaction part of the group that is committed next."""
        self.book = pending.book
        self.fresh.extend(pending.entries)
        for entry in pending.entries:
            if entry.dedup_key is not None:
                self._keys[entry.dedup_key] = entry

    def find(self, dedup_key: str) -> Entry | None:
        """The entry with this key, committed or in this group."""
        made = self._keys.get(dedup_key)
        if made is not None:
            return made
        if dedup_key not in self._looked_up:
            self._looked_up[dedup_key] = self.past.find(dedup_key)
        return self._looked_up[dedup_key]

    def get(self, seq: int) -> Entry | None:
        """The entry at this place, committed or in this group."""
        if self.fresh and seq >= self.fresh[0].seq:
            return next((entry for entry in self.fresh if entry.seq == seq), None)
        return self.past.get(seq)

    def caused_by(self, seq: int) -> tuple[Entry, ...]:
        """The entries that a reported event caused: those that follow right behind it."""
        found: list[Entry] = []
        while (entry := self.get(seq + len(found) + 1)) is not None and _follows(entry):
            found.append(entry)
        return tuple(found)

    def committed(self) -> None:
        """The group is in the log: what is fresh has become the past."""
        self.fresh.clear()
        self._keys.clear()
        self._looked_up.clear()
        while len(self._used) > self._keep:
            name, _ = self._used.popitem(last=False)
            if name in self.book.sessions:
                self._let_go(self.book.sessions[name])
            self.book = self.book.without(name)

    def forget(self, book: Book, entries: int = 0) -> None:
        """Go back to an earlier book; of this group's entries the first `entries` stay."""
        dropped = self.fresh[entries:]
        del self.fresh[entries:]
        for entry in dropped:
            if entry.dedup_key is not None:
                self._keys.pop(entry.dedup_key, None)
        self.book = replace(book, head=self.fresh[-1].seq if self.fresh else self.past.head_seq)


def _follows(entry: Entry) -> bool:
    """Whether an entry belongs to the event before it; the next event begins with another kind."""
    if entry.kind in ("approved", "reverted"):
        return entry.body.get("artifact") is not None  # a standing approval that was used
    if "proposer" in entry.body:
        return False  # a model answered meanwhile
    return entry.actor == MACHINE and entry.kind in ("applied", "proposed", "ended")
