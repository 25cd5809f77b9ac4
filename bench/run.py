"""`make bench`: durable posts beside a stock FastAPI route that stores nothing, in one run.

All that is compared is up at once and takes turns, so that a busy machine slows all of it. The
ratios are the figures to trust; the CPU time a request costs the server is the one that a noisy
neighbour moves least. docs/performance.md says how to read them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from bench import proposer, replay, shell
from bench.hook import medians
from bench.servers import ROOT, Server, daemon, reference

Row: TypeAlias = dict[str, float]
BATCH = 1_000
HOOKS = 500  # in a round
MANY = 100_000  # events, in as many sessions as a batch has events
LONGEST = 120.0  # seconds that they may take
CPU = ("cpu_p50_ms", "cpu_p99_ms", "cpu_worst_ms")
HEAD = ("", "posts/s", "p50 ms", "p99 ms", "CPU us", "rate", "p99", "CPU", "errors")


def main() -> None:
    """Run the rounds and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with ExitStack() as stack:
        place = tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR"))
        folder = Path(stack.enter_context(place))
        stock = stack.enter_context(reference())
        ours = stack.enter_context(daemon(folder))
        _print("single posts; the last three: floorboss by FastAPI", HEAD)
        for connections in map(int, given.connections.split(",")):
            _singles(stock, ours, connections, given.seconds, given.rounds)
        _hooks(ours, folder, given.rounds)
        _batches(ours, folder, given.seconds, given.rounds)
        _beside(ours, given.seconds, given.rounds)
        _memory(folder / "memory")
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as place:
        _lines(Path(place))
        print()
        replay.show(Path(place))
        proposer.show(Path(place), given.seconds, given.rounds)


def _singles(stock: Server, ours: Server, connections: int, seconds: float, rounds: int) -> None:
    measured: dict[str, list[Row]] = {stock.name: [], ours.name: []}
    for turn in range(rounds):
        for server in (stock, ours) if turn % 2 == 0 else (ours, stock):
            measured[server.name].append(_measure(server, connections, seconds, turn))
    for name, rows in measured.items():
        row = _middle(rows)
        by = [_ratio(rows, measured[stock.name], key) for key in ("rate", "p99_ms", "cpu_us")]
        _print(f"{connections} conns, {name}", (
            f"{row['rate']:.0f}", f"{row['p50_ms']:.2f}", f"{row['p99_ms']:.2f}",
            f"{row['cpu_us']:.0f}", *(f"{each:.2f}" for each in by), f"{row['errors']:.0f}",
        ))  # fmt: skip


def _hooks(ours: Server, folder: Path, rounds: int) -> None:
    rows = [medians(ours, folder / f"{turn}.db", HOOKS, 400 + turn) for turn in range(rounds)]
    row, ratio = _middle(rows), statistics.median(r["hook_ms"] / r["commit_ms"] for r in rows)
    _print("\n1 conn, one at a time, each durable", ("p50 ms", "p50"))
    _print("PreToolUse of Bash at the hook route", (f"{row['hook_ms']:.2f}", f"{ratio:.2f}"))
    _print("a commit of one row alone", (f"{row['commit_ms']:.2f}", "1.00"))


def _batches(ours: Server, folder: Path, seconds: float, rounds: int) -> None:
    batches, bare = [], []
    for turn in range(rounds):
        batches.append(_measure(ours, 1, seconds, 500 + turn, BATCH))
        bare.append(_bare(folder, seconds))
    row, store = _middle(batches), _middle(bare)
    _print(f"\n{BATCH:,} events a request, NDJSON", ("events/s", "CPU us", "by store"))
    share = _ratio(batches, bare, "rate")
    _print("floorboss", (f"{row['rate']:.0f}", f"{row['cpu_us']:.0f}", f"{share:.2f}"))
    _print("executemany alone", (f"{store['rate']:.0f}", "", "1.00"))


