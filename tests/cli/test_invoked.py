"""Commands that are printed run as they stand, wherever the program was installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.cli.invoked import program


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """An executable floorboss in a folder with a blank in its name."""
    path = tmp_path / "my project" / "floorboss"
    path.parent.mkdir()
    path.write_text("")
    path.chmod(0o755)
    return path


def test_outside_the_path_it_is_named_as_it_was_called(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(installed), "status"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == f"'{installed}'"


def test_on_the_path_its_name_is_enough(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(installed), "status"])
    monkeypatch.setenv("PATH", str(installed.parent))
    assert program() == "floorboss"


def test_as_a_module_it_has_no_path_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/app/__main__.py", "status"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == "floorboss"
