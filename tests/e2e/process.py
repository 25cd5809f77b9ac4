"""`floorboss serve` as a process of its own, and connections to it that stay open."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "app")
OPERATOR = "operator-of-this-test-" + "0123456789abcdef" * 2


@dataclass
class Process:
    """One running daemon: where it listens, and how to reach and end it."""

    popen: subprocess.Popen[bytes]
    folder: Path
    port: int
    welcome: str

    @property
    def database(self) -> Path:
        """The log's file."""
        return self.folder / "controls.db"

    @property
    def harness(self) -> dict[str, str]:
        """The harness's header."""
        return bearer((self.folder / "harness.token").read_text().strip())

    def connection(self) -> http.client.HTTPConnection:
        """A connection that is opened by its first request and then kept."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> tuple[int, Any]:
        """Status and JSON of one request; by the harness and on a fresh connection by default."""
        used = connection or self.connection()
        given = {**(self.harness if headers is None else headers)}
        if body is not None:
            given.setdefault("Content-Type", "application/json")
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        used.request(method, path, None if body is None else content, given)
        response = used.getresponse()
        text = response.read()
        if connection is None:
            used.close()
        return response.status, json.loads(text) if text else None

    def log(self, query: str = "") -> list[dict[str, Any]]:
        """All entries, oldest first, with their text."""
        found: list[dict[str, Any]] = []
        after = 0
        while True:
            path = f"/controller/log?limit=1000&after={after}{query}"
            _, page = self.ask("GET", path)
            found += page["items"]
            if page["next"] is None:
                return found
            after = page["next"]

    def memory(self) -> int:
        """The bytes of memory it holds now."""
        status = Path(f"/proc/{self.popen.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) * 1024

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send it a signal and wait; its exit code."""
        self.popen.send_signal(how)
        return self.popen.wait(60)


def bearer(token: str) -> dict[str, str]:
    """The header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


@contextmanager
def served(folder: Path, arguments: Iterable[str] = (), toml: str = "") -> Iterator[Process]:
    """A daemon on its own folder and a free port, with the operator's token handed in."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if toml:
        (folder / "floorboss.toml").write_text(toml)
    with (folder / "stderr").open("ab") as errors, launched(folder, arguments, errors) as popen:
        assert popen.stdout
        first = popen.stdout.readline().decode()
        port = re.search(r"http://127\.0\.0\.1:(\d+)", first)
        assert port, f"{first} {(folder / 'stderr').read_text()}"
        rest = popen.stdout.readline().decode() + popen.stdout.readline().decode()
        yield Process(popen, folder, int(port[1]), first + rest)


@contextmanager
def launched(
    folder: Path, arguments: Iterable[str] = (), errors: Any = subprocess.PIPE
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, whatever it does; it is killed at the end if it still runs."""
    handle, write = os.pipe()
    os.write(write, OPERATOR.encode())
    os.close(write)
    command = [*COMMAND, "serve", "--port", "0", "--state-dir", str(folder)]
    command += ["--operator-token-fd", str(handle), *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, pass_fds=(handle,)
    ) as popen:
        os.close(handle)
        try:
            yield popen
        finally:
            popen.kill()
