"""What the edge adds to an event before it is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.classification.edge import Seen, changes_nothing, see
from app.domain.calls import reading_of
from app.domain.events import Event, Json
from app.domain.state import Session

SESSION = Session(id="s")


def seen_of(event: Event, session: Session = SESSION, own: tuple[str, ...] = ()) -> Seen:
    return see(event, session, own=own, context_limit=9)


def _call(tool: str, cwd: str | None = None, **arguments: Json) -> Event:
    return Event(session_id="s", kind="attempt", tool=tool, arguments=arguments, cwd=cwd)


def test_floorboss_s_own_folder_is_guarded_even_inside_the_project(tmp_path: Path) -> None:
    own = tmp_path / "state"
    event = _call("Write", str(tmp_path), file_path=str(own / "controls.db"), content="")
    seen = seen_of(event, own=(str(own),))
    assert [target.zone for target in reading_of(seen.body).targets] == ["guarded"]


def test_the_first_cwd_names_the_root_and_later_ones_do_not(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    below = tmp_path / "src"
    below.mkdir()
    first = seen_of(_call("Read", str(below), file_path="a.py"))
    assert first.body["root"] == str(tmp_path)
    known = Session(id="s", root=str(tmp_path))
    assert "root" not in seen_of(_call("Read", str(below)), known).body


@pytest.mark.parametrize(
    ("path", "zones"),
    [
        ("C:\\dev\\src\\a.py", {"project"}),
        ("src\\a.py", {"project"}),
        ("C:\\dev\\tests\\a.py", {"test", "project"}),
        ("C:\\other\\a.py", {"outside", "project"}),
        ("/etc/motd", {"outside"}),
    ],
)
def test_a_folder_on_a_drive_is_a_root(path: str, zones: set[str]) -> None:
    seen = seen_of(_call("Write", "C:\\dev", file_path=path, content=""))
    assert seen.body["root"] == "/C:/dev"
    assert {target.zone for target in reading_of(seen.body).targets} == zones


def test_a_missing_context_limit_is_filled_only_where_usage_was_reported() -> None:
    silent = seen_of(_call("Read"))
    assert "context_limit" not in silent.body
    said = Event(session_id="s", tool="Read", context_tokens=5)
    assert seen_of(said).body["context_limit"] == 9


@pytest.mark.parametrize(
    ("tool", "arguments", "nothing"),
    [
        ("Read", {"file_path": "a.py"}, True),
        ("TodoWrite", {"todos": []}, True),
        ("Bash", {"command": "git status"}, True),
        ("Bash", {"command": "make install"}, False),
        ("Write", {"file_path": "a.py", "content": ""}, False),
        ("Task", {"prompt": "look"}, False),
        ("unheard_of", {}, False),
    ],
)
def test_only_what_surely_changes_nothing_may_run_unlogged(
    tool: str, arguments: dict[str, Json], nothing: bool
) -> None:
    event = Event(session_id="s", kind="attempt", tool=tool, arguments=arguments)
    assert changes_nothing(event, SESSION) is nothing
