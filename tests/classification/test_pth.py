"""The PTH cases (01 to 18) of a catalogue of path tests, each by its number.

    cases/pth.json              every case: a call, the disk it meets, a verdict for each mode
    cases/shell/writes.json     13 and 15: lines that write, which test_shell_corpus.py runs
    cases/shell/ordinary.json   17: lines of an ordinary day

The catalogue speaks of a mode `implement` whose write scope is `src/**`. That is mode
implementation under a policy with these `write_paths` where a case says `scope`; without it the
mode's own zones hold, in which `src` and every other folder but tests is open. `then` gives the
verdict of each mode, `names` the target that the reason of implementation's refusal names.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.classification import paths
from app.classification.disk import Disk
from app.classification.edge import see
from app.domain.calls import reading_of
from app.domain.events import Event
from app.domain.modes import MODES
from app.domain.policy import decide
from app.domain.reasons import quoted, reason
from app.domain.restrictions import Call, Decision, InForce, Policy
from app.domain.state import Session

FOLDER = Path(__file__).parents[1] / "cases"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "pth.json").read_text(encoding="utf-8"))
WRITES, ORDINARY = (
    [case["line"] for case in json.loads((FOLDER / "shell" / name).read_text(encoding="utf-8"))]
    for name in ("writes.json", "ordinary.json")
)
_LONG = re.compile(r"<<([^<>]+) x(\d+)>>")
NUMBERS = ("01", "02", "03", "05", "06", "07", "08", "10", "11", "12", "14", "15", "18")
ALL_MODES = ("implementation", "test_development", "debug", "review", "plan")


class Folding(Disk):
    """This disk, as if it compared names without case."""

    def folds(self, folder: str) -> bool:
        return True

    def home_folds(self) -> bool:
        return True


class Telling(Folding):
    """This disk, as if it told apart names that differ in case."""

    def folds(self, folder: str) -> bool:
        return False

    def home_folds(self) -> bool:
        return False


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a project, a home and floorboss's state, no longer below a temporary one."""
    monkeypatch.setattr(paths, "TEMPORARY", ("/var/tmp",))
    top = tmp_path.resolve() / "top"
    monkeypatch.setenv("HOME", str(top / "home"))
    for name in ("project/.git", "project/src", "project/tests", "home", "state"):
        (top / name).mkdir(parents=True)
    return top


def grown(top: Path, given: dict[str, Any]) -> None:
    """The files, links and hard links of a case, below the project."""
    for name in given.get("files", ()):
        path = Path(os.path.normpath(top / "project" / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n", encoding="utf-8")
    for name, leads in given.get("links", {}).items():
        Path(os.path.normpath(top / "project" / name)).symlink_to(spelled(leads, top))
    for name, other in given.get("hard", {}).items():
        os.link(top / "project" / other, top / "project" / name)
    if "earlier" in given:
        subprocess.run(["bash", "-ec", given["earlier"]], cwd=top / "project", check=True)


def spelled(value: Any, top: Path) -> Any:
    """A value of a case with the folders of this disk; `<<TEXT xN>>` is TEXT N times."""
    if isinstance(value, str):
        value = _LONG.sub(lambda found: found[1] * int(found[2]), value)
        return value.replace("$ROOT", str(top / "project")).replace("$TOP", str(top))
    if isinstance(value, dict):
        return {spelled(key, top): spelled(item, top) for key, item in value.items()}
    return [spelled(item, top) for item in value] if isinstance(value, list) else value


def event_of(case: dict[str, Any], top: Path) -> Event:
    given, call = case.get("given", {}), case["when"]
    cwd = given.get("cwd", "$ROOT")
    return Event(
        session_id="s",
        kind="attempt",
        tool=call["tool"],
        arguments=spelled(call["arguments"], top),
        cwd=None if cwd is None else spelled(cwd, top),
    )


def call_of(case: dict[str, Any], top: Path) -> Call:
    """The call as the edge sees it; a case with `folds` tells it how the volume compares names."""
    event, given = event_of(case, top), case.get("given", {})
    own = (str(top / "state"),)
    root = given.get("root")
    session = Session(id="s", root=None if root is None else spelled(root, top))
    disk = Disk if "folds" not in given else Folding if given["folds"] else Telling
    seen = see(event, session, own=own, context_limit=1, disk=disk)
    reading = reading_of(seen.body)
    return Call(
        tool=event.tool or "",
        tool_class=reading.tool_class,
        effects=reading.effects,
        targets=reading.targets,
        part=reading.part,
        commands=seen.commands,
    )


def judged(call: Call, mode: str, scope: list[str] | None = None) -> Decision:
    policies = () if scope is None else (Policy(posture="yolo", write_paths=tuple(scope)),)
    return decide(InForce(modes=(MODES["default"][mode],), policies=policies), call)


def in_all_modes(case: dict[str, Any], top: Path) -> dict[str, str]:
    grown(top, case.get("given", {}))
    call, scope = call_of(case, top), case.get("scope")
    for name in (case["names"],) if "names" in case else ():
        decision = judged(call, "implementation", scope)
        assert quoted(spelled(name, top)) in reason(decision, 7)
    return {mode: judged(call, mode, scope).verdict for mode in case["then"]}


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"PTH-{case['pth']} {case['name']}") for case in CASES]
)
def test_pth(case: dict[str, Any], top: Path) -> None:
    assert in_all_modes(case, top) == case["then"]


