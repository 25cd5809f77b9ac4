"""The same calls as another harness has them: its names of tools and of arguments.

    renamed         as the tool that the harness has for it
    through_shell   as Codex does without its optional tools: files are looked at by shell lines

    meanings    what a tool of the corpus and its arguments mean
    harnesses   which tool and arguments a harness has for that

A tool that means nothing here is a program's own and keeps its name. Where a harness edits by
patches alone, an edit becomes one, and the other way round.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

from tests.replay.runs import CASES

Raw = dict[str, Any]
TABLE: Final[Raw] = json.loads((CASES / "renames.json").read_text("utf-8"))
HARNESSES: Final[Mapping[str, Mapping[str, Any]]] = TABLE["harnesses"]
MEANINGS: Final[Mapping[str, Any]] = TABLE["meanings"]
_HEADER: Final = re.compile(r"^\*\*\* (?:Update|Add) File: (.+)$", re.MULTILINE)


def renamed(raw: Raw, harness: str) -> Raw:
    """A call as the harness has it; every other event as it is."""
    if raw.get("tool") not in MEANINGS:
        return raw
    meaning, keys = MEANINGS[raw["tool"]]
    said = {keys[key]: value for key, value in raw["arguments"].items() if key in keys}
    if meaning.startswith("mcp "):
        _, server, tool = meaning.split(" ")
        name = HARNESSES[harness]["mcp"][0].format(server=server, tool=tool)
        return {**raw, "tool": name}
    meaning, said = _edited(meaning, said, HARNESSES[harness])
    name, keys = HARNESSES[harness][meaning]
    return {**raw, "tool": name, "arguments": _arguments(_ranged(said, keys), keys)}


def through_shell(raw: Raw) -> Raw:
    """A call as Codex has it, whose shell reads, lists and searches."""
    said = raw.get("arguments") or {}
    match raw.get("tool"):
        case "Read" if "offset" in said:
            line = ["sed", "-n", f"{said['offset']},{said['offset'] + said['limit'] - 1}p"]
            return _lined(raw, *line, said["file_path"])
        case "Read":
            return _lined(raw, "cat", said["file_path"])
        case "Grep":
            return _lined(raw, "rg", "-n", said["pattern"], said["path"])
        case "Glob":
            return _lined(raw, "rg", "--files", "-g", said["pattern"])
        case "list_directory":
            return _lined(raw, "ls", "-la", said["path"])
        case _:
            return renamed(raw, "Codex")


def _lined(raw: Raw, *words: str) -> Raw:
    """The call as a shell line; one that failed ended with 1."""
    code = {"exit_code": 1} if raw["outcome"] == "error" else {}
    return {**raw, "tool": "exec_command", "arguments": {"cmd": shlex.join(words)}, **code}


def _arguments(said: Raw, keys: Mapping[str, str]) -> Raw:
    return {keys[meaning]: value for meaning, value in said.items() if meaning in keys}


def _ranged(said: Raw, keys: Mapping[str, str]) -> Raw:
    """A piece of a file by its first and last line, where a harness asks for it that way."""
    if "offset" not in said or "first" not in keys:
        return said
    return {**said, "first": said["offset"], "last": said["offset"] + said["limit"] - 1}


def _edited(meaning: str, said: Raw, harness: Mapping[str, Any]) -> tuple[str, Raw]:
    """An edit in the way that the harness knows."""
    if meaning in harness:
        return meaning, said
    if meaning == "patch":
        return "edit", _unpatched(said["patch"]) if said else {}
    kind = "Update" if meaning == "edit" else "Add"
    lines = [f"*** Begin Patch\n*** {kind} File: {said['path']}", *_hunk(said), "*** End Patch"]
    return "patch", {"patch": "\n".join(lines)}


def _hunk(said: Raw) -> list[str]:
    if "text" in said:
        return [f"+{line}" for line in said["text"].split("\n")]
    taken = [f"-{line}" for line in said["old"].split("\n")]
    return ["@@", *taken, *(f"+{line}" for line in said["new"].split("\n"))]


def _unpatched(patch: str) -> Raw:
    """The file, and what a patch takes out of it and puts in."""
    header = _HEADER.search(patch)
    assert header is not None, patch
    lines = patch[header.end() :].splitlines()
    old = [line[1:] for line in lines if line.startswith("-")]
    new = [line[1:] for line in lines if line.startswith("+")]
    return {"path": header[1], "old": "\n".join(old), "new": "\n".join(new)}
