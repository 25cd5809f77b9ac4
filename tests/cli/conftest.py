"""A daemon that the tests of one file share, and terminals that are closed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.processes import Daemon, Terminal, served


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A running daemon."""
    with served(tmp_path_factory.mktemp("served") / "state") as running:
        yield running


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """Starts commands on terminals."""
    opened: list[Terminal] = []

    def start(*words: str, env: Mapping[str, str]) -> Terminal:
        opened.append(Terminal(*words, env=env))
        return opened[-1]

    yield start
    for each in opened:
        each.kill()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder that does not exist yet."""
    return tmp_path / "state"
