"""Effects of tools that are no shell, by class and arguments; and which line a shell tool runs."""

from __future__ import annotations

from typing import Any

import pytest

from app.classification.effects import commands, effects, shell_line
from app.classification.paths import Place
from app.domain.calls import ToolClass
from app.domain.events import Event

PLACE = Place(root="/srv/project", cwd="/srv/project")
PATCH = (
    "*** Begin Patch\n*** Add File: src/new.py\n+x\n*** Update File: src/a.py\n"
    "*** Move to: tests/a.py\n@@\n-x\n+y\n*** Delete File: docs/b.md\r\n*** End Patch"
)
PATCHED = ["src/new.py", "src/a.py", "tests/a.py", "docs/b.md"]


def event(arguments: dict[str, Any]) -> Event:
    return Event(session_id="s", kind="attempt", tool="T", arguments=arguments)


def read(tool_class: ToolClass, arguments: dict[str, Any]) -> tuple[list[str], list[str]]:
    found = effects(event(arguments), tool_class, PLACE)
    return list(found.effects), [target.path for target in found.targets]


@pytest.mark.parametrize(
    ("tool_class", "effect"),
    [
        ("read", "read"), ("search", "read"), ("web", "read"), ("subagent", "read"),
        ("talk", "talk"), ("test", "test"),
    ],
)  # fmt: skip
def test_some_classes_say_what_a_call_does(tool_class: ToolClass, effect: str) -> None:
    assert read(tool_class, {"file_path": "tests/a.py"}) == ([effect], [])


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"file_path": "/srv/project/src/a.py", "old_string": "x"}, ["src/a.py"]),
        ({"path": "src/a.py", "content": "tests/b.py"}, ["src/a.py"]),
        ({"notebook_path": "n.ipynb"}, ["n.ipynb"]),
        ({"absolute_path": "/srv/project/a"}, ["a"]),
        ({"uri": "file:///srv/project/a"}, ["a"]),
        ({"command": "create", "path": "a.py", "file_text": "x"}, ["a.py"]),
        ({"edits": [{"file_path": "a"}, {"file_path": "tests/b"}]}, ["a", "tests/b"]),
        ({"file_path": "a", "edits": [{"old_string": "x"}]}, ["a"]),
        ({"files": ["a", "b"]}, ["a", "b"]),
        ({"changes": {"a": {"type": "add"}, "tests/b": {}}}, ["a", "tests/b"]),
        ({"input": PATCH}, PATCHED),
        ({"patch": PATCH}, PATCHED),
        ({"command": ["apply_patch", PATCH]}, PATCHED),
        ({"patch": "--- a/src/a.py\n+++ b/tests/a.py\n"}, ["src/a.py", "tests/a.py"]),
        ({"diff": "--- /dev/null\n+++ b/new.py\n"}, ["new.py"]),
    ],
)
def test_an_edit_writes_every_path_it_names(arguments: dict[str, Any], paths: list[str]) -> None:
    assert read("edit", arguments) == (["write"], paths)


def test_a_header_is_seen_behind_blanks_and_in_no_time() -> None:
    patch = f"*** Begin Patch\n *** Add File: tests/b.py\r\n*** Add File: a{' ' * 100_000}b"
    effects, paths = read("edit", {"input": patch})
    assert (effects, paths[0]) == (["write"], "tests/b.py")


def test_an_edit_of_very_many_files_is_not_vouched_for() -> None:
    files = [f"a{number}" for number in range(1_001)]
    assert read("edit", {"files": files}) == (["unknown_closed"], [])


@pytest.mark.parametrize("line", ["apply_patch '*** Begin Patch", "applypatch 'a\" 'b"])
def test_a_patch_with_an_open_quote_is_no_fault(line: str) -> None:
    assert read("shell", {"command": line})[0] == ["unknown"]


def test_an_edit_that_names_nothing_is_unknown() -> None:
    assert read("edit", {"old_string": "x"}) == (["unknown"], [])


@pytest.mark.parametrize(
    "line",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF",
        f"apply_patch << EOF\n{PATCH}\nEOF\n",
        f"apply_patch '{PATCH}'",
    ],
)
def test_a_line_that_only_patches_writes_what_the_patch_names(line: str) -> None:
    for tool_class in ("shell", "edit"):
        assert read(tool_class, {"command": line}) == (["write"], PATCHED)


def test_a_patch_applied_in_a_folder_writes_there() -> None:
    line = f"cd sub && apply_patch <<'EOF'\n{PATCH}\nEOF"
    assert read("shell", {"command": line})[1] == [f"sub/{path}" for path in PATCHED]


