"""Files with several names, on a real disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.classification import hardlinks, paths
from app.classification.hardlinks import by_all_names
from app.classification.paths import Place, targets
from app.classification.shellcode.found import Effects


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "TEMPORARY", ("/var/tmp",))
    root = tmp_path.resolve() / "project"
    for name in ("src", "tests", "node_modules/p", ".git/objects"):
        (root / name).mkdir(parents=True)
    return root


def written(root: Path, name: str) -> Effects:
    place = Place(root=str(root), cwd=str(root))
    return by_all_names(Effects(effects=("write",), targets=targets((name,), place)), place)


def shown(does: Effects) -> tuple[list[str], list[str], str | None]:
    return list(does.effects), [f"{t.path} {t.zone}" for t in does.targets], does.part


def test_a_file_with_one_name_stays_what_it_is(root: Path) -> None:
    (root / "src" / "a.py").write_text("")
    assert shown(written(root, "src/a.py")) == (["write"], ["src/a.py project"], None)


def test_a_file_that_is_not_there_has_no_other_name(root: Path) -> None:
    assert shown(written(root, "src/new.py")) == (["write"], ["src/new.py project"], None)


def test_every_name_in_the_project_is_a_target(root: Path) -> None:
    (root / "src" / "a.py").write_text("")
    os.link(root / "src" / "a.py", root / "tests" / "a.py")
    os.link(root / "src" / "a.py", root / "src" / "b.py")
    effects, found, part = shown(written(root, "src/a.py"))
    assert (effects, part) == (["write"], None)
    assert (found[0], sorted(found[1:])) == (
        "src/a.py project",
        ["src/b.py project", "tests/a.py test"],
    )


@pytest.mark.parametrize("elsewhere", ["../a.py", "node_modules/p/a.py", ".git/objects/a"])
def test_a_name_that_is_not_looked_for_is_not_vouched_for(root: Path, elsewhere: str) -> None:
    (root / "src" / "a.py").write_text("")
    os.link(root / "src" / "a.py", root / elsewhere)
    assert shown(written(root, "src/a.py")) == (
        ["write", "unknown_closed"],
        ["src/a.py project"],
        "src/a.py (2 names on the disk)",
    )


def test_more_entries_than_are_looked_at_are_not_vouched_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src" / "a.py").write_text("")
    os.link(root / "src" / "a.py", root / "src" / "b.py")
    assert "unknown_closed" not in written(root, "src/a.py").effects
    monkeypatch.setattr(hardlinks, "ENTRIES", 2)
    assert "unknown_closed" in written(root, "src/a.py").effects


def test_each_of_several_files_is_looked_at(root: Path) -> None:
    for name in ("a", "b"):
        (root / "src" / name).write_text("")
    os.link(root / "src" / "b", root / "tests" / "b")
    place = Place(root=str(root), cwd=str(root))
    both = Effects(effects=("write",), targets=targets(("src/a", "src/b"), place), part="make")
    assert shown(by_all_names(both, place)) == (
        ["write"],
        ["src/a project", "src/b project", "tests/b test"],
        "make",
    )


def test_a_session_without_a_root_has_no_place_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path is nowhere then: least of all where the daemon runs."""
    (tmp_path / "None").mkdir()
    for name in ("a", "None/a"):
        (tmp_path / name).write_text("")
        os.link(tmp_path / name, tmp_path / f"{name}2")
    monkeypatch.chdir(tmp_path)
    place = Place(root=None, cwd=None)
    relative = Effects(effects=("write",), targets=targets(("a",), place))
    assert by_all_names(relative, place).effects == ("write",)
    absolute = Effects(effects=("write",), targets=targets((str(tmp_path / "a"),), place))
    assert "unknown_closed" in by_all_names(absolute, place).effects
