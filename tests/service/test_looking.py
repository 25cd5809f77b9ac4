"""Who looks at the test files, when, and what of it is stored."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.domain.events import Event, Json
from app.harness.base import Report
from app.replay.run import Core
from app.replay.tally import Tally
from app.service.hooks import hear
from tests.replay.runs import configuration, neutral_file, told
from tests.service.house import House, call, house

RED = {"outcome": "error", "result": "1 failed in 0.01s"}
GREEN = {"outcome": "ok", "result": "1 passed in 0.01s"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    (tmp_path / "state").mkdir()
    with house(tmp_path / "state") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "tests/test_a.py").write_text("assert False\n")
    return root


def run(project: Path, command: str = "pytest", **said: Any) -> Event:
    return call(command, cwd=str(project), **{**RED, **said})


def stored(home: House) -> list[dict[str, Json]]:
    """What is stored of each test run."""
    found = (entry.body.get("test") for entry in home.entries("observed"))
    return [test for test in found if isinstance(test, dict)]


def test_a_run_is_stored_with_its_tree_and_what_moved_since_it_went_red(
    home: House, project: Path
) -> None:
    home.stored(run(project))
    (project / "tests/conftest.py").write_text("")
    home.stored(run(project))
    first, second = stored(home)
    assert len(str(first["tree"])) == 16
    assert "moved" not in first
    assert second["tree"] != first["tree"]
    paths: Json = ["tests/conftest.py"]
    assert second["moved"] == [{"since": first["tree"], "count": 1, "paths": paths}]


def test_only_the_reds_that_a_run_includes_are_compared(home: House, project: Path) -> None:
    home.stored(run(project, "pytest tests/test_a.py"))
    (project / "tests/conftest.py").write_text("")
    home.stored(run(project, "pytest tests/test_b.py"), run(project))
    assert [len(one.get("moved") or ()) for one in stored(home)] == [0, 0, 1]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        {"cwd": "/no/such/project"},
        {"cwd": None},
        {"cwd": "project"},
        {"occurred_at": "2020-01-01T00:00:00Z"},
        {"occurred_at": "2020-01-01T00:00:00"},
        {"outcome": "unknown"},
        {"outcome": "timeout"},
    ],
)
def test_what_is_not_here_or_not_now_has_no_tree(
    home: House, project: Path, said: dict[str, Any]
) -> None:
    home.stored(call("pytest", **{**RED, "cwd": str(project), **said}))
    assert all("tree" not in one for one in stored(home))


def test_a_run_of_just_now_is_looked_at_whatever_it_says_of_the_time(
    home: House, project: Path
) -> None:
    now = datetime.fromtimestamp(time.time(), UTC).isoformat()
    home.stored(run(project, occurred_at=now), run(project, occurred_at="no time"))
    assert all("tree" in one for one in stored(home))


def test_a_run_elsewhere_is_over_the_tests_of_the_sessions_project(
    home: House, project: Path
) -> None:
    (project / "src").mkdir()
    (project / "src/test_b.py").write_text("")
    home.stored(run(project), run(project / "src"), run(project / "src", session="t"))
    first, second, other = stored(home)
    assert first["tree"] == second["tree"] != other["tree"]


def test_all_runs_of_one_request_are_over_one_look(home: House, project: Path) -> None:
    home.stored(*(run(project, session=name) for name in ("s", "t")), call("ls"), run(project))
    trees = {one["tree"] for one in stored(home)}
    assert len(stored(home)) == 3
    assert len(trees) == 1


def _batch(project: Path, call_id: str) -> Report:
    event = run(project, call_id=call_id, outcome="error")
    return Report(hook="PostToolBatch", scope="s", events=(event,), batched=True)


def test_a_batch_that_repeats_a_run_looks_at_nothing(home: House, project: Path) -> None:
    home.run(
        hear(home.control, Report(hook="Post", scope="s", events=(run(project, call_id="c"),)))
    )
    home.run(hear(home.control, _batch(project, "c")))
    assert ["tree" in one for one in stored(home)] == [True]


def test_a_run_that_only_its_batch_tells_of_is_looked_at(home: House, project: Path) -> None:
    attempt = run(project, call_id="c", kind="attempt", outcome="unknown", result=None)
    home.run(hear(home.control, Report(hook="Pre", scope="s", events=(attempt,))))
    home.run(hear(home.control, _batch(project, "c")))
    assert ["tree" in one for one in stored(home)] == [True]


def test_a_forgotten_session_still_knows_what_was_red(tmp_path: Path, project: Path) -> None:
    (tmp_path / "state").mkdir()
    with house(tmp_path / "state", keep=1) as home:
        home.stored(run(project))
        home.stored(call("ls", session="t"))
        assert "s" not in home.desk.book.sessions
        (project / "tests/test_a.py").write_text("assert True\n")
        (answer,) = home.stored(run(project, **GREEN))
        (notice,) = answer.fired
        assert notice.body["paths"] == ["tests/test_a.py"]


def test_a_test_folder_that_cannot_be_looked_at_any_more_proves_nothing(
    home: House, project: Path
) -> None:
    home.stored(run(project))
    os.rename(project, project.parent / "elsewhere")  # noqa: PTH104
    (answer,) = home.stored(run(project, **GREEN))
    (notice,) = answer.fired
    assert "could not be looked at" in str(notice.body["notice"])


def test_a_replay_looks_at_nothing(tmp_path: Path, project: Path) -> None:
    said = {"session_id": "s", "cwd": str(project), "tool": "Bash"}
    line = {**said, "arguments": {"command": "pytest"}}
    lines = [{**line, **RED}, {**line, **GREEN}]
    path = neutral_file(tmp_path / "s.jsonl", lines)
    core = Core(configuration(tmp_path))
    told([path], core.feed, Tally())
    found = (core.memory.get(seq) for seq in range(1, core.memory.head_seq + 1))
    runs = [entry.body["test"] for entry in found if entry and "test" in entry.body]
    assert [run["result"] for run in runs if isinstance(run, dict)] == ["red", "green"]
    assert "tree" not in str(runs)