@pytest.mark.parametrize(
    "line",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\nsed -i s/a/b/ tests/x.py",
        "apply_patch <<'EOF'\n*** Begin Patch\nEOF\n"
        "tee tests/x.py\ncat <<'EOF'\n*** End Patch\nEOF",
        "apply_patch <<EOF\n*** Begin Patch\n+$(tee tests/x.py)\n*** End Patch\nEOF",
        "apply_patch <<EOF\n*** Begin Patch\n+`tee tests/x.py`\n*** End Patch\nEOF",
    ],
)
def test_a_line_that_does_more_than_patch_is_stopped(line: str) -> None:
    effects, paths = read("edit", {"command": line})
    assert "unknown_closed" in effects or "tests/x.py" in paths


@pytest.mark.parametrize(
    ("arguments", "effect"),
    [
        ({}, "unknown"),
        ({"query": "tests in general"}, "unknown"),
        ({"name": "test"}, "unknown"),
        ({"path": "src/a.py"}, "unknown"),
        ({"path": "tests"}, "unknown_closed"),
        ({"path": "tests/a.py"}, "unknown_closed"),
        ({"options": {"into": ["x", "tests/a.py"]}}, "unknown_closed"),
        ({"where": "file:///srv/project/.git/config"}, "unknown_closed"),
        ({"where": "src/../tests/a.py"}, "unknown_closed"),
        ({"code": "print(1)"}, "unknown_closed"),
        ({"many": [f"a/{n}" for n in range(300)]}, "unknown_closed"),
    ],
)
def test_a_tool_of_unknown_class_is_judged_by_the_paths_it_names(
    arguments: dict[str, Any], effect: str
) -> None:
    for tool_class in ("mcp", "other"):
        assert read(tool_class, arguments) == ([effect], [])


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"command": "ls"}, "ls"),
        ({"cmd": "ls"}, "ls"),
        ({"script": "ls"}, "ls"),
        ({"command": ["bash", "-lc", "ls && rm a"]}, "ls && rm a"),
        ({"command": ["/bin/sh", "-c", "ls"]}, "ls"),
        ({"command": ["ls", "a b"]}, "ls 'a b'"),
        ({"commands": ["ls", "rm a"]}, "ls\nrm a"),
        ({"command": "ls", "cmd": "rm a"}, "ls\nrm a"),  # whichever is run
        ({"CommandLine": "ls"}, "ls"),
        ({"command": []}, None),
        ({"command": 5}, None),
        ({}, None),
    ],
)
def test_the_line_of_a_shell_tool(arguments: dict[str, Any], line: str | None) -> None:
    assert shell_line(arguments, "shell") == line


@pytest.mark.parametrize(
    ("arguments", "effect"),
    [
        ({"session_id": "3"}, "read"),
        ({"input": "ls"}, "unknown"),
        ({"anything": "rm tests/a.py"}, "unknown_closed"),
        ({"command": {"x": "rm tests/a.py"}}, "unknown_closed"),
        ({"keys": ["rm", "a"]}, "unknown"),
    ],
)
def test_a_shell_without_a_line_is_not_taken_to_read(
    arguments: dict[str, Any], effect: str
) -> None:
    assert read("shell", arguments) == ([effect], [])


@pytest.mark.parametrize("key", ["command", "code"])
def test_a_tool_that_looks_by_its_name_and_runs_something_is_unknown(key: str) -> None:
    for tool_class in ("read", "search"):
        assert read(tool_class, {key: "x"})[0] != ["read"]
        assert read(tool_class, {key: "view", "path": "a"}) == (["read"], [])


def test_other_tools_have_no_line() -> None:
    assert shell_line({"command": "rm a"}, "mcp") is None
    assert commands(event({"command": "rm a"}), "web") == ()


def test_a_test_tool_that_runs_a_line_is_judged_by_it() -> None:
    assert read("test", {"command": "pytest && rm src/a.py"}) == (["test", "write"], ["src/a.py"])


def test_the_folder_a_shell_tool_names_counts() -> None:
    assert read("shell", {"cmd": "rm a.py", "workdir": "tests"})[1] == ["tests/a.py"]
    assert read("shell", {"cmd": "rm a.py", "workdir": "/srv/project/tests"})[1] == ["tests/a.py"]


def test_a_further_look_at_a_running_command_reads_and_typing_is_unknown() -> None:
    assert read("shell", {"bash_id": "1"}) == (["read"], [])
    assert read("shell", {"session_id": 1, "chars": ""}) == (["read"], [])
    assert read("shell", {"session_id": 1, "chars": "rm a\n"}) == (["unknown"], [])


def test_the_unvouched_part_is_handed_on() -> None:
    found = effects(event({"command": "ls && make all && x"}), "shell", PLACE)
    assert found.part == "make all"


def test_the_commands_of_a_line_are_its_members() -> None:
    assert commands(event({"command": "ls; git push"}), "shell") == ("ls", "git push")
