"""A running daemon for each test, and one that tests share which change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.running import Running


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """A daemon with an empty log."""
    started = Running(tmp_path / "state")
    yield started
    started.daemon.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon whose session `s` was tightened; for tests that do not look at the whole log."""
    started = Running(tmp_path_factory.mktemp("shared") / "state")
    started.tightened()
    yield started
    started.daemon.close()
