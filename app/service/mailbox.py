"""Answers from the writer's thread to one event loop, however many with a single wake-up.

The writer answers a whole group at once. Waking the loop for each answer is a system call and a
turn of the loop for each; here the first answer wakes it and the others lie in the box by then.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress


class Ticket:
    """One answer on its way into a box; a `concurrent.futures.Future` costs ten times as much."""

    __slots__ = ("_box", "_decided", "_gone", "told", "waiting")

    def __init__(self, box: Mailbox) -> None:
        self._box = box
        self._decided = threading.Lock()  # taken by who answers, or by who stops waiting
        self._gone = False
        self.told: object = None
        self.waiting: asyncio.Future[object] = box.loop.create_future()

    def claim(self) -> bool:
        """Whether an answer is still wanted; afterwards nobody can stop waiting for it."""
        return self._decided.acquire(blocking=False)

    def tell(self, told: object) -> None:
        """Give the answer, in any thread; an exception is raised where it is waited for."""
        self.told = told
        self._box.deliver(self)

    def cancel(self) -> None:
        """Stop waiting, unless the answer was claimed before."""
        if self._decided.acquire(blocking=False):
            self._gone = True

    def cancelled(self) -> bool:
        """Whether nobody waits any more."""
        return self._gone


class Mailbox:
    """Hands answers to those who wait on one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._full: deque[Ticket] = deque()
        self._woken = False

    async def receive(self, ask: Callable[[Ticket], object]) -> object:
        """Wait for the answer to what is asked with a ticket; whoever stops waiting cancels it."""
        ticket = Ticket(self)
        ask(ticket)
        try:
            return await ticket.waiting
        except asyncio.CancelledError:
            ticket.cancel()
            raise

    def deliver(self, ticket: Ticket) -> None:
        """In any thread: put the answer into the box, and wake the loop if nobody did yet."""
        self._full.append(ticket)
        if not self._woken:
            self._woken = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self.loop.call_soon_threadsafe(self._empty)

    def _empty(self) -> None:
        """In the loop: give out everything; what comes meanwhile wakes the loop again."""
        self._woken = False
        while self._full:
            ticket = self._full.popleft()
            if ticket.waiting.done():  # cancelled
                continue
            if isinstance(ticket.told, Exception):
                ticket.waiting.set_exception(ticket.told)
            else:
                ticket.waiting.set_result(ticket.told)
