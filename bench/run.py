"""`make bench`: durable posts beside a stock FastAPI route that stores nothing, in one run.

Both servers are up at once and take turns, so that a busy machine slows both. The ratio is the
figure to trust; the CPU time a request costs the server is the one a noisy neighbour moves least.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One of the two that are compared."""

    name: str
    port: int
    pid: int
    token: str = "none"

    def cpu(self) -> float:
        """Seconds of CPU time its process has used; 0 where the system does not say."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / TICKS


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", default="1,16,64")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with ExitStack() as stack:
        reference = stack.enter_context(_reference())
        daemon = stack.enter_context(_daemon())
        print(f"{'conns':>5}  {'server':<10} {'posts/s':>8} {'p50 ms':>7} {'p99 ms':>8} "
              f"{'CPU us':>7} {'ratio':>6} {'errors':>6}")  # fmt: skip
        for connections in map(int, given.connections.split(",")):
            _compare(reference, daemon, connections, given.seconds, given.rounds)


def _compare(
    reference: Server, daemon: Server, connections: int, seconds: float, rounds: int
) -> None:
    measured: dict[str, list[dict[str, float]]] = {reference.name: [], daemon.name: []}
    for turn in range(rounds):
        order = (reference, daemon) if turn % 2 == 0 else (daemon, reference)
        for server in order:
            measured[server.name].append(_measure(server, connections, seconds, turn))
    ratios = [
        ours["rate"] / theirs["rate"]
        for ours, theirs in zip(measured[daemon.name], measured[reference.name], strict=True)
    ]
    for name, rows in measured.items():
        middle = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        ratio = f"{statistics.median(ratios):6.2f}" if name == daemon.name else "  1.00"
        print(f"{connections:>5}  {name:<10} {middle['rate']:>8.0f} {middle['p50_ms']:>7.2f} "
              f"{middle['p99_ms']:>8.2f} {middle['cpu_us']:>7.0f} {ratio} "
              f"{sum(row['errors'] for row in rows):>6.0f}", flush=True)  # fmt: skip


def _measure(server: Server, connections: int, seconds: float, seed: int) -> dict[str, float]:
    before, seed = server.cpu(), seed * 1_000 + connections
    command = [sys.executable, "-m", "bench.load", str(server.port), str(connections)]
    command += [str(seconds), str(seed), "--token", server.token]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    row: dict[str, Any] = json.loads(output)
    acknowledged = max(1, row["acknowledged"])
    return {
        "rate": row["acknowledged"] / seconds,
        "p50_ms": row["p50_ms"] or 0.0,
        "p99_ms": row["p99_ms"] or 0.0,
        "cpu_us": (server.cpu() - before) * 1e6 / acknowledged,
        "errors": row["errors"],
    }


@contextmanager
def _reference() -> Iterator[Server]:
    port = _free_port()
    command = [sys.executable, "-m", "bench.reference", str(port)]
    with _running(command, port) as process:
        yield Server(name="fastapi", port=port, pid=process.pid)


@contextmanager
def _daemon() -> Iterator[Server]:
    port = _free_port()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        state = Path(folder) / "state"
        command = [sys.executable, "-m", "app", "serve", "--port", str(port)]
        with _running([*command, "--state-dir", str(state)], port) as process:
            token = (state / "harness.token").read_text().strip()
            yield Server(name="floorboss", port=port, pid=process.pid, token=token)


@contextmanager
def _running(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _await_port(port, process, command)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def _await_port(port: int, process: subprocess.Popen[bytes], command: list[str]) -> None:
    for _ in range(300):
        if process.poll() is not None:
            raise SystemExit(f"{command[2]} ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
