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

from app.classification.arguments import folded_key
from app.classification.hardlinks import by_all_names
from app.classification.patches import BEGINNING, diffed, headers
from app.classification.paths import Place, closed, targets
from app.classification.shellcode.found import Effects
from app.classification.shellcode.lines import commands_of, line_effects
from app.classification.spellings import spellings
from app.domain.calls import Effect, ToolClass
from app.domain.events import Event, Json

# Where a shell tool keeps its line; all keys here are as `folded_key` has them.
_LINES = frozenset({"command", "cmd", "script", "commands", "commandline"})
_RUN = _LINES | {"code"}
_FOLDERS = frozenset({"cwd", "directory", "dirpath", "workdir", "workingdirectory"})
_PATHS = frozenset(
    {"absolutepath", "destination", "destinationpath", "file", "filename", "filepath", "newfile"}
    | {"newpath", "notebookpath", "oldfile", "oldpath", "outputpath", "path", "relativepath"}
    | {"savepath", "target", "targetfile", "targetpath", "uri"}
)
# Where something is put, or below which: told apart only in a tool that nobody knows.
_PUT = frozenset(
    {"dest", "destination", "destinationpath", "downloadpath", "dst", "outdir", "outfile", "output"}
    | {"outputdir", "outputfile", "outputpath", "savedir", "savepath", "saveto", "targetpath"}
)
_PLACES = _PUT | _FOLDERS | frozenset({"dir", "folder"})
_LISTS = frozenset(
    {"changes", "edits", "filepaths", "files", "operations", "paths", "replacements", "uris"}
)
# What is written rather than where: no path, if another argument is one.
_BODIES = frozenset(
    {"body", "content", "contents", "filetext", "message", "newsource", "newstr", "newstring"}
    | {"newtext", "oldstr", "oldstring", "oldtext", "text"}
)
_KEYS = _PATHS | _LISTS | _BODIES
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
_LONGEST = 4_096  # characters of a text that may be a path


def effects(event: Event, tool_class: ToolClass, place: Place) -> Effects:
    """The effects of a call, the paths it would write, and the part nobody can vouch for."""
    return by_all_names(_effects(event, tool_class, place), place)


def _effects(event: Event, tool_class: ToolClass, place: Place) -> Effects:
    line = shell_line(event.arguments, tool_class)
    if line is not None:
        return _of_line(event, line, place)
    match tool_class:
        case "edit" | "write":
            return _of_edit(event, place)
        case "shell":
            return _of_shell(event, place)
        case "read" | "search" | "web" if _does_more(event.arguments):
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
    near = _near("\n".join(_texts(said, _DEEPEST)), place)
    return Effects(effects=("unknown_closed" if near else "unknown",))


def _says_something(key: str, value: Json) -> bool:
    return (
        isinstance(value, str | list | dict) and bool(value) and not folded_key(key).endswith("id")
    )


def _does_more(arguments: Mapping[str, Json]) -> bool:
    """Whether a tool that by its name only looks is handed something to run, or where to put it."""
    return any(
        value and (_runs(value, arguments) if kind in _RUN else _looks_like_a_path(str(value)))
        for key, value in arguments.items()
        if (kind := folded_key(key)) in _RUN or kind in _PUT
    )


def _runs(value: Json, arguments: Mapping[str, Json]) -> bool:
    """Whether a `command` is more than one word beside the path it is about."""
    return not (isinstance(value, str) and _BLANK.search(value) is None and _named(arguments))


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
    line = "\n".join(_lines(arguments))
    if tool_class == "edit" and line.lstrip().startswith(BEGINNING):
        return None  # Codex hands apply_patch its patch as a `command`
    return line or None


def _line(key: str, value: Json) -> str | None:
    """The line in one argument; a list is one command's words, under `commands` many lines."""
    if isinstance(value, list) and value:
        words = [str(word) for word in value]
        return "\n".join(words) if folded_key(key) == "commands" else _joined(words)
    return value if isinstance(value, str) else None


def _named(arguments: Mapping[str, Json]) -> bool:
    """Whether an editor's `command` is only a word beside the path it edits."""
    return any(folded_key(key) in _PATHS and isinstance(arguments[key], str) for key in arguments)


def _joined(words: list[str]) -> str:
    shell = words[0].rpartition("/")[2] in ("sh", "bash", "zsh", "dash")
    if len(words) == 3 and shell and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return shlex.join(words)


def _of_line(event: Event, line: str, place: Place) -> Effects:
    return line_effects(line, place, folder_argument(event.arguments))


