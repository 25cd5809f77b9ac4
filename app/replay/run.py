"""A replay: session files through the very core that the daemon runs, without one.

    files in name order -> events -> feed -> what each came to -> reports

A feed takes the events of one file and says what each came to. `Core` is the feed without a
daemon; the one that posts to a daemon stands in post.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from app.domain.configuration import Configuration
from app.domain.entries import EVERYWHERE, Draft
from app.domain.events import Event
from app.replay.fitting import fitted
from app.replay.lines import Counts, Line
from app.replay.memory import Memory
from app.replay.readers import began, read
from app.replay.tally import FileReport, Heard, Tally
from app.service.desk import Desk
from app.service.intake import Arrival, check, receive

Feed: TypeAlias = Callable[[Iterator[Line]], Iterator[tuple[Line, Heard]]]
START: Final = "2000-01-01T00:00:00.000Z"  # of a run in which no event says when it happened
AGENT: Final = "agent-"  # how Claude Code begins the name of a subagent's file
KEEP: Final = 200  # sessions at hand; the others are folded again when they go on


class Core:
    """The daemon's core on a log in memory."""

    def __init__(
        self, configuration: Configuration, keep: int = KEEP, own: tuple[str, ...] = ()
    ) -> None:
        self.memory = Memory()
        self.desk = Desk(self.memory, configuration, keep=keep, own=own)
        self._at = START
        self._append(_configured(configuration))

    def feed(self, lines: Iterable[Line]) -> Iterator[tuple[Line, Heard]]:
        """What each event comes to."""
        for line in lines:
            yield line, self.take(line.event)

    def take(self, event: Event) -> Heard:
        """One event, stored as a request of its own."""
        arrival = Arrival(event=event)
        conflict = check(self.desk, (arrival,))
        if conflict is not None:
            return conflict
        answer = receive(self.desk, arrival, self._time(event))
        self._commit()
        return answer

    def _append(self, draft: Draft) -> None:
        self.desk.take(self.desk.begin(self._at).append(draft))
        self._commit()

    def _commit(self) -> None:
        self.memory.append(self.desk.fresh)
        self.desk.committed()

    def _time(self, event: Event) -> str:
        """When it happened; without a time a millisecond later, as it would be when posted."""
        self._at = event.occurred_at or _later(self._at)
        return self._at


def replay(paths: Sequence[Path], feed: Feed, tally: Tally) -> Iterator[FileReport]:
    """Report file after file; `tally` joins sessions by id over all of them.

    Raises OSError where a file cannot be opened.
    """
    for path in paths:
        counts = Counts()
        lines = (replace(line, event=fitted(line.event)) for line in read(path, counts))
        yield tally.file(str(path), feed(lines), counts)


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The files to read: those named, and every `.jsonl` file below a folder; by name, but the
    agents of a session, whose names say nothing, in the order in which they began."""
    found: set[Path] = set()
    for path in paths:
        found.update(path.rglob("*.jsonl") if path.is_dir() else (path,))
    return sorted(found, key=_place)


def _place(path: Path) -> str:
    if not path.name.startswith(AGENT):
        return str(path)
    return str(path.with_name(f"{AGENT}{began(path)} {path.name}"))


def _configured(configuration: Configuration) -> Draft:
    return Draft(
        kind="configured",
        scope=EVERYWHERE,
        action="configuration",
        actor="human:replay",
        body={
            "digest": configuration.digest,
            "profile": configuration.profile,
            "enforcement": configuration.enforcement,
        },
    )


def _later(at: str) -> str:
    try:
        moment = datetime.fromisoformat(at) + timedelta(milliseconds=1)
    except OverflowError:  # the end of the year 9999
        return at
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
