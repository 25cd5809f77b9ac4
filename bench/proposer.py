"""Single posts to a daemon that asks a slow model when a check trips, beside one that asks nobody.

Both are up at once, get the same events and take turns. One post in thirty trips a check, so that
as many calls are under way all the time as may be. The ratio of the 99th percentiles is the figure.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import TypeAlias

import uvloop

from bench.load import load
from bench.servers import ROOT, Server, daemon, free_port, running

Row: TypeAlias = dict[str, float]
CONNECTIONS = 16
ALONE = "nobody is asked"
HEAD = ("posts/s", "p50 ms", "p99 ms", "p99", "calls", "errors")
THINKS = 2.0  # seconds for an answer of the model
ALIKE = 3  # failing calls, the last of which trips a check
OTHERS = 27  # calls of the same session behind them
ANSWER = {"choices": [{"message": {"content": '{"action": "noop"}'}, "finish_reason": "stop"}]}
SETTINGS = """[proposer]
enabled = true
provider = "openai"
endpoint = "http://127.0.0.1:{port}/v1/chat/completions"
private_hosts = ["127.0.0.1:{port}"]
model = "slow"
calls_per_day = 100000
"""


def show(folder: Path, seconds: float = 2.0, rounds: int = 5) -> None:
    """Measure both, and print a row for each."""
    rows = measured(folder, seconds, rounds)
    print()
    _print("16 conns, single posts, 1 in 30 trips a check", HEAD)
    for name, found in rows.items():
        row = {key: statistics.median(each[key] for each in found) for key in found[0]}
        pairs = zip(found, rows[ALONE], strict=True)
        ratio = statistics.median(each["p99_ms"] / other["p99_ms"] for each, other in pairs)
        times = (f"{row[key]:.2f}" for key in ("p50_ms", "p99_ms"))
        counts = (f"{row[key]:.0f}" for key in ("calls", "errors"))
        _print(name, (f"{row['acknowledged'] / seconds:.0f}", *times, f"{ratio:.2f}", *counts))


def _print(name: str, cells: Sequence[str]) -> None:
    print(f"{name:<52}" + "".join(f"{cell:>9}" for cell in cells), flush=True)


def measured(folder: Path, seconds: float, rounds: int) -> dict[str, list[Row]]:
    """What both came to, a row for each round; `calls`: how often the model was asked in it."""
    with ExitStack() as stack:
        port = stack.enter_context(_model())
        state = folder / "asking" / "state"
        state.mkdir(parents=True)
        (state / "floorboss.toml").write_text(SETTINGS.format(port=port))
        servers = {
            ALONE: stack.enter_context(daemon(folder / "quiet")),
            f"a model is asked that takes {THINKS:g} s": stack.enter_context(
                daemon(folder / "asking")
            ),
        }
        rows: dict[str, list[Row]] = {name: [] for name in servers}
        for turn in range(rounds):
            order = list(servers.items())
            for name, server in order if turn % 2 == 0 else reversed(order):
                before = _asked(port)
                row = _loaded(server, seconds, turn)
                rows[name].append({**row, "calls": _asked(port) - before})
    return rows


def _loaded(server: Server, seconds: float, turn: int) -> Row:
    command = [sys.executable, "-m", "bench.proposer", "load", str(server.port), server.token]
    command += [str(seconds), str(turn)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    row: Row = json.loads(output)
    return row


@contextmanager
def _model() -> Iterator[int]:
    """A model server in a process of its own."""
    port = free_port()
    with running([sys.executable, "-m", "bench.proposer", "model", str(port)], port):
        yield port


def _asked(port: int) -> int:
    """How often the model was asked so far."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/")
    return int(connection.getresponse().read())


class _Slow(BaseHTTPRequestHandler):
    """Thinks, then has nothing to add; a GET says how often it was asked."""

    asked = count()
    so_far = 0

    def do_GET(self) -> None:
        self._say(str(_Slow.so_far).encode())

    def do_POST(self) -> None:
        _Slow.so_far = next(_Slow.asked) + 1
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(THINKS)
        self._say(json.dumps(ANSWER).encode())

    def _say(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def bodies(turn: int) -> Iterator[bytes]:
    """Sessions without end, one after the other: three failing calls alike, then others."""
    for session in count():
        for number in range(ALIKE + OTHERS):
            fails = number < ALIKE
            yield json.dumps(
                {
                    "session_id": f"turn-{turn}-{session}",
                    "tool": "Bash",
                    "arguments": {"command": "make all" if fails else f"make part-{number}"},
                    "outcome": "error" if fails else "ok",
                    "result": "no rule to make it" if fails else f"made part {number}",
                }
            ).encode()


def main() -> None:
    """Be the model, or the load; by itself, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", choices=["model", "load"])
    parser.add_argument("port", type=int)
    parser.add_argument("token", nargs="?", default="none")
    parser.add_argument("seconds", type=float, nargs="?", default=2.0)
    parser.add_argument("turn", type=int, nargs="?", default=0)
    given = parser.parse_args()
    if given.role == "model":
        ThreadingHTTPServer(("127.0.0.1", given.port), _Slow).serve_forever()
    work = load(given.port, given.token, CONNECTIONS, given.seconds, "application/json",
                bodies(given.turn))  # fmt: skip
    counted = uvloop.run(work)
    times = sorted(counted.seconds)
    row = {"acknowledged": len(times), "errors": counted.errors}
    shares = {"p50_ms": 0.5, "p99_ms": 0.99}
    row |= {name: 1e3 * times[int(len(times) * share)] for name, share in shares.items()}
    print(json.dumps(row))


if __name__ == "__main__":
    main()
