"""A replay: session files through the very core that the daemon runs, without one.

    files in name order -> events -> feed -> what each came to -> reports

The files of a session and its agents are read together, as their time stamps say: what an agent did
can change what its session may do next.

A feed takes the events of one file and says what each came to. `Core` is the feed without a
daemon; the one that posts to a daemon stands in post.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import reduce
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

from app.classification.disk import Unseen
from app.domain.configuration import Configuration
from app.domain.entries import EVERYWHERE, Draft
from app.domain.events import Event, Json
from app.domain.replacing import replace
from app.domain.signals import EMPTY
from app.domain.state import Session
from app.domain.stream import added
from app.domain.views import interventions
from app.replay.fitting import fitted
from app.replay.lines import Counts, Line, Source
from app.replay.memory import Memory
from app.replay.readers import format_of, read
from app.replay.tally import FileReport, Heard, Tally
from app.service.desk import Desk
from app.service.intake import Arrival, check, receive

Feed: TypeAlias = Callable[[Iterator[Line]], Iterator[tuple[Line, Heard]]]
Group: TypeAlias = tuple[dict[str, Counts], Iterator[Line]]
START: Final = "2000-01-01T00:00:00.000Z"  # of a run in which no event says when it happened
AGENTS: Final = "subagents"  # where Claude Code keeps the files of a session's agents
OTHERS: Final = frozenset({".json", ".log", ".ndjson", ".traj", ".txt"})  # endings looked into
TOGETHER: Final = 200  # files of one session that are open at once
KEEP: Final = 100  # sessions at hand; the others are folded again when they go on
# What is counted of a stream where interventions are shown (`added`).
SHOWN: Final = (
    *("attempts", "interventions", "blocked_then_blocked", "after_terminal", "escalations"),
)


class Core:
    """The daemon's core on a log in memory."""

    def __init__(
        self, configuration: Configuration, keep: int = KEEP, own: tuple[str, ...] = ()
    ) -> None:
        self.memory = Memory()
        # A file may be of another machine or another day: its paths are not looked up here.
        self.desk = Desk(
            self.memory,
            configuration,
            keep=keep,
            own=own,
            disk=Unseen,
            texts=False,
            let_go=self._let_go,
        )
        self._gone: dict[str, tuple[int, ...]] = {}  # what was SHOWN of sessions let go of
        self.at = START  # when the last event happened
        self._append(_configured(configuration))

    def feed(self, lines: Iterable[Line]) -> Iterator[tuple[Line, Heard]]:
        """What each event comes to."""
        for line in lines:
            yield line, self.take(line.event)

    def interventions(self, sessions: Iterable[str]) -> dict[str, Json]:
        """What was blocked in some sessions so far."""
        return interventions(map(self._shown, sessions))

    def _shown(self, name: str) -> Session:
        """A session, or what is shown of one that is no longer at hand."""
        found = self.desk.book.sessions.get(name)
        if found is not None:
            return found
        counted: dict[str, Any] = dict(zip(SHOWN, self._gone.get(name, ()), strict=False))
        return Session(id=name, silent=replace(EMPTY, **counted))

    def _let_go(self, session: Session) -> None:
        total = reduce(added, session.streams.values(), session.silent)
        self._gone[session.id] = tuple(getattr(total, name) for name in SHOWN)

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
        self.desk.take(self.desk.begin(self.at).append(draft))
        self._commit()

    def _commit(self) -> None:
        self.memory.append(self.desk.fresh)
        self.desk.committed()

    def _time(self, event: Event) -> str:
        self.at = timed(event, self.at)
        return self.at


def replay(
    paths: Sequence[Path], feed: Feed, tally: Tally, *, attempts: bool = False
) -> Iterator[FileReport]:
    """Report file after file; `tally` joins sessions by id over all of them.

    With `attempts` each call is first judged, as if the harness had asked before it ran.
    Raises OSError where a file cannot be opened.
    """
    for counts, lines in groups(paths, attempts=attempts):
        yield from tally.together(counts, feed(lines))


def groups(paths: Sequence[Path], *, attempts: bool = False) -> Iterator[Group]:
    """The events of the files that are read together, and what is counted while they are taken."""
    for files in _sessions(paths):
        counts = {str(path): Counts() for path in files}
        timed = merge(
            *(_timed(path, counts[str(path)], attempts=attempts) for path in files),
            key=itemgetter(0),
        )
        yield counts, (line for _, line in timed)


def timed(event: Event, before: str) -> str:
    """When it happened; without a time a millisecond later, as it would be when posted."""
    return event.occurred_at or _later(before)


def _timed(path: Path, counts: Counts, *, attempts: bool) -> Iterator[tuple[str, Line]]:
    """A file's events, each with the latest time so far: in real files time goes backwards."""
    at, log = "", str(path)
    for line in read(path, counts, attempts=attempts):
        at = max(at, line.event.occurred_at or "")
        yield at, Line(event=fitted(line.event), line_no=line.line_no, log=log)


def _sessions(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The files that are read together, in the order of the first of them."""
    found: dict[Path, list[Path]] = {}
    for path in paths:
        agents = path.parent.name == AGENTS
        found.setdefault(path.parent.parent if agents else path.with_suffix(""), []).append(path)
    for files in found.values():
        for start in range(0, len(files), TOGETHER):
            yield files[start : start + TOGETHER]


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The files to read, in name order: those named, and the session files below a folder."""
    found: set[Path] = set()
    for path in paths:
        found.update(_below(path) if path.is_dir() else (path,))
    return sorted(found, key=str)


def _below(folder: Path) -> Iterator[Path]:
    """Every `.jsonl` file, and of other text files those that are session files.

    A folder may be called like a file, and a pipe too: nobody may ever write to that.
    """
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        if path.suffix == ".jsonl" or (path.suffix in OTHERS and format_of(Source(path))):
            yield path


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
