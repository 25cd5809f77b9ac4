"""A real daemon for a replay to post to: `floorboss serve` as a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from app.replay.address import Address, address_of
from app.replay.post import Daemon

SERVING: Final = re.compile(r"Serving (http://[^;]+);")
STOPS_WITHIN: Final = 30  # seconds after which a process that does not stop is killed


@contextmanager
def serving(folder: Path, toml: str = "") -> Iterator[str]:
    """The URL of a daemon with a state folder of its own; it is stopped at the end."""
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "floorboss.toml").write_text(toml)
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--state-dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
    try:
        assert process.stdout is not None
        found = SERVING.search(process.stdout.readline())
        assert found is not None, "the daemon did not start; its own words stand above"
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=STOPS_WITHIN)


@contextmanager
def posting(folder: Path, url: str) -> Iterator[Daemon]:
    """A replay's end of the connection to the daemon of a state folder."""
    address = address_of(url)
    assert isinstance(address, Address)
    daemon = Daemon(address, (folder / "harness.token").read_text().strip())
    try:
        yield daemon
    finally:
        daemon.close()
