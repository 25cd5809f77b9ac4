"""Whatever way a path is spelled and an argument is shaped: where it really leads is a target.

The truth is asked of the system itself (`os.path.realpath`), in a tree with links of many kinds.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification import paths
from app.classification.edge import see
from app.classification.paths import Place, targets
from app.domain.calls import reading_of
from app.domain.events import Event
from app.domain.state import Session

FOLDERS = ("src/pkg", "tests/unit", "docs", ".git", "../home", "../state")
FILES = ("src/m.py", "tests/t.py", "src/pkg/test_q.py", "../state/token", "../home/x")
LINKS = {
    "src/t": "../tests",
    "src/up": "..",
    "src/home": "../../home",
    "src/unit": "../tests/unit",
    "src/loop": "loop",
    "src/state": "../../state",
    "src/f.py": "../tests/t.py",
    "src/new.py": "../tests/new.py",
    "src/chain": "t",
    "tests/s": "../src",
    "../link": "project",
}
PARTS = {part for name in (*FOLDERS, *FILES, *LINKS) for part in name.split("/")}
NAMES = st.sampled_from(["", ".", "..", "a b", "%2e%2e", "~", "srcfoo", "Tests", *sorted(PARTS)])
SPELLED = st.lists(NAMES, min_size=1, max_size=6).map("/".join).filter(lambda path: path[:1] != "~")
STARTS = st.sampled_from(["", "$ROOT/", "$TOP/link/", "$TOP/"])
CWDS = st.sampled_from(["$ROOT", "$ROOT/src", "$ROOT/src/unit", "$TOP/link/src", "$ROOT/gone"])


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("spelled").resolve() / "top"
    root = top / "project"
    root.mkdir(parents=True)
    for name in FOLDERS:
        Path(os.path.normpath(root / name)).mkdir(parents=True)
    for name in FILES:
        Path(os.path.normpath(root / name)).write_text("")
    for name, leads in LINKS.items():
        Path(os.path.normpath(root / name)).symlink_to(leads)
    return top


@pytest.fixture(autouse=True)
def nothing_is_temporary(monkeypatch_module: pytest.MonkeyPatch) -> None:
    monkeypatch_module.setattr(paths, "TEMPORARY", ("/var/tmp",))


@pytest.fixture(scope="module")
def monkeypatch_module() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def on_disk(text: str, top: Path) -> str:
    return text.replace("$ROOT", str(top / "project")).replace("$TOP", str(top))


def zone_of(real: str, top: Path) -> str:
    """The zone of a place without links, told in another way than the code does."""
    root = str(top / "project")
    if f"{real}/".startswith(f"{top}/state/") or f"{root}/".startswith(f"{real.rstrip('/')}/"):
        return "guarded"
    parts = real.removeprefix(root).strip("/").split("/")
    after = [*parts[1:], ""]
    if any(a == ".git" and b in ("", "config") for a, b in zip(parts, after, strict=True)):
        return "guarded"
    if not real.startswith(f"{root}/"):
        return "outside"
    return "test" if any(p == "tests" or p.startswith("test_") for p in parts) else "project"


def written(tool: str, arguments: dict[str, Any], cwd: str, top: Path) -> set[str]:
    event = Event(session_id="s", kind="attempt", tool=tool, arguments=arguments, cwd=cwd)
    session = Session(id="s", root=str(top / "project"))
    seen = see(event, session, own=(str(top / "state"),), context_limit=1)
    reading = reading_of(seen.body)
    return {target.zone for target in reading.targets} | set(reading.effects)


@given(start=STARTS, spelled=SPELLED, cwd=CWDS)
def test_where_a_path_really_leads_is_a_target(
    start: str, spelled: str, cwd: str, top: Path
) -> None:
    path, here = on_disk(start + spelled, top) or ".", on_disk(cwd, top)
    truth = zone_of(os.path.realpath(path if path.startswith("/") else f"{here}/{path}"), top)
    place = Place(root=str(top / "project"), cwd=here, own=(str(top / "state"),))
    assert truth in {target.zone for target in targets((path,), place)}
    assert truth in written("Edit", {"file_path": path, "old_string": "a"}, here, top)
    found = written("Bash", {"command": f"echo x > {shlex.quote(path)}"}, here, top)
    assert truth in found or "unknown_closed" in found


KEYS = st.sampled_from(
    [
        "file_path",
        "filePath",
        "FilePath",
        "path",
        "notebook_path",
        "target_file",
        "uri",
        "file-path",
    ]
)
LISTS = st.sampled_from(["edits", "files", "changes", "operations", "paths", "replacements"])
OBJECTS = st.sampled_from(["request", "params", "options", "input"])
TEST = st.sampled_from(
    [
        "tests/t.py", "src/../tests/t.py", "$ROOT/tests/t.py", "file://$ROOT/tests/t.py",
        " tests/t.py", "src\\..\\tests\\t.py", "src/t/t.py", "file://$ROOT/%74ests/t.py",
    ]
)  # fmt: skip
SHAPES: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.builds(lambda key, path: {key: path}, KEYS, TEST)
    | st.builds(lambda key, path: {key: ["src/m.py", path]}, LISTS, TEST)
    | st.builds(lambda key, path: {key: {path: {}}}, LISTS, TEST),
    lambda inner: (
        st.builds(lambda key, value: {key: value}, OBJECTS, inner)
        | st.builds(lambda key, value: {key: [{"path": "src/m.py"}, value]}, LISTS, inner)
    ),
    max_leaves=3,
)


def filled(value: Any, top: Path) -> Any:
    if isinstance(value, str):
        return on_disk(value, top)
    if isinstance(value, list):
        return [filled(item, top) for item in value]
    return {on_disk(key, top): filled(item, top) for key, item in value.items()}


@given(shape=SHAPES, tool=st.sampled_from(["MultiEdit", "apply_patch", "mcp__fs__write_file"]))
def test_a_test_among_the_arguments_of_an_edit_is_a_target(
    shape: dict[str, Any], tool: str, top: Path
) -> None:
    assert "test" in written(tool, filled(shape, top), str(top / "project"), top)


@given(shape=SHAPES, tool=st.sampled_from(["mcp__box__go", "frobnicate"]))
def test_a_test_among_the_arguments_of_an_unknown_tool_closes_it(
    shape: dict[str, Any], tool: str, top: Path
) -> None:
    found = written(tool, filled(shape, top), str(top / "project"), top)
    assert found & {"test", "unknown_closed"}
