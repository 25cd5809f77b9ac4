"""The two servers that are compared, as processes of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

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

    def memory(self) -> float:
        """MB of memory its process has now; 0 where the system does not say."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0.0
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@contextmanager
def reference() -> Iterator[Server]:
    """A stock FastAPI route that stores nothing."""
    port = free_port()
    command = [sys.executable, "-m", "bench.reference", str(port)]
    with running(command, port) as process:
        yield Server(name="FastAPI", port=port, pid=process.pid)


@contextmanager
def daemon(folder: Path) -> Iterator[Server]:
    """floorboss on an empty log below `folder`."""
    port, state = free_port(), folder / "state"
    command = [sys.executable, "-m", "app", "serve", "--port", str(port)]
    with running([*command, "--state-dir", str(state)], port) as process:
        token = (state / "harness.token").read_text().strip()
        yield Server(name="floorboss", port=port, pid=process.pid, token=token)


@contextmanager
def running(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
