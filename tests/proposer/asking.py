"""A gate over a real log, and a model server that is scripted: what tests of the proposer stand on.

with asking(tmp_path, answer(action="noop")) as asked:
    asked.trips()                 a check trips in a session; waits until the call is over
    asked.entries()               what stands in the log
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from app.config.endpoint import Endpoint, endpoint
from app.domain.advice import Rejected
from app.domain.entries import Entry
from app.domain.state import Book
from app.proposer.calls import Means
from app.proposer.client import Client, Resolve, looked_up
from app.proposer.gate import Gate, Model
from app.proposer.providers import PROVIDERS
from tests.proposer.server import Reply, Scripted, scripted
from tests.service.house import House, failing, house

TLS = httpx.create_ssl_context(trust_env=False)
MODELS = ("small", "large")


def client(url: str, *private_hosts: str, **more: Any) -> Client:
    """Who asks the model at a URL."""
    there = endpoint(url)
    assert isinstance(there, Endpoint), there
    said: dict[str, Any] = {
        "provider": PROVIDERS["anthropic" if url.endswith("/messages") else "openai"],
        "endpoint": there,
        "private_hosts": private_hosts,
        "model": "watcher",
        "key": None,
        "timeout": 60.0,
        "tls": TLS,
        **more,
    }
    return Client(**said)


def asked(server: Scripted, provider: str = "openai", **more: Any) -> str | Rejected:
    """What one question to a scripted server comes to."""
    return asyncio.run(client(server.url(provider), server.place, **more).ask("{}"))


def told(url: str, resolve: Resolve = looked_up, *private_hosts: str) -> str | Rejected:
    """What one question to any URL comes to."""
    return asyncio.run(client(url, *private_hosts, resolve=resolve).ask("{}"))


@dataclass(slots=True)
class Asking:
    """A house whose tripped checks ask a model."""

    home: House
    gate: Gate
    folder: Path
    over: threading.Semaphore

    def trips(self, session: str = "s", *, wait: bool = True, command: str = "make") -> None:
        """The same failing call three times; by default, wait for the end of the call it opens."""
        for _ in range(3):
            self.home.stored(failing(command, session))
        if wait:
            self.ends()

    def ends(self) -> None:
        """Wait until one more call is over."""
        assert self.over.acquire(timeout=60)

    def entries(self, kind: str | None = None) -> list[Entry]:
        """The committed entries that the proposer is behind, ways back aside."""
        return [entry for entry in self.home.entries(kind) if _ours(entry)]

    def refusal(self) -> dict[str, Any]:
        """Why the only call led nowhere."""
        (found,) = self.entries("refused")
        return dict(found.body)

    def settle(self) -> None:
        """Wait until the writer has done what waits now."""
        self.home.writer.submit(lambda desk, at: None).result()


def _ours(entry: Entry) -> bool:
    return "proposer" in entry.body or entry.body.get("by") == "proposer"


@contextmanager
def gated(
    folder: Path,
    model: Model,
    calls_per_day: int = 50,
    models: tuple[str, ...] = MODELS,
    **fields: Any,
) -> Iterator[Asking]:
    """A house with a gate to any model."""
    folder.mkdir(exist_ok=True)
    over = threading.Semaphore(0)

    def hear(book: Book, entries: tuple[Entry, ...]) -> None:
        for entry in entries:
            if entry.kind == "ended" and "proposer" in entry.body:
                over.release()

    means = Means(provider="openai", model="watcher", models=models, calls_per_day=calls_per_day)
    with house(folder, **fields) as home:
        gate = Gate(model, means, folder / "proposals", home.writer)
        gate.start()
        home.feed.listen(gate.hear)
        home.feed.listen(hear)
        try:
            yield Asking(home, gate, folder / "proposals", over)
        finally:
            gate.close()


@contextmanager
def asking(folder: Path, *replies: Reply, **more: Any) -> Iterator[tuple[Asking, Scripted]]:
    """A house with a gate to a scripted server."""
    timeout = more.pop("timeout", 60.0)
    with scripted(*replies) as server:
        model = client(server.url(), server.place, timeout=timeout)
        with gated(folder, model, **more) as gate:
            yield gate, server
            server.released.set()
