"""One transaction in the making: entries in order, and the book as they leave it.

Nothing here is in the log yet. The shell commits the entries together and publishes the book, or
forgets both; as every value is frozen, forgetting is free.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.entries import Draft, Entry, place
from app.domain.evolve import evolve
from app.domain.replacing import replace
from app.domain.state import Book


@dataclass(frozen=True, kw_only=True)  # replaced with every entry: see replacing.py
class Pending:
    """Entries that belong together, at one time, on top of a book that they already changed."""

    book: Book
    at: str  # RFC 3339, UTC, milliseconds
    entries: tuple[Entry, ...] = ()

    def append(self, *drafts: Draft) -> Pending:
        """This transaction with `drafts` at its end, each in the next place of the log."""
        book, entries = self.book, [*self.entries]
        for draft in drafts:
            entry = place(draft, book.head + 1, self.at)
            book = evolve(book, entry)
            entries.append(entry)
        return replace(self, book=book, entries=tuple(entries))

    @property
    def last(self) -> Entry:
        """The entry appended last; there is one."""
        return self.entries[-1]
