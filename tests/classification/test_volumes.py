"""Whether a volume folds case, asked of the volume that the tests run on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.classification.volumes import folded, folds


def takes_any_case(folder: Path) -> bool:
    """What the volume does, tried out with a file of our own."""
    (folder / "Tried.txt").write_text("")
    return (folder / "tRIED.TXT").exists()


def test_a_folder_tells_what_its_volume_does(tmp_path: Path) -> None:
    assert folds(str(tmp_path)) is takes_any_case(tmp_path)


def test_two_names_of_one_file_are_no_sign(tmp_path: Path) -> None:
    if not takes_any_case(tmp_path):
        os.link(tmp_path / "Tried.txt", tmp_path / "tRIED.TXT")
    assert folds(str(tmp_path)) is (len(list(tmp_path.iterdir())) == 1)


def test_an_empty_folder_tells_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert folds(str(tmp_path / "empty")) is takes_any_case(tmp_path)


@pytest.mark.parametrize("name", ["nowhere", "a\0b", "\ud800", "file"])
def test_what_is_no_folder_tells_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert folds(str(tmp_path / name)) is False


def test_a_folder_that_is_made_later_is_asked_again(tmp_path: Path) -> None:
    later = tmp_path / "later"
    assert folds(str(later)) is False
    later.mkdir()
    assert folds(str(later)) is takes_any_case(later)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("Tests/A.PY", "tests/a.py"),
        ("te\u0301st", "t\u00e9st"),
        ("TE\u0301ST", "t\u00e9st"),
        ("\u212bngstr\u00f6m", "a\u030angstr\u00f6m"),
        ("te\u017fts", "tests"),
    ],
)
def test_names_that_differ_in_case_or_composition_are_one(name: str, same: str) -> None:
    assert folded(name) == folded(same)


def test_other_names_stay_apart() -> None:
    assert len({folded(name) for name in ("tests", "test", "t\u00e9sts", "t-ests")}) == 4