def test_every_number_has_cases() -> None:
    assert {case["pth"] for case in CASES} == set(NUMBERS)
    names = [(case["pth"], case["name"]) for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("mode", ALL_MODES)
def test_pth_14_what_is_guarded_is_denied_in_every_mode(mode: str, top: Path) -> None:
    """By a tool and by a shell, and whatever else a policy opens."""
    for case in (case for case in CASES if case["pth"] == "14"):
        for scope in (None, ["**"]):
            decision = judged(call_of(case, top), mode, scope)
            assert (decision.verdict, case["name"]) == ("deny", case["name"])


# What each case of the catalogue says about lines, as the corpora must hold it.
FAMILIES = {
    "13": {
        "sed -i": r"\bsed -i|\bsed --in-place",
        "tee": r"\btee\b",
        "dd": r"\bdd\b.*of=",
        "a here-document": r"<<-?\s*['\"]?\w+",
        ">|": r">\|",
        "&>": r"&>",
        "python -c": r"\bpython3? -c",
        "node -e": r"\bnode -e|\bnode --eval",
        "perl -e": r"\bperl -\w*[eE]",
        "ruby -e": r"\bruby -e",
        "bash -c": r"\bbash -c",
        "bash -c within bash -c within bash -c": r"(?:\bbash -c.*){3}",
        "env": r"\benv\b",
        "timeout": r"\btimeout\b",
        "nohup": r"\bnohup\b",
        "xargs": r"\bxargs\b",
        "find -exec": r"\bfind\b.*-exec",
        "printf": r"\bprintf\b.*>",
        "install": r"(?:^|[;&|] *)install\b",
        "cp": r"\bcp\b",
        "mv": r"\bmv\b",
        "ln": r"\bln\b",
        "rsync": r"\brsync\b",
        "patch": r"\bpatch\b",
        "ed": r"\bed\b",
        "awk >": r"\bawk\b.*>",
        "base64 | sh": r"base64 (?:-d|-D|--decode)[^|]*\| *(?:ba)?sh",
        "process substitution": r">\(|<\(",
    },
    "15": {
        "cd": r"^cd (?!\.)\S+ *(?:&&|;)",
        "pushd": r"\bpushd\b",
        "git -C": r"\bgit -C\b",
        "make -C": r"\bmake -C\b",
        "a subshell": r"\(\s*cd\b",
        "cd .": r"^cd \.\s*(?:&&|;)",
        "CDPATH": r"\bCDPATH=",
    },
    "17": {
        "a test run of a folder": r"^pytest tests/",
        "grep in tests": r"\bgrep\b.*tests",
        "2>&1": r"2>&1",
        ">&2": r">&2",
        "> /dev/null": r"> ?/dev/null",
        "quoted text": r"echo ['\"].*tests",
        "git commit -m": r"git commit -m ['\"].*tests/",
    },
}


@pytest.mark.parametrize(
    ("number", "family"),
    [(number, family) for number, families in FAMILIES.items() for family in families],
)
def test_the_corpora_hold_every_family_of_lines(number: str, family: str) -> None:
    """Of PTH 13, 15 and 17: test_shell_corpus.py judges each line, and runs those that write."""
    wanted = re.compile(FAMILIES[number][family], re.DOTALL)
    corpus = ORDINARY if number == "17" else WRITES
    assert any(wanted.search(line) for line in corpus)


def test_pth_13_and_17_the_corpora_are_as_large_as_asked_for() -> None:
    assert len(set(WRITES)) >= 120
    assert len(set(ORDINARY)) >= 100