def _beside(ours: Server, seconds: float, rounds: int) -> None:
    quiet, busy = [], []
    for turn in range(rounds):
        quiet.append(_measure(ours, 16, seconds, 700 + turn))
        with _started(ours, 1, seconds + 1, 800 + turn, BATCH) as batches:
            busy.append(_measure(ours, 16, seconds, 900 + turn))
            batches.communicate()
    _print("\n16 conns, single posts", ("posts/s", "p50 ms", "p99 ms", "p99"))
    for name, rows in (("quiet", quiet), ("beside batches of 1,000", busy)):
        row = _middle(rows)
        _print(name, (
            f"{row['rate']:.0f}", f"{row['p50_ms']:.2f}", f"{row['p99_ms']:.2f}",
            f"{_ratio(rows, quiet, 'p99_ms'):.2f}",
        ))  # fmt: skip


def _memory(folder: Path) -> None:
    """What a fresh daemon takes when it starts, and after many events in many sessions."""
    with daemon(folder) as ours:
        cpu, start = ours.cpu(), ours.memory()
        flags = ("--requests", str(MANY // BATCH), "--sessions", str(BATCH))
        row = _measure(ours, 2, LONGEST, 600, BATCH, *flags)
        _print("\nmemory of the process", ("MB", "more", "errors"))
        _print(f"at start, after {cpu:.2f} s of CPU", (f"{start:.0f}", ""))
        _print(f"after {MANY:,} events in {BATCH:,} sessions", (
            f"{ours.memory():.0f}", f"{ours.memory() - start:.0f}", f"{row['errors']:.0f}",
        ))  # fmt: skip


def _lines(folder: Path) -> None:
    """Verdicts on the shell lines of the tests, alone in this process, when all else is over."""
    rows = shell.measured(folder)
    by, lines = rows["shlex"], rows["shlex"]["lines"]
    head = ("p50 ms", "worst", "CPU p50", "CPU p99", "worst", "CPU")
    _print(f"\nthe verdict on one of {lines:.0f} shell lines", head)
    names = {
        "cold": "floorboss, no text seen before",
        "warm": "the same, right after",
        "shlex": "shlex.split of the line",
    }
    for key, name in names.items():
        row = rows[key]
        cells = (row[part] for part in ("p50_ms", "worst_ms", *CPU))
        ratio = row["cpu_p50_ms"] / by["cpu_p50_ms"]
        _print(name, (*(f"{cell:.3f}" for cell in cells), f"{ratio:.1f}"))


def _measure(
    server: Server, connections: int, seconds: float, seed: int, batch: int = 1, *flags: str
) -> Row:
    before = server.cpu()
    with _started(server, connections, seconds, seed, batch, *flags) as process:
        output, _ = process.communicate()
    row: dict[str, Any] = json.loads(output)
    events = batch * max(1, row["acknowledged"])
    return {
        "rate": batch * row["acknowledged"] / seconds,
        "p50_ms": row["p50_ms"] or 0.0,
        "p99_ms": row["p99_ms"] or 0.0,
        "cpu_us": (server.cpu() - before) * 1e6 / events,
        "errors": row["errors"],
    }


def _started(
    server: Server, connections: int, seconds: float, seed: int, batch: int = 1, *flags: str
) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.load", str(server.port), str(connections)]
    command += [str(seconds), str(seed * 1_000 + connections), "--token", server.token]
    command += ["--batch", str(batch), *flags]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _bare(folder: Path, seconds: float) -> Row:
    command = [sys.executable, "-m", "bench.store", str(folder), str(seconds)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    row: Row = json.loads(output)
    return row


def _middle(rows: Sequence[Mapping[str, float]]) -> Row:
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def _ratio(rows: Sequence[Row], by: Sequence[Row], key: str) -> float:
    """The median over the rounds, each compared with the other's in the same round."""
    return statistics.median(
        ours[key] / theirs[key] for ours, theirs in zip(rows, by, strict=True) if theirs[key]
    )


def _print(name: str, cells: Sequence[str]) -> None:
    shown = cells[1:] if cells is HEAD else cells
    print(f"{name:<52}" + "".join(f"{cell:>9}" for cell in shown), flush=True)


if __name__ == "__main__":
    main()
