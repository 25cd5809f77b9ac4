"""The gate: a check that trips is the only thing that opens it, and a session has one call a time.

    the writer commits an entry that says so  ->  the session has no call under way
      ->  the call is written (calls.py)  ->  the model is asked  ->  what it came to is written

It has a thread and an event loop of its own: no event and no verdict waits for any of it. What it
writes goes through the writer like everything else.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar, cast

from app.domain.advice import Advice, Rejected, parsed
from app.domain.briefing import trips
from app.domain.entries import Entry
from app.domain.observations import part_of, text_of
from app.domain.state import Book
from app.harness import strict_json
from app.harness.base import Fault
from app.proposer import folder
from app.proposer.calls import STOPPED, Asked, Means, ask, conclude, give_up, unwritten
from app.service.desk import Desk
from app.service.private_files import UnsafePathError
from app.service.writer import Unavailable, Writer

AT_ONCE: Final = 8  # calls under way, all sessions together
DEPTH: Final = 8  # levels of an answer
AGAIN: Final = 1.0  # seconds until what could not be logged is tried again
CLOSING: Final = 5.0  # seconds that an end may take
Result = TypeVar("Result")
_log = logging.getLogger("floorboss.proposer")


class Model(Protocol):
    """Whoever answers a question with a text."""

    async def ask(self, question: str) -> str | Rejected: ...


class Gate:
    """Hears every committed entry; `start` before the first, `close` before the writer stops."""

    def __init__(self, model: Model, means: Means, texts: Path, writer: Writer) -> None:
        self._model = model
        self._means = means
        self._texts = texts
        self._writer = writer
        self._under_way: dict[str, asyncio.Task[None]] = {}  # by session
        self._loop = asyncio.SelectorEventLoop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="floorboss-proposer", daemon=True)

    def start(self, left_behind: tuple[Entry, ...] = ()) -> None:
        """Begin to listen; calls that an earlier run left behind are over."""
        for entry in left_behind:
            self._writer.submit(partial(give_up, entry))
        self._thread.start()

    def hear(self, book: Book, entries: tuple[Entry, ...]) -> None:
        """In the writer's thread: whether one of these says that a check tripped."""
        for entry in entries:
            if trips(entry) and not self._busy(entry.session):  # else the thread is left asleep
                self._soon(partial(self._consider, entry))

    def close(self) -> None:
        """Give up what is under way, write that it is, and end."""
        self._soon(self._stopping.set)
        self._thread.join(CLOSING)

    def _soon(self, run: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody asks any more
            self._loop.call_soon_threadsafe(run)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        await self._stopping.wait()
        while self._under_way:
            await asyncio.wait(self._under_way.values())

    def _consider(self, trip: Entry) -> None:
        """Ask because of `trip`, unless the session has a call under way."""
        session = trip.session
        if self._busy(session) or self._stopping.is_set():
            return
        task = asyncio.ensure_future(self._guarded(trip))
        self._under_way[session] = task
        task.add_done_callback(lambda _: self._under_way.pop(session))

    def _busy(self, session: str) -> bool:
        """In any thread: whether no call can begin for a session now."""
        return session in self._under_way or len(self._under_way) >= AT_ONCE

    async def _guarded(self, trip: Entry) -> None:
        try:
            asked = await self._written(partial(ask, self._means, trip))
            if asked is not None:
                await self._call(asked)
        except Exception:  # housekeeping must not end with one fault
            _log.exception("a call to the model failed")

    async def _call(self, asked: Asked) -> None:
        began = time.monotonic()
        answer, text = await self._answer(asked.question)
        took = round((time.monotonic() - began) * 1000)
        try:
            written = await self._concluded(asked, answer, took, text)
        except Exception as fault:  # what an answer comes to must not hide that it came
            _log.exception("what the model answered could not be written")
            wrong = Rejected(why="fault", detail=f"writing failed: {type(fault).__name__}")
            written = await self._concluded(asked, wrong, took, text)
        for entry in written:
            await self._file(entry)

    async def _concluded(
        self, asked: Asked, answer: Advice | Rejected, took: int, text: str
    ) -> tuple[Entry, ...]:
        """Write what a call came to, as often as it takes; nothing once floorboss stops."""
        run = partial(conclude, asked.entry, answer, took, text)
        while (written := await self._written(run)) is None and not self._stopping.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), AGAIN)
        return written or ()

    async def _answer(self, question: str) -> tuple[Advice | Rejected, str]:
        """What the model says, and its very text; nothing any more once floorboss stops."""
        asking = asyncio.ensure_future(self._model.ask(question))
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait((asking, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not asking.done():
            asking.cancel()
            return STOPPED, ""
        try:
            text = asking.result()
            answer = text if isinstance(text, Rejected) else understood(text, self._means.models)
        except Exception as fault:  # a server must not be able to end the thread
            _log.exception("asking the model failed")
            return Rejected(why="fault", detail=f"asking failed: {type(fault).__name__}"), ""
        return answer, "" if isinstance(text, Rejected) else text

    async def _file(self, entry: Entry) -> None:
        """The file of a text for a person, where an entry says that there is one."""
        name = text_of(part_of(entry.body, "proposer"), "file")
        if name is None:
            return
        said, kind = part_of(entry.body, "advice"), name.partition("-")[2]
        title, text = text_of(said, "title") or "", text_of(said, "text") or ""
        try:
            folder.write(self._texts, entry.seq, kind, title, text)
        except (OSError, UnsafePathError) as fault:
            detail = f"the file could not be written: {type(fault).__name__}"
            await self._written(partial(unwritten, entry, kind, detail))

    async def _written(self, run: Callable[[Desk, str], Result]) -> Result | None:
        """What a piece of work came to once it is durable; None: the log cannot be written."""
        told = await asyncio.wrap_future(self._writer.submit(run))
        return None if isinstance(told, Unavailable) else cast("Result", told)


def understood(text: str, models: tuple[str, ...]) -> Advice | Rejected:
    """The advice that a model's text is, and nothing but that."""
    value = strict_json.parse(text.encode("utf-8", "surrogatepass"), DEPTH)
    if isinstance(value, Fault):
        return Rejected(why="not_json", detail=f"the model's answer: {value.detail}")
    return parsed(value, models)
