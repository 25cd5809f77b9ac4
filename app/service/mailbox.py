"""Answers from the writer's thread to one event loop, however many with a single wake-up.

The writer answers a whole group at once. Waking the loop for each answer is a system call and a
turn of the loop for each; here the first answer wakes it and the others lie in the box by then.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeAlias

Pair: TypeAlias = tuple["Future[object]", "asyncio.Future[object]"]


class Mailbox:
    """Hands results of `concurrent.futures` to those who wait on one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._full: deque[Pair] = deque()
        self._woken = False

    async def receive(self, source: Future[object]) -> object:
        """Wait for `source`; whoever stops waiting cancels it, as `asyncio.wrap_future` does."""
        waiting: asyncio.Future[object] = self.loop.create_future()
        source.add_done_callback(lambda done: self._deliver(done, waiting))
        try:
            return await waiting
        except asyncio.CancelledError:
            source.cancel()
            raise

    def _deliver(self, source: Future[object], waiting: asyncio.Future[object]) -> None:
        """In any thread: put the answer into the box, and wake the loop if nobody did yet."""
        self._full.append((source, waiting))
        if not self._woken:
            self._woken = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self.loop.call_soon_threadsafe(self._empty)

    def _empty(self) -> None:
        """In the loop: give out everything; what comes meanwhile wakes the loop again."""
        self._woken = False
        while self._full:
            source, waiting = self._full.popleft()
            if waiting.done():  # cancelled
                continue
            error = source.exception()
            if error is None:
                waiting.set_result(source.result())
            else:
                waiting.set_exception(error)
