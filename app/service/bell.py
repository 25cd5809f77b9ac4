"""A bell that rings when something was committed: who follows the log waits for it and reads on.

It says that there is more and not what: entries come from the log alone, by their seq, so nobody
misses one or hears one twice, and nothing piles up in memory for whoever is slow.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from app.domain.entries import Entry
from app.domain.state import Book


class Bell:
    """Rung by the writer's thread, waited for on one event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None  # None: nobody has waited yet
        self._next = asyncio.Event()
        self._rung = False
        self.closed = False

    def next(self) -> asyncio.Event:
        """What is set at the next ring; take it before looking, and no ring is missed."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._next, self._rung = loop, asyncio.Event(), False
        if self.closed:
            self._next.set()
        return self._next

    def ring(self, book: Book, entries: tuple[Entry, ...]) -> None:
        """In any thread: wake whoever waits; further rings until then are the same one."""
        if self._loop is not None and not self._rung:
            self._rung = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """In the loop: let everybody go, and nobody wait again."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        self._rung = False
        self._next.set()
        self._next = asyncio.Event()
