"""The digest of the test files, over real folders and real repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.classification import testfiles, testtree
from app.classification.testfiles import is_test
from app.classification.testtree import Tree, Trees

FILES = {
    "src/a.py": "a = 1\n",
    "tests/test_a.py": "assert False\n",
    "tests/data/one.json": "{}\n",
    "tests/helper.py": "x = 1\n",
    "conftest.py": "\n",
}


def git(root: Path, *words: str) -> None:
    plain = {name: held for name, held in os.environ.items() if not name.startswith("GIT_")}
    said = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
    subprocess.run(said, cwd=root, env=plain, check=True, capture_output=True)


@pytest.fixture(params=["git", "no git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project with tests, once in a repository and once without."""
    return project(tmp_path / "p", in_git=request.param == "git")


def project(root: Path, *, in_git: bool = True) -> Path:
    for name, text in FILES.items():
        write(root, name, text)
    if in_git:
        git(root, "init", "-q")
        git(root, "add", ".")
        git(root, "commit", "-qm", "one")
    return root


def write(root: Path, name: str, text: str = "x\n") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def look(trees: Trees, root: Path, *since: Tree, at: str = "") -> Tree:
    tree = trees.look(str(root), {one.digest: at for one in since})
    assert tree is not None
    return tree


def moved(tree: Tree) -> list[str]:
    return [path for one in tree.moved for path in one.paths]


def _renamed(root: Path) -> None:
    (root / "tests/test_a.py").rename(root / "tests/test_b.py")


def _kept_its_time(root: Path) -> None:
    path = root / "tests/test_a.py"
    before = path.stat()
    path.write_text("assert 1 > 0\n")  # as long as it was
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def _swapped(root: Path) -> None:
    (root / "tests").rename(root / "src" / "moved")
    (root / "tests").symlink_to("src/moved")


