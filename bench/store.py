"""The store alone: rows of the log inserted 1,000 a transaction, and what one durable commit takes.

    python -m bench.store FOLDER SECONDS

The same table, triggers, indexes and pragmas as the daemon's; nothing is checked, classified,
counted or hashed, so it is what no daemon on this table could reach.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from app.store import queries
from app.store.connections import WRITER_PRAGMAS, connect
from app.store.migrate import upgrade
from bench.load import event

ROWS = 1_000
DIGEST = "0" * 64


def rows(first: int, count: int, draw: Random) -> list[tuple[object, ...]]:
    """Rows as observed entries are stored."""
    return [
        (seq, "2026-11-30T12:00:00.000Z", "observed", f"bench-{seq % 64:03d}", "tool", "neutral",
         None, "harness:custom", f"event:{draw.getrandbits(128):032x}",
         event(draw, seq).decode(), DIGEST)
        for seq in range(first, first + count)
    ]  # fmt: skip


def committed(connection: sqlite3.Connection, count: int, seconds: float) -> Iterator[float]:
    """Seconds that each transaction of `count` rows took."""
    head = connection.execute(queries.HEAD).fetchone()
    first, end = (head[0] if head else 0) + 1, time.perf_counter() + seconds
    draw = Random(first)
    while time.perf_counter() < end:
        made = rows(first, count, draw)
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(queries.INSERT, made)
        connection.execute("COMMIT")
        yield time.perf_counter() - start
        first += count


def main() -> None:
    """Print rows a second in large transactions, and the median of a commit of one row."""
    path, seconds = Path(sys.argv[1]) / "bare.db", float(sys.argv[2])
    if not path.exists():
        upgrade(path)
    connection = connect(path, "rw", WRITER_PRAGMAS)
    large = list(committed(connection, ROWS, seconds))
    single = list(committed(connection, 1, seconds / 4))
    rate = ROWS * len(large) / sum(large)
    print(json.dumps({"rate": rate, "commit_ms": 1e3 * statistics.median(single)}))


if __name__ == "__main__":
    main()
