"""One daemon per database, held by the kernel and not by a file's existence."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.store.lock import Lock, Locked, lock_path, take

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from app.store.lock import take
print(type(take(Path(sys.argv[1]))).__name__, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(database: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has taken the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    assert process.stdout.readline() == "Lock\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_told_who_has_the_database_and_does_not_open_it(
    holder: subprocess.Popen[str], database: Path
) -> None:
    locked = take(database)
    assert isinstance(locked, Locked)
    assert locked.pid == holder.pid
    assert locked.since
    assert locked.since.endswith("Z")
    assert [p.name for p in database.parent.iterdir()] == ["controls.db.lock"]


def test_a_symbolic_link_to_the_database_leads_to_the_same_lock(
    holder: subprocess.Popen[str], database: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(database)
    assert isinstance(take(link), Locked)


def test_a_lock_left_by_a_killed_process_is_free(
    holder: subprocess.Popen[str], database: Path
) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert lock_path(database).exists()
    lock = take(database)
    assert isinstance(lock, Lock)
    assert f"pid {os.getpid()}\n" in lock_path(database).read_text()
    lock.release()


def test_a_released_lock_is_free_and_its_file_stays(database: Path) -> None:
    lock = take(database)
    assert isinstance(lock, Lock)
    assert isinstance(take(database), Locked)
    lock.release()
    lock.release()
    assert lock_path(database).exists()
    again = take(database)
    assert isinstance(again, Lock)
    again.release()


def test_a_child_process_does_not_inherit_the_lock(database: Path) -> None:
    lock = take(database)
    assert isinstance(lock, Lock)
    pipe = subprocess.PIPE
    with subprocess.Popen(["/bin/cat"], stdin=pipe, stdout=pipe, close_fds=False) as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(b"ready\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"ready\n"
        lock.release()
        again = take(database)
        assert isinstance(again, Lock)
        again.release()
        assert child.poll() is None


def test_a_missing_folder_is_created_for_its_owner_only(tmp_path: Path) -> None:
    lock = take(tmp_path / "new" / "controls.db")
    assert isinstance(lock, Lock)
    lock.release()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "controls.db.lock").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "garbage", "pid x\nsince y\n", "\udcff\n"])
def test_a_holder_that_has_not_written_yet_is_unknown(content: str, database: Path) -> None:
    lock = take(database)
    assert isinstance(lock, Lock)
    lock_path(database).write_bytes(content.encode(errors="surrogateescape"))
    assert take(database) == Locked(pid=None, since=None)
    lock.release()
