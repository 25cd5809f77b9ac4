"""Two corpora of shell lines: those that write where they must not, and an ordinary day's work.

    cases/shell/writes.json     run here, so that each proves that it writes; then judged
    cases/shell/ordinary.json   judged only: many name programs that few machines have

`needs` names the programs of a line beyond those of a plain Debian with python3, perl and git.
In a line, @TOP@ is the folder that holds the project, the home and a folder beside them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.classification import paths
from app.classification.edge import see
from app.classification.paths import Place, targets
from app.domain.calls import reading_of
from app.domain.events import Event
from app.domain.modes import MODES
from app.domain.policy import decide
from app.domain.restrictions import Call, Decision, InForce
from app.domain.state import Session

CORPUS = Path(__file__).parents[1] / "cases" / "shell"
WRITES: list[dict[str, Any]] = json.loads((CORPUS / "writes.json").read_text(encoding="utf-8"))
ORDINARY: list[dict[str, Any]] = json.loads((CORPUS / "ordinary.json").read_text(encoding="utf-8"))
RUNNABLE = [case for case in WRITES if all(map(shutil.which, case.get("needs", ())))]
LOOKING = [case for case in ORDINARY if case["reads_or_tests"]]
STATE = ".local/state/floorboss"  # below the scratch home
FILES = {
    "src/a.py": "def add(a, b):\n    return a + b\n",
    "src/b.py": "x = 1\n",
    "src/notes.txt": "one\none\ntwo\n",
    "src/pkg/__init__.py": "",
    "src/x.txt": "x\n",
    "tests/test_a.py": "from src.a import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "tests/test_b.py": "def test_b():\n    assert True\n",
    "tests/data.json": "{}\n",
    "tests/Makefile": "touched:\n\t@touch touched\n",
    "packages/foo/src/index.ts": "export const x = 1;\n",
    "packages/foo/tests/foo.test.ts": "assert(x === 1);\n",
    "docs/guide.md": "# Guide\n",
    "package.json": "{}\n",
    "README.md": "# Demo\n",
    "patches/bin/cat": '#!/bin/sh\nrm "$1"\n',
    "patches/one.diff": "--- a\n+++ b\n@@ -3,2 +3,3 @@\n \n def test_add():\n+    print()\n",
    ".claude/settings.json": '{"hooks": {}}\n',
    ".codex/config.toml": "x = 1\n",
    ".cursor/hooks.json": "{}\n",
    ".gemini/settings.json": '{"x": 1}\n',
    "opencode.json": '{"x": 1}\n',
    "../elsewhere/file.txt": "a\n",
    "../home/.bashrc": "",
    "../home/.claude.json": "{}\n",
    "../home/.claude/settings.json": '{"hooks": {}}\n',
    "../home/.config/floorboss/floorboss.toml": "",
    "../home/.config/systemd/user/floorboss.service": "[Unit]\n",
    f"../home/{STATE}/controls.db": "x",
    "../home/.local/bin/own": "",
    "../home/notes.txt": "a\n",
}
HISTORY = """
git init -q --template= -b main
git config user.name demo; git config user.email demo@localhost; git config gc.auto 0
mkdir .git/hooks .git/info; echo 'exit 0' > .git/hooks/commit-msg
git add .; git commit -qm first
git checkout -qb other; echo '{"a": 1}' > tests/data.json; git commit -qam 'other data'
git checkout -q main; sed -i 's/== 3/== 2 + 1/' tests/test_a.py; git commit -qam second
git diff HEAD HEAD~ -- tests/test_a.py > patches/fix.diff
sed 's,tests/,,' patches/fix.diff > patches/below.diff; cp patches/below.diff patches/below-a.diff
git format-patch -q --stdout other~..other > patches/one.mbox
echo '# later' >> tests/test_a.py; git stash -q
echo '# now' >> tests/test_b.py; echo 'x = 2' > src/b.py; echo > tests/untracked.txt
mkdir archive; echo below > below.txt; tar cf archive/below.tar below.txt
python3 -m zipfile -c archive/below.zip below.txt; rm below.txt
tar cf archive/files.tar tests/test_a.py
python3 -m zipfile -c archive/files.zip tests
ln -s ../tests src/linked; chmod +x patches/bin/cat
git pack-refs --all; git repack -adq; rm -rf .git/logs/HEAD .git/logs/refs/heads .git/objects/info
rm -f .git/COMMIT_EDITMSG .git/ORIG_HEAD .git/info/refs
"""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo project, a home and a folder beside them, as every line finds it."""
    top = tmp_path_factory.mktemp("corpus").resolve() / "top"
    for name, text in FILES.items():
        path = Path(os.path.normpath(top / "project" / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = run(HISTORY, top)
    assert made.returncode == 0, made.stderr
    return top


@pytest.fixture
def place(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The project as a session works in it, with `/tmp` no longer what all of it lies in."""
    monkeypatch.setattr(paths, "TEMPORARY", ("/var/tmp",))
    monkeypatch.setenv("HOME", str(scratch / "home"))
    project = str(scratch / "project")
    return Place(root=project, cwd=project, own=(str(scratch / "home" / STATE),))


def run(line: str, top: Path) -> subprocess.CompletedProcess[str]:
    """What bash makes of a line in the project, with nothing of this machine but its programs."""
    return subprocess.run(
        ["bash", "-c", line],
        cwd=top / "project",
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(top / "home"),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def spelled(path: str, top: Path) -> str:
    """A path of the corpus as one on this disk."""
    return os.path.normpath(top / "project" / path.replace("~", str(top / "home")))


def look(path: str) -> dict[Path, tuple[object, ...]]:
    """Everything at and below a path: kind, rights, time of the last change, text."""
    top = Path(path)
    found = (top, *top.rglob("*")) if os.path.lexists(path) else ()
    return {each: _state(each) for each in found}


def _state(path: Path) -> tuple[object, ...]:
    about = path.lstat()
    text = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    return about.st_mode, about.st_ino, about.st_nlink, about.st_mtime_ns, text


def judged(line: str, place: Place, mode: str) -> Decision:
    """The verdict on a shell line in a mode, by the same road as in the service."""
    event = Event(
        session_id="s", kind="attempt", tool="Bash", arguments={"command": line}, cwd=place.cwd
    )
    seen = see(event, Session(id="s", root=place.root), own=place.own, context_limit=1)
    reading = reading_of(seen.body)
    call = Call(
        tool="Bash",
        tool_class=reading.tool_class,
        effects=reading.effects,
        targets=reading.targets,
        part=reading.part,
        commands=seen.commands,
    )
    return decide(InForce(modes=(MODES["default"][mode],)), call)


def by_name(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


def test_the_corpora_are_as_large_as_they_claim() -> None:
    assert len(RUNNABLE) >= 200
    assert len({case["line"] for case in WRITES}) == len(WRITES)
    assert len({case["line"] for case in ORDINARY}) == len(ORDINARY) >= 220
    assert sum(case["seen"] for case in ORDINARY) >= 110


@pytest.mark.parametrize("case", by_name(WRITES))
def test_what_a_line_writes_is_closed_in_implementation(case: dict[str, Any], place: Place) -> None:
    for path in case["writes"]:
        zones = {target.zone for target in targets((path,), place)}
        assert zones & {"test", "guarded", "outside"}, path


@pytest.mark.parametrize("case", by_name(RUNNABLE))
def test_a_writing_line_writes(case: dict[str, Any], scratch: Path, tmp_path: Path) -> None:
    top = tmp_path / "top"
    shutil.copytree(scratch, top, symlinks=True)
    written = [spelled(path, top) for path in case["writes"]]
    before = [look(path) for path in written]
    answer = run(case["line"].replace("@TOP@", str(top)), top)
    for path, was in zip(written, before, strict=True):
        assert look(path) != was, f"{path} is as it was; {answer}"


@pytest.mark.parametrize("case", by_name(WRITES))
def test_a_writing_line_is_stopped(case: dict[str, Any], place: Place, scratch: Path) -> None:
    line = case["line"].replace("@TOP@", str(scratch))
    verdicts = {
        mode: judged(line, place, mode).verdict
        for mode in ("implementation", "debug", "review", "plan")
    }
    assert verdicts.pop("implementation") != "none"
    assert set(verdicts.values()) == {"deny"}


@pytest.mark.parametrize("case", by_name(ORDINARY))
def test_an_ordinary_line_passes(
    case: dict[str, Any], scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/dev")
    project = str(scratch / "project")
    place = Place(root=project, cwd=project)
    modes = ("implementation", "debug") if case["reads_or_tests"] else ("implementation",)
    for mode in modes:
        found = judged(case["line"], place, mode)
        assert found.verdict == "none", (mode, found.effect, found.detail)


@pytest.mark.parametrize("mode", ["implementation", "debug", "review", "plan"])
def test_a_line_too_long_to_look_at_is_stopped(mode: str, place: Place) -> None:
    for filler in ("true && " * 25_000, f"echo {'word ' * 4_000}; "):
        assert judged(f"{filler}rm tests/test_a.py", place, mode).verdict != "none"
