"""Committed entries, to whoever listens: the console now, the stream later."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.entries import Entry
from app.domain.state import Book

Listener = Callable[[Book, tuple[Entry, ...]], None]


class Feed:
    """Calls every listener with each committed group, in the writer's thread: be quick."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()

    def listen(self, listener: Listener) -> None:
        """Call `listener` for every group from now on."""
        self._listeners = (*self._listeners, listener)

    def publish(self, book: Book, entries: tuple[Entry, ...]) -> None:
        """Tell every listener what was committed, and the book as it is now."""
        for listener in self._listeners:
            listener(book, entries)
