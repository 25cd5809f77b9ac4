"""`floorboss replay` beside Python's bare `json.loads` over the same bytes, turn by turn.

    core       fold and react alone, over events that are classified already
    whole      the command's path: read, check, classify, fold, react, count, report
    memory     the peak of the command's process over files of two lengths

All of it is CPU time, the best of several rounds: what disturbs a round only ever adds to it. A
figure is the share of the parser's speed, so 0.5 means twice its time.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from app.config import ConfigFault, load
from app.domain.configuration import Configuration
from app.domain.controller import record
from app.domain.entries import Draft, Entry
from app.domain.state import Book
from app.domain.transaction import Pending
from app.replay.report import file_lines, totals_lines
from app.replay.run import Core, groups, replay
from app.replay.tally import Tally
from bench.servers import ROOT
from bench.sessions import claude, grown, neutral

Row: TypeAlias = Mapping[str, float]
Told: TypeAlias = tuple[Draft, str]  # a classified event, and when it happened
EVENTS: Final = 3_000  # a neutral file has so many
CALLS: Final = 1_000  # and the files of Claude Code
ROUNDS: Final = 7
PEAK: Final = (10, 100)  # MB of input


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Files, and what is compared over them."""

    lines: Sequence[bytes]
    events: int
    ways: Mapping[str, Callable[[], object]]


def of_files(paths: Sequence[Path]) -> Work:
    """What these files are to a parser, to the core and to the command."""
    under = _configuration()
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    told = classified(paths, under)
    return Work(
        lines=lines,
        events=len(told),
        ways={
            "json": lambda: [_parsed(line) for line in lines],
            "core": lambda: _folded(told, under),
            "whole": lambda: _whole(paths, under),
        },
    )


def _parsed(line: bytes) -> None:
    with suppress(ValueError):  # a file may have lines that are none
        json.loads(line)


def classified(paths: Sequence[Path], under: Configuration) -> list[Told]:
    """The events of files as the edge leaves them for the core."""
    heard = _Recording(under)
    for _, lines in groups(paths):
        for _ in heard.feed(lines):
            pass
    return heard.told


class _Recording(Core):
    """The core, which also keeps what it was told."""

    def __init__(self, under: Configuration) -> None:
        self.told: list[Told] = []
        super().__init__(under)

    def _commit(self) -> None:
        self.told += [(_draft(entry), entry.at) for entry in self.desk.fresh[:1]]
        super()._commit()


def _draft(entry: Entry) -> Draft:
    return Draft(
        kind=entry.kind,
        scope=entry.scope,
        action=entry.action,
        actor=entry.actor,
        direction=entry.direction,
        ref=entry.ref,
        dedup_key=entry.dedup_key,
        body=entry.body,
    )


def _folded(told: Iterable[Told], under: Configuration) -> Book:
    book = Book()
    for draft, at in told:
        book = record(Pending(book=book, at=at), draft, under).book
    return book


def _whole(paths: Sequence[Path], under: Configuration) -> str:
    core, tally = Core(under), Tally(under.start_mode, under.context_limit)
    said = [line for report in replay(paths, core.feed, tally) for line in file_lines(report)]
    return "\n".join((*said, *totals_lines(tally)))


def measured(work: Work, rounds: int = ROUNDS) -> Row:
    """Microseconds of CPU an event for each way, the best of the rounds."""
    times: dict[str, list[float]] = {name: [] for name in work.ways}
    gc.collect()
    gc.freeze()  # what is kept here for the comparison burdens nobody's collector
    for _ in range(rounds):
        for name, way in work.ways.items():
            gc.collect()
            start = time.process_time()
            way()
            times[name].append(time.process_time() - start)
    gc.unfreeze()
    return {name: min(spent) * 1e6 / work.events for name, spent in times.items()}


def peak(path: Path) -> float:
    """MB at the peak of a process that replays one file.

    A small process starts it: the kernel counts what a process had before it became another.
    """
    told = "import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)"
    script = f"{told}; print(os.wait4(pid, 0)[2].ru_maxrss, file=sys.stderr)"
    command = [sys.executable, "-S", "-c", script, sys.executable, "-m", "app", "replay"]
    said = subprocess.run(
        [*command, "--state-dir", str(path.parent), str(path)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    ).stderr
    return int(said.split()[-1]) / 1024


def _configuration() -> Configuration:
    settings = load({}, {})
    assert not isinstance(settings, ConfigFault)
    return settings.configuration()


def works(folder: Path) -> Mapping[str, Work]:
    """The files that are compared, made below a folder."""
    path = folder / "neutral.ndjson"
    neutral(path, EVENTS)
    return {
        "neutral events": of_files([path]),
        "files of Claude Code": of_files(claude(folder / "claude", CALLS)),
    }


def peaks(folder: Path, sizes: Iterable[int] = PEAK) -> Mapping[int, float]:
    """MB of memory at the peak, by MB of input."""
    found: dict[int, float] = {}
    for size in sizes:
        path = folder / f"{size}.ndjson"
        grown(path, size)
        found[size] = peak(path)
        path.unlink()
    return found


def main() -> None:
    """Print the figures of one run; `--peak` names megabytes of input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--peak", type=int, nargs="*", default=list(PEAK))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as place:
        show(Path(place), given.rounds, given.peak)


def show(folder: Path, rounds: int = ROUNDS, sizes: Iterable[int] = PEAK) -> None:
    """Measure and print."""
    _print("replay, CPU us an event", ("bytes", "json", "core", "whole", "core", "whole"))
    for name, work in works(folder).items():
        row = measured(work, rounds)
        size = sum(map(len, work.lines)) / work.events
        spent = [f"{row[way]:.1f}" for way in ("json", "core", "whole")]
        shares = [f"{row['json'] / row[way]:.2f}" for way in ("core", "whole")]
        _print(name, (f"{size:.0f}", *spent, *shares))
    _print("replay, peak of memory", ("MB",))
    for size, found in peaks(folder, sizes).items():
        _print(f"{size:,} MB of neutral events", (f"{found:.0f}",))


def _print(name: str, cells: Sequence[str]) -> None:
    print(f"{name:<52}" + "".join(f"{cell:>9}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
