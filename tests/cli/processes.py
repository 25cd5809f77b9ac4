"""The program as people run it: real processes, on pipes or on a terminal of their own."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds until a test gives up; nothing is judged by it
OPERATOR = "correct-horse-battery-staple-0042"
# Makes the terminal on standard input the controlling one, so that /dev/tty is it as well.
ON_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
# Erases a line, sets a title, rings, reverses the direction of writing, returns to the left.
HOSTILE = "x\x1b[2K\x1b]0;owned\x07\u202e\u2066\rapproved"
FAILING = {
    "session_id": "demo",
    "tool": "Bash",
    "arguments": {"command": "make"},
    "outcome": "error",
}


def environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment without the marks of whoever runs the tests; the state lies in `folder`."""
    own = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**own, "FLOORBOSS_STATE_DIR": str(folder), "FLOORBOSS_PORT": "0", **more}


@contextmanager
def descriptor(text: str | None) -> Iterator[int | None]:
    """A descriptor that holds one line, for a process that is started with it."""
    if text is None:
        yield None
        return
    reading, writing = os.pipe()
    os.write(writing, f"{text}\n".encode())
    os.close(writing)
    try:
        yield reading
    finally:
        os.close(reading)


def run(
    *words: str, env: Mapping[str, str], token: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, without a terminal; `token` is handed in by descriptor."""
    with descriptor(token) as handle:
        given = [] if handle is None else ["--token-fd", str(handle)]
        return subprocess.run(
            [sys.executable, "-m", "app", *words, *given],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            pass_fds=[] if handle is None else [handle],
            start_new_session=True,  # no controlling terminal: nobody is asked
        )


class Terminal:
    """A command on a terminal of its own, as a person sees and types it."""

    def __init__(self, *words: str, env: Mapping[str, str]) -> None:
        self.seen = ""
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, "-m", "app", *words],
            cwd=ROOT,
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def type(self, line: str) -> None:
        """Type one line."""
        os.write(self._master, f"{line}\n".encode())

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait until the screen says `pattern`; the next wait begins behind it."""
        while (found := re.search(pattern, self.seen)) is None:
            if not select.select([self._master], [], [], PATIENCE)[0]:
                raise AssertionError(f"{pattern!r} does not come; the screen says:\n{self.seen}")
            if not (got := self._read()):
                raise AssertionError(f"{pattern!r} never came; the screen said:\n{self.seen}")
            self.seen += got
        self.seen = self.seen[found.end() :]
        return found

    def end(self) -> str:
        """Wait for the command's end; the rest of what it said."""
        while got := self._read():
            self.seen += got
        self.process.wait(PATIENCE)
        os.close(self._master)
        return self.seen

    def kill(self) -> None:
        """End the command if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.end()

    def _read(self) -> str:
        try:
            return os.read(self._master, 65_536).decode().replace("\r\n", "\n")
        except OSError:  # Linux reports the end of a terminal so
            return ""


class Daemon:
    """A running `floorboss serve` on pipes, with the operator's token handed in."""

    def __init__(
        self, folder: Path, *words: str, token: str | None = OPERATOR, **more: str
    ) -> None:
        self.folder, self._errors = folder, tempfile.TemporaryFile("w+")  # noqa: SIM115
        with descriptor(token) as handle:
            given = [] if handle is None else ["--operator-token-fd", str(handle)]
            self.process = subprocess.Popen(
                [sys.executable, "-m", "app", "serve", *given, *words],
                cwd=ROOT,
                env=environment(folder, **more),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                pass_fds=[] if handle is None else [handle],
            )
        assert self.process.stdout is not None
        waiting = select.select([self.process.stdout], [], [], PATIENCE)[0]
        first = self.process.stdout.readline() if waiting else ""
        found = re.match(r"Serving (\S+);", first)
        if found is None:
            self.process.kill()
            self.process.wait(PATIENCE)
            raise AssertionError(f"not started: {first}{self._complaints()}")
        self.url, self.said = found[1], [first]
        self.env = environment(folder, FLOORBOSS_PORT=self.url.rpartition(":")[2])

    def line(self) -> str:
        """The next line that it prints."""
        assert self.process.stdout is not None
        self.said.append(self.process.stdout.readline())
        return self.said[-1]

    def stop(self) -> tuple[int, str, str]:
        """End it as a service manager does: its status, all that it printed, and its errors."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.stdout is not None
        with self.process.stdout:
            self.said.append(self.process.stdout.read())
        return self.process.wait(PATIENCE), "".join(self.said), self._complaints()

    def _complaints(self) -> str:
        with self._errors:
            self._errors.seek(0)
            return self._errors.read()

    def harness(self) -> str:
        """The harness's token."""
        return (self.folder / "harness.token").read_text().strip()

    def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> Any:
        """The JSON of one request; by the harness, unless another token is given."""
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE)
        headers = {
            "Authorization": f"Bearer {token or self.harness()}",
            "Content-Type": "application/json",
        }
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        found = json.loads(answer.read())
        connection.close()
        return found

    def loop(self, session: str = "demo") -> list[Any]:
        """Three failing calls, which stop the loop; what fired: the change and its way back."""
        call = {**FAILING, "session_id": session}
        results = self.ask("POST", "/controller/events", [call, call, call])["results"]
        return list(results[2]["fired"])

    def run(self, *words: str, token: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run one command against it."""
        return run(*words, env=self.env, token=token)


@contextmanager
def served(
    folder: Path, *words: str, token: str | None = OPERATOR, **more: str
) -> Iterator[Daemon]:
    """A daemon that is ended at the end, if it was not before."""
    daemon = Daemon(folder, *words, token=token, **more)
    try:
        yield daemon
    finally:
        if daemon.process.poll() is None:
            daemon.stop()
