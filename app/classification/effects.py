"""What a call does and where: shell lines by their commands, other tools by class and arguments.

read, search, web, subagent, talk, test    what the class says
edit, write                                write, with every path among the arguments
mcp, other                                 unknown, or unknown_closed by the paths they name
anything with a shell line                 shellcode/lines.py
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from app.classification.patches import diffed, headers
from app.classification.paths import Place, closed, targets
from app.classification.remembering import remembered
from app.classification.shellcode.found import Effects
from app.classification.shellcode.lines import commands_of, line_effects
from app.domain.calls import Effect, ToolClass
from app.domain.events import Event, Json

# Where a shell tool keeps its line, in small letters and without `_`.
_LINES = frozenset({"command", "cmd", "script", "commands", "commandline"})
_RUN = _LINES | {"code"}
_FOLDERS = ("workdir", "cwd", "working_directory", "directory", "dir_path")
_PATHS = (
    "file_path",
    "path",
    "notebook_path",
    "absolute_path",
    "filePath",
    "filepath",
    "filename",
    "file_name",
    "file",
    "target_file",
    "target",
    "destination",
    "new_path",
    "old_path",
    "uri",
)
_LISTS = ("edits", "files", "changes", "operations", "paths", "replacements")
_CODE = ("code", "function", "expression", "javascript", "python")
_FIXED: Mapping[ToolClass, Effect] = {
    "read": "read",
    "search": "read",
    "web": "read",
    "subagent": "read",  # what an agent does is judged call by call
    "talk": "talk",
    "test": "test",
}
_BLANK = re.compile(r"\s")
_DEEPEST, _MOST = 6, 200  # how far and how much of a tool's arguments is looked at
_MOST_EDITED = 1_000  # files of one edit that are looked up


def effects(event: Event, tool_class: ToolClass, place: Place) -> Effects:
    """The effects of a call, the paths it would write, and the part nobody can vouch for."""
    line = shell_line(event.arguments, tool_class)
    if line is not None:
        return _of_line(event, line, place)
    match tool_class:
        case "edit" | "write":
            return _of_edit(event, place)
        case "shell":
            return _of_shell(event, place)
        case "read" | "search" if _runs(event.arguments):
            return _of_unknown(event, place)
        case "mcp" | "other":
            return _of_unknown(event, place)
        case _:
            return Effects(effects=(_FIXED[tool_class],))


def _of_shell(event: Event, place: Place) -> Effects:
    """A shell without a line: a further look at one that runs, or text nobody can vouch for."""
    said = {key: value for key, value in event.arguments.items() if _says_something(key, value)}
    if not said:
        return Effects(effects=("read",))
    typed = line_effects("\n".join(_texts(said, _DEEPEST)), place)
    near = "unknown_closed" in typed.effects or any(
        target.zone in ("test", "guarded") for target in typed.targets
    )
    return Effects(effects=("unknown_closed" if near else "unknown",))


def _says_something(key: str, value: Json) -> bool:
    return isinstance(value, str | list | dict) and bool(value) and not _folded(key).endswith("id")


def _runs(arguments: Mapping[str, Json]) -> bool:
    """Whether a tool that by its name only looks is handed something to run."""
    handed = any(_folded(key) in _RUN and arguments[key] for key in arguments)
    return handed and not _named(arguments)


def commands(event: Event, tool_class: ToolClass) -> tuple[str, ...]:
    """The simple commands of a shell line, for a policy's denials; empty for other tools."""
    line = shell_line(event.arguments, tool_class)
    return () if line is None else commands_of(line)


def shell_line(arguments: Mapping[str, Json], tool_class: ToolClass) -> str | None:
    """The shell line among the arguments; a list `[bash, -lc, X]` is X."""
    if tool_class not in ("shell", "test", "edit", "write"):
        return None
    if tool_class in ("edit", "write") and _named(arguments):
        return None
    lines = (_line(key, arguments[key]) for key in arguments if _folded(key) in _LINES)
    return "\n".join(filter(None, lines)) or None


@remembered
def _folded(key: str) -> str:
    return key.lower().replace("_", "")


def _line(key: str, value: Json) -> str | None:
    """The line in one argument; a list is one command's words, under `commands` many lines."""
    if isinstance(value, list) and value:
        words = [str(word) for word in value]
        return "\n".join(words) if _folded(key) == "commands" else _joined(words)
    return value if isinstance(value, str) else None


def _named(arguments: Mapping[str, Json]) -> bool:
    """Whether an editor's `command` is only a word beside the path it edits."""
    return any(key in _PATHS and isinstance(arguments[key], str) for key in arguments)


def _joined(words: list[str]) -> str:
    shell = words[0].rpartition("/")[2] in ("sh", "bash", "zsh", "dash")
    if len(words) == 3 and shell and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return shlex.join(words)


def _of_line(event: Event, line: str, place: Place) -> Effects:
    folders = (event.arguments.get(key) for key in _FOLDERS)
    folder = next((value for value in folders if isinstance(value, str)), "")
    return line_effects(line, place, folder)


def _of_edit(event: Event, place: Place) -> Effects:
    named = tuple(dict.fromkeys(_edited(event.arguments)))
    if len(named) > _MOST_EDITED:
        return Effects(effects=("unknown_closed",))
    if not named:
        return _of_unknown(event, place)
    return Effects(effects=("write",), targets=targets(named, place))


def _edited(arguments: Mapping[str, Json]) -> Iterator[str]:
    """Every path an editing tool names: by key, in lists of edits, in the headers of a patch."""
    for key in filter(arguments.__contains__, _PATHS):
        value = arguments[key]
        if isinstance(value, str) and value:
            yield value.removeprefix("file://")
    for key in filter(arguments.__contains__, _LISTS):
        value = arguments[key]
        for item in value if isinstance(value, list) else ():
            if isinstance(item, str):
                yield item
            elif isinstance(item, dict):
                yield from _edited(item)
        if isinstance(value, dict):
            yield from value
    for text in (value for value in arguments.values() if isinstance(value, str)):
        if "*** Begin Patch" in text:
            yield from headers(text)
    for diff in (arguments.get("patch"), arguments.get("diff")):
        if isinstance(diff, str) and "*** Begin Patch" not in diff:
            yield from diffed(diff)


def _of_unknown(event: Event, place: Place) -> Effects:
    named = tuple(_edited(event.arguments))
    texts = (*named, *filter(_looks_like_a_path, _texts(event.arguments, _DEEPEST)))
    inline = any(event.arguments.get(key) for key in _CODE)
    near = inline or len(texts) > _MOST or any(_leads(text, place) for text in texts)
    return Effects(effects=("unknown_closed" if near else "unknown",))


def _leads(text: str, place: Place) -> bool:
    """Whether one argument is a path, and a closed one."""
    return bool(text) and closed(text.removeprefix("file://"), place)


def _looks_like_a_path(text: str) -> bool:
    return ("/" in text or "." in text) and len(text) < 4096 and _BLANK.search(text) is None


def _texts(value: Json | Mapping[str, Json], depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, (dict, Mapping)):  # a dict is told far sooner
        for item in value.values():
            yield from _texts(item, depth - 1)
    elif depth and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)
