"""Where paths really are, on a real disk with real links."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.classification import paths
from app.classification.disk import find_root
from app.classification.paths import Place, closed, targets

READ = json.loads((Path(__file__).parents[1] / "cases" / "paths.json").read_text(encoding="utf-8"))
NOBODY = 65_534
CASES = [pytest.param(case, id=case["name"]) for case in READ]


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds the project, with `/tmp` no longer the place where all of it lies."""
    monkeypatch.setattr(paths, "TEMPORARY", ("/var/tmp",))
    (tmp_path / "project").mkdir()
    return tmp_path.resolve()


def grown(top: Path, given: dict[str, Any]) -> None:
    root = top / "project"
    for name in given.get("tree", ()):
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
    for name, target in given.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(spelled(target, top))


def spelled(text: str, top: Path) -> str:
    return text.replace("$ROOT", str(top / "project")).replace("$TOP", str(top))


@pytest.mark.parametrize("case", CASES)
def test_a_path_is_where_the_text_and_the_disk_say(case: dict[str, Any], top: Path) -> None:
    given, root = case["given"], top / "project"
    grown(top, given)
    place = Place(
        root=None if given["root"] is None else str(root / given["root"]),
        cwd=None if given["cwd"] is None else str(root / given["cwd"]),
        given=tuple(spelled(folder, top) for folder in given.get("given", ())),
        own=(spelled(given["state_dir"], top),) if "state_dir" in given else (),
    )
    found = targets((spelled(case["when"], top),), place)
    assert [[t.path, t.zone] for t in found] == [
        [spelled(path, top), zone] for path, zone in case["then"]
    ]


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3_000 + "y", "/" + "x" * 5_000, "x\0y"])
def test_a_path_that_no_disk_can_hold_is_where_its_text_says(name: str, top: Path) -> None:
    place = Place(root=str(top / "project"), cwd=str(top / "project"))
    inside = not name.startswith("/")
    found = targets((name, f"tests/{name}"), place)
    assert [target.zone for target in found[:1]] == ["project" if inside else "outside"]
    assert found[-1].zone == "test"


@pytest.mark.parametrize("name", ["x\0y", "link/x\0y", "loop/x\0y"])
def test_a_path_that_no_disk_can_hold_is_guarded_where_its_folder_is(name: str, top: Path) -> None:
    (top / "state").mkdir()
    (top / "project" / "link").symlink_to(top / "state")
    (top / "project" / "loop").symlink_to("loop")
    root = str(top / "project")
    for place in (Place(root=root, cwd=root, own=(str(top / "state"),)), Place(root="/", cwd=root)):
        found = targets((name, str(top / name)), place)
        guarded = name.startswith("link") and bool(place.own)
        assert found[0].zone == ("guarded" if guarded else "project")
        assert len(found) == 2


def test_one_place_looks_at_a_folder_once(top: Path) -> None:
    """All that one event names is judged by one look, as if it were named at one moment."""
    root = str(top / "project")
    (top / "project" / "a").mkdir()
    (top / "project" / "tests").mkdir()
    place = Place(root=root, cwd=root)
    assert [target.zone for target in targets(("a/x",), place)] == ["project"]
    (top / "project" / "a").rmdir()
    (top / "project" / "a").symlink_to("tests")
    assert [target.zone for target in targets(("a/x",), place)] == ["project"]
    later = Place(root=root, cwd=root)
    assert [target.zone for target in targets(("a/x",), later)] == ["project", "test"]


@contextmanager
def not_root() -> Iterator[None]:
    """Root may look everywhere; inside this, a test that root runs may not."""
    before = os.geteuid()
    os.seteuid(before or NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_folder_that_may_not_be_looked_into_is_no_fault(top: Path) -> None:
    (top / "closed").mkdir(mode=0)
    place = Place(root=str(top / "project"), cwd=str(top / "project"))
    with not_root():
        found = targets((str(top / "closed" / "a" / "b"),), place)
    assert [target.zone for target in found] == ["outside"]


def test_a_long_way_round_to_a_link_is_resolved(top: Path) -> None:
    (top / "project" / "tests").mkdir()
    (top / "project" / "link").symlink_to("tests")
    place = Place(root=str(top / "project"), cwd=str(top / "project"))
    found = targets(("./" * 4_000 + "link/a.py",), place)
    assert [target.zone for target in found] == ["project", "test"]


def test_every_target_stands_once(top: Path) -> None:
    place = Place(root=str(top / "project"), cwd=str(top / "project"))
    assert len(targets(("a", "./a", "b/../a"), place)) == 1


def test_the_temporary_folders_are_temporary() -> None:
    place = Place(root="/srv/project", cwd="/srv/project")
    assert [t.zone for t in targets(("/tmp/x", "/var/tmp/x"), place)] == ["temporary"] * 2


def test_the_home_folder_is_spelled_out(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(top / "home"))
    place = Place(root=str(top / "project"), cwd=str(top / "project"))
    found = targets(("~/a", "~other/a"), place)
    assert [t.path for t in found] == [str(top / "home" / "a"), "~other/a"]


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_root_is_the_top_of_the_working_tree(top: Path, kind: str) -> None:
    git = top / "project" / ".git"
    git.mkdir() if kind == "folder" else git.write_text("gitdir: elsewhere")
    deep = top / "project" / "a" / "b"
    deep.mkdir(parents=True)
    assert find_root(str(deep)) == str(top / "project")
    assert find_root(str(top / "project")) == str(top / "project")


def test_without_a_working_tree_the_root_is_the_cwd() -> None:
    assert find_root("/nowhere/at/all/") == "/nowhere/at/all"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("tests/a", True), (".git/config", True), ("src/a", False), (".", False), ("..", False)],
)
def test_the_root_and_what_holds_it_close_nothing_by_name(path: str, expected: bool) -> None:
    assert closed(path, Place(root="/srv/project", cwd="/srv/project")) is expected


def test_a_folder_that_is_no_absolute_path_is_not_looked_for(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be looked for where the daemon runs."""
    (top / "project" / ".git").mkdir()
    monkeypatch.chdir(top)
    assert find_root("project/") == "project"


def test_the_root_behind_a_link_is_the_one_that_git_finds(top: Path) -> None:
    for name in ("project/.git", "project/a/b", "other/.git"):
        (top / name).mkdir(parents=True)
    (top / "other" / "link").symlink_to(top / "project")
    (top / "deep").symlink_to(top / "project" / "a")
    assert find_root(str(top / "other" / "link" / "a" / "b")) == str(top / "other" / "link")
    assert find_root(str(top / "deep" / "b")) == str(top / "project")
    assert find_root(str(top / "nowhere")) == str(top / "nowhere")