def folder_argument(arguments: Mapping[str, Json]) -> str:
    """The folder that a tool is told to work in; empty: where the session does."""
    folders = (value for key, value in arguments.items() if folded_key(key) in _FOLDERS)
    return next((value for value in folders if isinstance(value, str)), "")


def _of_edit(event: Event, place: Place) -> Effects:
    named = tuple(dict.fromkeys(_edited(event.arguments)))
    if folder := folder_argument(event.arguments):
        named = (*named, *(f"{folder}/{path}" for path in named if not path.startswith("/")))
    if len(named) > _MOST_EDITED:
        return Effects(effects=("unknown_closed",))
    if not named:
        return _of_unknown(event, place)
    return Effects(effects=("write",), targets=targets(named, place))


def _edited(arguments: Mapping[str, Json], depth: int = _DEEPEST) -> Iterator[str]:
    """Every path an editing tool names: by key, in lists of edits, in the headers of a patch."""
    bodies = _BODIES if _named(arguments) else frozenset[str]()
    for key, value in arguments.items():
        kind = folded_key(key)
        if isinstance(value, str):
            if kind in _PATHS and value:
                yield from spellings(value)
            elif kind not in bodies:
                yield from _patched(kind, value)
        elif depth and kind not in _BODIES and isinstance(value, list | dict):
            yield from _within(kind, value, depth - 1)


def _patched(kind: str, text: str) -> Iterator[str]:
    named: tuple[str, ...] = ()
    if BEGINNING in text:
        named = headers(text)
    elif kind in ("patch", "diff"):
        named = diffed(text)
    for name in named:
        yield from spellings(name)


def _within(kind: str, value: Json, depth: int) -> Iterator[str]:
    """The paths in a list of paths or edits, in an object, or among the keys of one."""
    listed = kind in _LISTS or kind in _PATHS
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str) and listed:
            yield from spellings(item)
        elif isinstance(item, dict):
            yield from _edited(item, depth)
    if isinstance(value, dict):
        if kind in _LISTS:
            for key in filter(_is_no_key, value):
                yield from spellings(key)
        yield from _edited(value, depth)


def _is_no_key(name: str) -> bool:
    """Whether what stands where a key may stand is none of ours, and so may be a path."""
    return folded_key(name) not in _KEYS


def _of_unknown(event: Event, place: Place) -> Effects:
    """A tool that nobody knows: closed by a path, a line or code among its arguments."""
    arguments = event.arguments
    named = tuple(_edited(arguments))
    texts = (*named, *_placed(arguments), *_likely(arguments, _BODIES if named else frozenset()))
    inline = any(arguments.get(key) for key in _CODE)
    near = inline or len(texts) > _MOST or any(closed(text, place) for text in texts)
    near = near or any(_near(text, place, folder_argument(arguments)) for text in _lines(arguments))
    return Effects(effects=("unknown_closed" if near else "unknown",))


def _placed(arguments: Mapping[str, Json]) -> Iterator[str]:
    """The folders and files where a tool may put something, bare words too."""
    for key, value in arguments.items():
        if isinstance(value, str) and value and folded_key(key) in _PLACES:
            yield from spellings(value)


def _likely(arguments: Mapping[str, Json], bodies: frozenset[str]) -> Iterator[str]:
    """The texts that look like paths, and are no text that is written."""
    said = {key: value for key, value in arguments.items() if folded_key(key) not in bodies}
    for text in _texts(said, _DEEPEST):
        if _looks_like_a_path(text):
            yield from spellings(text)


def _lines(arguments: Mapping[str, Json]) -> Iterator[str]:
    """What a tool that nobody knows may run in a shell."""
    lines = (_line(key, arguments[key]) for key in arguments if folded_key(key) in _LINES)
    return (line for line in lines if line)


def _near(text: str, place: Place, folder: str = "") -> bool:
    """Whether a text, were a shell to run it, would or may write a closed path."""
    typed = line_effects(text, place, folder)
    return "unknown_closed" in typed.effects or any(
        target.zone in ("test", "guarded") for target in typed.targets
    )


def _looks_like_a_path(text: str) -> bool:
    text = text.strip()
    some = "/" in text or "." in text or "\\" in text
    return some and len(text) < _LONGEST and _BLANK.search(text) is None


def _texts(value: Json | Mapping[str, Json], depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, (dict, Mapping)):  # a dict is told far sooner
        for item in value.values():
            yield from _texts(item, depth - 1)
    elif depth and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)
