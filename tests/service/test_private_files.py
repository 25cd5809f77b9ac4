"""Private files stay private whatever lay in their place, and whatever the umask is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.service.private_files import (
    UnsafePathError,
    private_folder,
    read_private,
    write_private,
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_folder_and_files_are_closed_under_any_umask(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "state" / "floorboss")
    write_private(folder / "a", b"1")
    assert (mode(folder.parent), mode(folder), mode(folder / "a")) == (0o700, 0o700, 0o600)


def test_an_open_folder_of_ours_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert mode(private_folder(tmp_path)) == 0o700


def test_a_folder_behind_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(UnsafePathError, match="symbolic link"):
        private_folder(tmp_path / "link")


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnsafePathError, match="cannot be opened"):
        private_folder(tmp_path / "file")


def test_what_was_written_is_read_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_private(tmp_path / "a", b"1")
    write_private(tmp_path / "a", b"2")
    assert read_private(tmp_path / "a") == b"2"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    assert read_private(tmp_path / "a") is None


def test_a_link_is_never_read(tmp_path: Path) -> None:
    write_private(tmp_path / "a", b"1")
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(UnsafePathError, match="symbolic link"):
        read_private(tmp_path / "link")


def test_a_link_to_nowhere_is_not_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(UnsafePathError, match="symbolic link"):
        read_private(tmp_path / "link")


def test_writing_replaces_a_link_and_not_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "link").symlink_to("kept")
    write_private(tmp_path / "link", b"new")
    assert (tmp_path / "kept").read_bytes() == b"kept"
    assert read_private(tmp_path / "link") == b"new"


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(UnsafePathError, match="not a regular file"):
        read_private(tmp_path / "pipe")


@pytest.mark.parametrize("open_mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_could_read_or_write_is_refused(tmp_path: Path, open_mode: int) -> None:
    write_private(tmp_path / "a", b"1")
    (tmp_path / "a").chmod(open_mode)
    with pytest.raises(UnsafePathError, match="open to other users"):
        read_private(tmp_path / "a")


def test_the_file_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_private(tmp_path / "a", b"1")
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(UnsafePathError, match="another user"):
        read_private(tmp_path / "a")
    with pytest.raises(UnsafePathError, match="another user"):
        private_folder(tmp_path)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_private(tmp_path / "a", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
