"""The service over a real log, without a socket: what tests of the service stand on.

with house(tmp_path) as home:
    home.ingest(home.call("make"))       reports, as a request would
    home.full()                          from now on the database cannot grow
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from app.domain.configuration import Configuration
from app.domain.entries import EVERYWHERE, Draft, Entry
from app.domain.events import Event
from app.service.control import Control, CutOff, Stored
from app.service.desk import Desk
from app.service.feed import Feed
from app.service.folding import Folding
from app.service.intake import Answer, Arrival, Conflict, Origin
from app.service.past import StoredPast
from app.service.refusals import Refusals
from app.service.writer import Unavailable, Writer
from app.store.log import Log
from app.store.reader import Reader
from tests.domain.floor import ANN, AT, configured

Result = TypeVar("Result")


@dataclass(slots=True)
class House:
    """A daemon without its routes, on a log of its own."""

    log: Log
    reader: Reader
    desk: Desk
    writer: Writer
    control: Control
    feed: Feed
    seconds: float = 0.0  # the clock of refusals
    at: str = AT  # the log's clock

    def run(self, work: Awaitable[Result]) -> Result:
        """Wait for one answer of the service."""
        return asyncio.run(_awaited(work))

    def ingest(self, *events: Event, origin: Origin = "own") -> Stored | Conflict | CutOff:
        """One request with these events."""
        arrivals = [Arrival(event=event, origin=origin) for event in events]
        return self.run(self.control.ingest(arrivals))

    def stored(self, *events: Event, origin: Origin = "own") -> tuple[Answer, ...]:
        """One request that is stored whole."""
        answer = self.ingest(*events, origin=origin)
        assert isinstance(answer, Stored), answer
        return answer.answers

    def verdict(self, event: Event, origin: Origin = "own") -> Answer | Conflict | Unavailable:
        """The verdict on one attempt."""
        return self.run(self.control.verdict(Arrival(event=event, origin=origin)))

    def entries(self, kind: str | None = None) -> list[Entry]:
        """The committed log, oldest first."""
        found = self.reader.page(newest_first=False, limit=100_000)
        return [entry for entry in found if kind in (None, entry.kind)]

    def full(self) -> None:
        """From now on the database file cannot grow, as on a full disk."""
        pages = self._pragma("page_count")
        self._pragma(f"max_page_count = {pages}")

    def freed(self) -> None:
        """There is space again."""
        self._pragma(f"max_page_count = {2**30}")

    def _pragma(self, text: str) -> int:
        row = self.log.connection.exec_driver_sql(f"PRAGMA {text}").first()
        assert row is not None
        return int(row[0])


async def _awaited(work: Awaitable[Result]) -> Result:
    return await work


@contextmanager
def house(
    folder: Path, configuration: Configuration | None = None, **fields: Any
) -> Iterator[House]:
    """A house that is closed at the end."""
    path = folder / "controls.db"
    log, reader, feed = Log.open(path), Reader(path), Feed()
    desk = Desk(StoredPast(log, reader), configuration or configured(), **fields)
    writer = Writer(desk, log, lambda: home.at, feed.publish)
    refusals = Refusals(lambda: home.seconds)
    home = House(
        log, reader, desk, writer, Control(desk, writer, refusals, Folding(reader, writer)), feed
    )
    feed.listen(home.control.count)
    writer.start()
    if not desk.book.configured:
        writer.submit(_configure).result()
    try:
        yield home
    finally:
        home.control.close()
        reader.close()
        log.close()


def _configure(desk: Desk, at: str) -> None:
    draft = Draft(
        kind="configured",
        scope=EVERYWHERE,
        action="configuration",
        actor=ANN,
        body={"digest": desk.configuration.digest, "profile": "default", "enforcement": "enforce"},
    )
    desk.take(desk.begin(at).append(draft))


def call(command: str = "make", session: str = "s", **fields: Any) -> Event:
    """A finished shell call."""
    return Event(
        session_id=session,
        **{
            "tool": "Bash",
            "arguments": {"command": command},
            "outcome": "ok",
            "result": f"done {command}",
            **fields,
        },
    )


def failing(command: str = "make", session: str = "s", **fields: Any) -> Event:
    """A shell call that fails the same way each time."""
    return call(command, session, outcome="error", result=f"error: {command}", **fields)


def attempt(tool: str = "Write", session: str = "s", **fields: Any) -> Event:
    """An attempt to write a source file, unless told otherwise."""
    arguments = {"file_path": "src/a.py", "content": "x"}
    return Event(session_id=session, kind="attempt", tool=tool,
                 **{"arguments": arguments, **fields})  # fmt: skip
