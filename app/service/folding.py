"""Long sessions are folded beside the writer, so that nobody waits for the past of another.

A session that is not at hand and has many entries is folded in a thread of its own; the writer then
takes it, and what came since. A short one is folded by the writer, in the moment it is needed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

from app.domain.entries import EVERYWHERE, Entry, session_of
from app.domain.evolve import evolve_all
from app.domain.state import Book, Session
from app.service.writer import Writer
from app.store.errors import StoreError

LONG = 500  # entries; the writer folds as many in some fifty milliseconds
AT_ONCE = 2  # sessions; the others that are long wait for these, and nobody else does


class History(Protocol):
    """What is asked of the committed log, from any thread."""

    def longer_than(self, session: str, entries: int) -> bool: ...

    def entries_of(self, session: str) -> Iterator[Entry]: ...

    def get(self, seq: int) -> Entry | None: ...


class Folding:
    """Brings long sessions to the writer's desk; `at_hand` waits for them, nobody has to."""

    def __init__(self, history: History, writer: Writer) -> None:
        self._history = history
        self._writer = writer
        self._threads = ThreadPoolExecutor(AT_ONCE, "floorboss-folding")
        self._under_way: dict[str, Future[None]] = {}
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Give up what is being folded."""
        self._closed = True
        self._threads.shutdown(cancel_futures=True)

    async def at_hand(self, scopes: Iterable[str], within: float | None = None) -> bool:
        """Wait until the sessions of `scopes` can be used at once; False: it takes longer."""
        known = self._writer.book.sessions
        names = dict.fromkeys(map(session_of, scopes))
        missing = [name for name in names if name not in known and name != EVERYWHERE]
        if not missing:
            return True
        done, _ = await asyncio.wait({asyncio.ensure_future(self._folded(missing))}, timeout=within)
        return bool(done)

    async def entry_at_hand(self, seq: int) -> None:
        """Wait until the session of the entry at one place can be used at once."""
        entry = await asyncio.to_thread(self._entry, seq)
        if entry is not None:
            await self.at_hand((entry.scope,))

    def _entry(self, seq: int) -> Entry | None:
        with suppress(StoreError):
            return self._history.get(seq)
        return None

    async def _folded(self, names: list[str]) -> None:
        long = await asyncio.to_thread(self._long, names)
        futures = [asyncio.wrap_future(self._begun(name)) for name in long]
        await asyncio.gather(*futures, return_exceptions=True)

    def _long(self, names: list[str]) -> list[str]:
        """Those worth a thread; what cannot be read now is left to the writer, which says so."""
        with suppress(StoreError):
            return [name for name in names if self._history.longer_than(name, LONG)]
        return []

    def _begun(self, name: str) -> Future[None]:
        """The folding of one session, begun once however many wait for it."""
        with self._lock:
            future = self._under_way.get(name)
            if future is None or future.done():
                future = self._under_way[name] = self._threads.submit(self._fold, name)
        return future

    def _fold(self, name: str) -> None:
        try:
            book = Book().with_session(Session(id=name))
            session = evolve_all(book, self._entries(name)).sessions[name]
            if not self._closed:
                self._writer.submit(lambda desk, at: desk.adopt(session), reads=True).result()
        finally:
            with self._lock:
                self._under_way.pop(name, None)

    def _entries(self, name: str) -> Iterator[Entry]:
        for entry in self._history.entries_of(name):
            if self._closed:
                return
            yield entry
