"""Where a test run of a line happened, and what steered it from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.classification.edge import see
from app.domain.events import Event
from app.domain.state import Session


def where(root: Path, line: str, **more: Any) -> str:
    (root / ".git").mkdir(exist_ok=True)
    arguments = {"command": line, **more.pop("arguments", {})}
    event = Event(
        session_id="s",
        tool="Bash",
        arguments=arguments,
        outcome="error",
        exit_code=1,
        **{"cwd": str(root), **more},
    )
    seen = see(event, Session(id="s"), own=(), context_limit=200_000)
    run: Any = seen.body["test"]
    return str(run.get("where", ""))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest", ""),
        ("pytest tests -q", ""),
        ("cd . && pytest", ""),
        ("cd sub && pytest", "sub"),
        ("cd sub; cd .. ; pytest", ""),
        ("(cd sub; pytest)", "sub"),
        ("cd 'sub' && cd deep && pytest", "sub/deep"),
        ("pushd sub >/dev/null && pytest", "sub"),
        ("if true; then cd sub; pytest; fi", "sub"),
        ("cd /elsewhere/x && pytest", "/elsewhere/x"),
        ("cd ../other && python -m pytest", "../other"),
        ("cd $X && pytest", "$X"),
        ("cd && pytest", "~"),
        ("cd sub && cd - && pytest", "sub $(cd -)"),
        ("PYTEST_ADDOPTS='--deselect a' pytest", "PYTEST_ADDOPTS=--deselect a"),
        ("export PYTEST_ADDOPTS=--co; pytest", "PYTEST_ADDOPTS=--co"),
        ("PATH=src/bin:$PATH pytest", "PATH=src/bin:$PATH"),
        ("export MAKEFLAGS=-n && make test", "MAKEFLAGS=-n"),
        ("env -C sub pytest", "-C sub"),
        ("uv run --directory sub pytest", "--directory sub"),
        ("docker compose run --rm web pytest", "docker"),
        ("uv run --directory=/elsewhere pytest", "--directory=/elsewhere"),
        ("CI=1 npm test", ""),
    ],
)
def test_a_run_is_told_with_its_folder_and_what_steers_it(
    tmp_path: Path, line: str, expected: str
) -> None:
    outside = str(tmp_path.parent / "other") if expected == "../other" else expected
    assert where(tmp_path, line) == outside


def test_a_tool_may_be_told_its_folder(tmp_path: Path) -> None:
    assert where(tmp_path, "pytest", arguments={"workdir": str(tmp_path / "sub")}) == "sub"


def test_a_root_behind_a_link_is_the_root(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    assert where(real, "pytest", cwd=str(link)) == ""
    assert where(real, f"cd {link} && pytest") == ""


def test_a_session_that_never_said_where_it_works_has_its_folders_as_they_are_said() -> None:
    event = Event(
        session_id="s",
        tool="Bash",
        arguments={"command": "cd a/../b && pytest"},
        outcome="error",
        exit_code=1,
    )
    run: Any = see(event, Session(id="s"), own=(), context_limit=1).body["test"]
    assert run["where"] == "b"
