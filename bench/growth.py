"""`make bench-long`: what an event costs in a log of a million rows, and a gigabyte in a replay.

    python -m bench.growth [--rows N]

Two logs are filled with rows as the daemon stores them, in sessions of a hundred rows that are
over. Then both take turns: events of 200 active sessions, classified, folded and committed in
groups through the desk and the log, as the daemon does it. A million rows take 1.5 GB in BENCH_DIR.
At the end a gigabyte of events is replayed: what the process takes at its peak.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from app.config import ConfigFault, load
from app.harness.base import Fault
from app.harness.neutral import event as neutral
from app.harness.strict_json import parse
from app.service.desk import Desk
from app.service.intake import Arrival, check, receive
from app.service.past import StoredPast
from app.store import queries
from app.store.connections import WRITER_PRAGMAS, connect
from app.store.log import Log
from app.store.reader import Reader
from bench.load import event
from bench.replay import peaks

ACTIVE = 200  # sessions at the same time
OVER = 100  # rows of a session that is over
GROUP = 16  # events a commit
TURN = 2_000  # events measured at a time
SMALL = 10_000  # rows
CHUNK = 1_000  # rows a transaction while a log is filled
AT = "2026-11-30T12:00:00.000Z"
DIGEST = "0" * 64


@dataclass(frozen=True, slots=True)
class Ingest:
    """A log and the desk in front of it."""

    path: Path
    log: Log
    desk: Desk

    def take(self, arrivals: Sequence[Arrival]) -> tuple[float, float]:
        """Store events as the writer does; microseconds of CPU an event, and the commits' share."""
        start, committing = time.process_time(), 0.0
        for first in range(0, len(arrivals), GROUP):
            for arrival in arrivals[first : first + GROUP]:
                assert check(self.desk, (arrival,)) is None
                receive(self.desk, arrival, AT)
            before = time.process_time()
            self.log.commit(tuple(self.desk.fresh))
            committing += time.process_time() - before
            self.desk.committed()
        whole = time.process_time() - start
        return whole * 1e6 / len(arrivals), committing * 1e6 / len(arrivals)


@contextmanager
def ingest(path: Path) -> Iterator[Ingest]:
    """The log at `path`, opened as the daemon opens it."""
    settings = load({"state_dir": str(path.parent)}, {})
    assert not isinstance(settings, ConfigFault)
    with closing(Log.open(path)) as log, closing(Reader(path)) as reader:
        yield Ingest(path, log, Desk(StoredPast(log, reader), settings.configuration()))


def arrivals(draw: Random, count: int) -> list[Arrival]:
    """Events of the active sessions."""
    made = []
    for number in range(count):
        said = parse(event(draw, number, ACTIVE))
        assert not isinstance(said, Fault)
        one = neutral(said)
        assert not isinstance(one, Fault)
        made.append(Arrival(event=one))
    return made


def fill(path: Path, rows: int) -> None:
    """Let the log grow to so many rows: copies of those it has, under keys of their own."""
    with closing(connect(path, "rw", WRITER_PRAGMAS)) as connection:
        bodies = [row[0] for row in connection.execute("SELECT body FROM controls ORDER BY seq")]
        for first in range(len(bodies) + 1, rows + 1, CHUNK):
            seqs = range(first, min(first + CHUNK, rows + 1))
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                queries.INSERT, [_copy(seq, bodies[seq % len(bodies)]) for seq in seqs]
            )
            connection.execute("COMMIT")


def _copy(seq: int, body: str) -> tuple[object, ...]:
    session = _digest(f"session {seq // (ACTIVE * OVER)} {seq % ACTIVE}")
    key = f"event:{session}/{_digest(f'key {seq}')}"
    return (seq, AT, "observed", session, "tool", "neutral", None, "harness:custom", key, body,
            DIGEST)  # fmt: skip


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


def grown(folder: Path, rows: int) -> Path:
    """A log of so many rows; its active sessions have a few each."""
    folder.mkdir()
    path = folder / "controls.db"
    with ingest(path) as begun:
        begun.take(arrivals(Random(0), TURN))
    fill(path, rows)
    return path


def main() -> None:
    """Print both, and the median of the ratios of the turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--megabytes", type=int, nargs="*", default=[10, 100, 1_000])
    given = parser.parse_args()
    with ExitStack() as stack:
        place = tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR"))
        folder = Path(stack.enter_context(place))
        paths = [grown(folder / str(rows), rows) for rows in (SMALL, given.rows)]
        small, large = (stack.enter_context(ingest(path)) for path in paths)
        turns = []
        for turn in range(given.turns + 1):  # the first one reads the active sessions
            made = arrivals(Random(turn + 1), TURN)
            pair = (small, large) if turn % 2 else (large, small)
            took = {each.path: each.take(made) for each in pair}
            turns.append((took[small.path], took[large.path]))
    for index, name in enumerate(("an event, whole", "of it the commit")):
        few, many = zip(*((less[index], more[index]) for less, more in turns[1:]), strict=True)
        ratio = statistics.median(more / less for less, more in zip(few, many, strict=True))
        print(
            f"{name}: {statistics.median(few):.0f} us of CPU at {SMALL:,} rows, "
            f"{statistics.median(many):.0f} us at {given.rows:,} rows: {ratio:.2f} times"
        )
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as place:
        for size, peak in peaks(Path(place), given.megabytes).items():
            print(f"a replay of {size:,} MB: {peak:.0f} MB at its peak")


if __name__ == "__main__":
    main()