def _linked(root: Path) -> None:
    (root / "tests/helper.py").unlink()
    (root / "tests/helper.py").symlink_to("../src/a.py")


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a test is edited": (lambda r: write(r, "tests/test_a.py"), ["tests/test_a.py"]),
    "its time is set back": (_kept_its_time, ["tests/test_a.py"]),
    "its data are edited": (lambda r: write(r, "tests/data/one.json"), ["tests/data/one.json"]),
    "a test is removed": (lambda r: (r / "tests/test_a.py").unlink(), ["tests/test_a.py"]),
    "a test is renamed": (_renamed, ["tests/test_a.py", "tests/test_b.py"]),
    "a new conftest.py": (lambda r: write(r, "src/conftest.py"), ["src/conftest.py"]),
    "a new pytest.ini": (lambda r: write(r, "pytest.ini"), ["pytest.ini"]),
    "a test may be run": (lambda r: (r / "tests/test_a.py").chmod(0o755), ["tests/test_a.py"]),
    "a file becomes a link": (_linked, ["tests/helper.py"]),
    "the folder becomes a link": (_swapped, ["tests"]),
}  # fmt: skip
UNSEEN: dict[str, Callable[[Path], object]] = {
    "nothing": lambda r: None,
    "the source is edited": lambda r: write(r, "src/a.py", "a = 2\n"),
    "a test is touched": lambda r: os.utime(r / "tests/test_a.py"),
    "Python compiles a test": lambda r: write(r, "tests/__pycache__/test_a.cpython-311.pyc"),
    "packages are installed": lambda r: write(r, "node_modules/x/a.test.js"),
    "a cache in a hidden folder": lambda r: write(r, "tests/.pytest_cache/v/cache/lastfailed"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_test_is_another_tree_and_named(root: Path, name: str) -> None:
    change, paths = CHANGES[name]
    trees = Trees()
    before = look(trees, root)
    change(root)
    after = look(trees, root, before)
    assert after.digest != before.digest
    assert set(paths) <= set(moved(after))
    assert look(Trees(), root).digest == after.digest  # whoever looks


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_no_test_changes_nothing(root: Path, name: str) -> None:
    trees = Trees()
    before = look(trees, root)
    UNSEEN[name](root)
    assert look(trees, root, before) == before


def test_what_is_behind_a_link_to_a_file_belongs_to_the_tests(root: Path) -> None:
    (root / "tests/linked.py").symlink_to("../src/a.py")
    trees = Trees()
    before = look(trees, root)
    write(root, "src/a.py", "a = 2\n")
    assert moved(look(trees, root, before)) == ["tests/linked.py"]
    (root / "src/a.py").unlink()
    assert moved(look(trees, root, before)) == ["tests/linked.py"]


def test_a_change_and_back_is_the_same_tree(root: Path) -> None:
    trees = Trees()
    before = look(trees, root)
    write(root, "tests/test_a.py", "assert True\n")
    look(trees, root)
    write(root, "tests/test_a.py", FILES["tests/test_a.py"])
    assert look(trees, root, before) == before


def test_a_file_that_cannot_be_read_is_another_tree(root: Path) -> None:
    if os.geteuid() == 0:  # who may read everything: a folder in its place cannot be read either
        (root / "tests/helper.py").unlink()
        os.mkfifo(root / "tests/helper.py")
    else:
        (root / "tests/helper.py").chmod(0)
    before = look(Trees(), root)
    (root / "tests/helper.py").unlink()
    write(root, "tests/helper.py", FILES["tests/helper.py"])
    assert look(Trees(), root).digest != before.digest


def test_many_paths_are_counted_and_some_named(root: Path) -> None:
    trees = Trees()
    before = look(trees, root)
    for at in range(30):
        write(root, f"tests/test_{at:02}.py")
    (one,) = look(trees, root, before).moved
    assert (one.since, one.count, len(one.paths)) == (before.digest, 30, testtree.NAMED)
    assert one.paths[:2] == ("tests/test_00.py", "tests/test_01.py")


def test_after_a_restart_what_changed_since_that_run_is_named(root: Path) -> None:
    before = look(Trees(), root)
    newest = max(path.lstat().st_ctime for path in root.rglob("*"))
    at = datetime.fromtimestamp(newest + 0.001, UTC).isoformat()
    while (root / "tests/test_a.py").lstat().st_ctime <= newest + 0.001:
        _kept_its_time(root)
    assert moved(look(Trees(), root, before, at=at)) == ["tests/test_a.py"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose contents were read, as they are."""
    read: list[str] = []
    contents = testtree._Look._contents

    def counted(self: testtree._Look, full: str) -> bytes:
        read.append(full)
        return contents(self, full)

    monkeypatch.setattr(testtree._Look, "_contents", counted)
    return read


def test_what_changed_only_just_is_read_again(
    root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testtree, "FRESH", 60_000_000_000)  # a disk's clock may stand still so long
    trees = Trees()
    before = look(trees, root)
    first = sorted(read)
    read.clear()
    assert look(trees, root) == before
    assert sorted(read) == first


def test_a_file_that_has_long_been_the_same_is_not_read_again(
    root: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testtree, "FRESH", -60_000_000_000)  # nothing is too young
    trees = Trees()
    before = look(trees, root)
    read.clear()
    assert look(trees, root) == before
    assert read == []
    _kept_its_time(root)
    assert look(trees, root).digest != before.digest
    assert read == [str(root / "tests/test_a.py")]


def test_what_took_too_long_is_gone_on_with(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testtree, "FRESH", -60_000_000_000)
    monkeypatch.setattr(
        testtree, "BYTES", sum(map(len, FILES.values())) - len(FILES["src/a.py"]) - 1
    )
    trees = Trees()
    assert trees.look(str(root)) is None
    known = trees._root(str(root)).files
    assert set(known) == set(FILES) - {"src/a.py", "tests/test_a.py"}


@pytest.mark.parametrize("limit", ["FILES", "BYTES", "SECONDS"])
def test_beyond_the_bounds_there_is_no_tree(
    root: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testtree, limit, 1 if limit != "SECONDS" else -1.0)
    assert Trees().look(str(root)) is None


def test_so_many_entries_are_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testfiles, "ENTRIES", 3)
    for in_git in (True, False):
        assert Trees().look(str(project(tmp_path / str(in_git), in_git=in_git))) is None


@pytest.mark.parametrize("where", ["/no/such/folder", "relative", "/a\0b", "/\udc80", ""])
def test_a_folder_that_is_not_here_has_no_tree(where: str) -> None:
    assert Trees().look(where) is None


def test_listings_do_not_fill_the_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testtree, "REMEMBERED", 10)
    trees = Trees()
    first = look(trees, root)
    for at in range(6):
        write(root, "tests/test_a.py", f"{at}")
        look(trees, root)
    now = datetime.now(UTC).isoformat()
    assert moved(look(trees, root, first, at=now)) == []  # forgotten, and nothing changed since now


def test_git_says_what_belongs_to_the_project(tmp_path: Path) -> None:
    root = project(tmp_path / "p")
    write(root, ".gitignore", "tests/out/\n")
    trees = Trees()
    before = look(trees, root)
    write(root, "tests/out/report.txt")
    assert look(trees, root, before) == before
    write(root, ".gitignore", "tests/data/\n")  # tracked all the same; what was ignored is not now
    assert moved(look(trees, root, before)) == ["tests/out/report.txt"]
    git(root, "rm", "-q", "-r", "--cached", "tests/data")
    assert set(moved(look(trees, root, before))) == {"tests/out/report.txt", "tests/data/one.json"}


def test_a_stash_of_tests_is_another_tree(tmp_path: Path) -> None:
    root = project(tmp_path / "p")
    write(root, "tests/test_a.py", "assert 1\n")
    trees = Trees()
    before = look(trees, root)
    git(root, "stash", "-q")
    assert moved(look(trees, root, before)) == ["tests/test_a.py"]


def test_a_cache_that_is_tracked_belongs_to_the_tests(tmp_path: Path) -> None:
    root = project(tmp_path / "p")
    write(root, "tests/fixtures/node_modules/x/index.js")
    git(root, "add", "-f", ".")
    trees = Trees()
    before = look(trees, root)
    write(root, "tests/fixtures/node_modules/x/index.js", "y")
    assert moved(look(trees, root, before)) == ["tests/fixtures/node_modules/x/index.js"]


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("inner", ["tests/inner", "lib"])
def test_a_repository_inside_does_not_hide_tests(
    tmp_path: Path, inner: str, *, tracked: bool
) -> None:
    root = project(tmp_path / "p")
    write(root, f"{inner}/test_b.py")
    git(root / inner, "init", "-q")
    if tracked:
        git(root / inner, "add", ".")
        git(root / inner, "commit", "-qm", "one")
        git(root, "add", inner)  # as a submodule is
    trees = Trees()
    before = look(trees, root)
    write(root, f"{inner}/test_b.py", "changed")
    assert moved(look(trees, root, before)) == [f"{inner}/test_b.py"]


HOSTILE = {
    "core.fsmonitor": "{script}",
    "core.hooksPath": "{folder}",
    "core.pager": "{script}",
    "pager.ls-files": "{script}",
    "alias.ls-files": "!{script}",
    "core.sshCommand": "{script}",
    "core.askPass": "{script}",
    "core.editor": "{script}",
    "core.gitProxy": "{script}",
    "credential.helper": "{script}",
    "filter.x.clean": "{script}",
    "filter.x.smudge": "{script}",
    "filter.x.process": "{script}",
    "diff.x.textconv": "{script}",
    "diff.external": "{script}",
    "remote.origin.url": "ext::{script}",
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "protocol.ext.allow": "always",
    "index.sparse": "true",
    "core.sparseCheckout": "true",
}


def test_nothing_that_a_repository_or_the_environment_names_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, script, mark = project(tmp_path / "p"), tmp_path / "hooks/run", tmp_path / "mark"
    write(tmp_path, "hooks/run", f"#!/bin/sh\necho run >> {mark}\n")
    script.chmod(0o755)
    for hook in ("post-index-change", "post-checkout", "fsmonitor-watchman", "pre-commit"):
        shutil.copy(script, tmp_path / "hooks" / hook)
        shutil.copy(script, root / ".git/hooks" / hook)
    write(root, ".gitattributes", "* filter=x diff=x\n")
    for name, value in HOSTILE.items():
        git(root, "config", name, value.format(script=script, folder=script.parent))
    write(root, "tests/test_a.py", "changed")
    monkeypatch.chdir(root)
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(mark))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(script))
    write(root, "git", f"#!/bin/sh\necho run >> {mark}\n")
    (root / "git").chmod(0o755)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f".:{path}")
    mark.unlink(missing_ok=True)
    assert testfiles._tracked(str(root), time.monotonic() + 60)
    look(Trees(), root)
    assert not mark.exists()
    for said in (["git", "ls-files"], ["./git"]):  # the traps work
        subprocess.run(said, cwd=root, check=True, capture_output=True)
        assert mark.exists()
        mark.unlink()
    monkeypatch.delenv("GIT_TRACE2_EVENT")
    monkeypatch.setenv("PATH", path)
    subprocess.run(["git", "status"], cwd=root, check=False, capture_output=True)
    assert mark.exists()


@pytest.mark.parametrize(
    "setting", [("core.worktree", "/"), ("core.bare", "true"), ("core.worktree", "src")]
)
def test_a_repository_cannot_point_elsewhere(tmp_path: Path, setting: tuple[str, str]) -> None:
    root = project(tmp_path / "p")
    write(root, ".gitignore", "tests/data/\n")  # but it is tracked
    trees = Trees()
    before = look(trees, root)
    git(root, "config", *setting)
    write(root, "tests/data/one.json", "changed")
    assert moved(look(trees, root, before)) == ["tests/data/one.json"]


def test_a_broken_repository_is_walked(tmp_path: Path) -> None:
    root = project(tmp_path / "p")
    before = look(Trees(), root)
    (root / ".git/index").write_bytes(b"nonsense")
    assert look(Trees(), root) == before


def test_a_name_of_any_bytes_is_told_as_text(tmp_path: Path) -> None:
    root = project(tmp_path / "p")
    trees = Trees()
    before = look(trees, root)
    Path(os.fsdecode(os.fsencode(root) + b"/tests/test_\xff\n.py")).write_text("x")
    assert moved(look(trees, root, before)) == ["tests/test_\\xff\n.py"]


@pytest.mark.parametrize(
    ("path", "says"),
    [("tests/a", True), ("a/test_b.py", True), ("src/a.py", False), ("tests", True)],
)
def test_the_test_patterns_decide(path: str, *, says: bool) -> None:
    assert is_test(path) is says
