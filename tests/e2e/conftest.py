"""Daemons in processes of their own: one for the whole run of a file, or one for a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.process import Process, served


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A daemon for the tests of one file."""
    with served(tmp_path_factory.mktemp("e2e") / "state") as process:
        yield process


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    """A daemon for one test."""
    with served(tmp_path / "state") as started:
        yield started
