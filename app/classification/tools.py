"""Which class a tool belongs to, and how its calls count: by name, by arguments, by the verb.

    tool_class(tool, arguments)   one of ToolClass, shell lines aside
    is_poll, acts                 how a call counts, whatever its class

First match wins: a multi-command editor, the table of names, arguments that only an edit has,
the verb in the name. docs/detection.md 1.1 says how.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

from app.classification.arguments import path_of
from app.classification.vocabulary import words
from app.domain.calls import ToolClass
from app.domain.events import Json

_NAMES: Final[Mapping[ToolClass, str]] = {
    "shell": "bash shell exec_command powershell run_shell_command execute_command run_command"
    " local_shell developer__shell terminal execute_bash run_terminal_cmd container.exec"
    " local_shell_call unified_exec shell_command",
    "read": "read readfile read_file read_many_files view list_directory ls notebookread"
    " view_image read_mcp_resource list_mcp_resources bashoutput taskoutput",
    "search": "glob grep search_files find codebase_search search_file_content file_search",
    "edit": "edit multiedit replace str_replace apply_patch applypatch notebookedit apply_diff"
    " edit_file search_replace file_edit insert_edit_into_file",
    "write": "write write_file create_file write_to_file",
    "web": "webfetch websearch web_search web_fetch web_extract fetch google_web_search",
    "subagent": "task agent spawn_agent sendmessage_to_agent new_task",
    "talk": "todowrite todoread update_plan think exitplanmode enterplanmode askuserquestion"
    " ask_followup_question attempt_completion finish taskcreate taskupdate tasklist taskget"
    " toolsearch skill sendmessage write_todos save_memory request_user_input slashcommand"
    " update_todo_list stop",
}
_BY_NAME: Final[Mapping[str, ToolClass]] = {
    name: cls for cls, names in _NAMES.items() for name in names.split()
}
_POLLS: Final = words("bashoutput taskoutput write_stdin pty_read process wait")
_DRAINS: Final = words("bashoutput taskoutput write_stdin pty_read")
_EDIT_KEYS: Final = words(
    "old_string new_string old_str new_str oldtext newtext file_text patch diff new_source"
    " insert_line"
)
_MULTI_EDITOR = re.compile(r"str_replace_editor$|str_replace_based_edit_tool$|text_editor$")
_VERBS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("poll", words("status poll wait progress")),
    ("edit", words("write edit replace patch insert append rename")),
    ("read", words("read view cat open get describe fetch")),
    ("search", words("search grep find glob ls list query")),
    (
        "act",
        words(
            "create add set update delete remove send post put move upload type fill submit"
            " comment close merge"
        ),
    ),
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def tool_class(tool: str, arguments: Mapping[str, Json]) -> ToolClass:
    """The class of a tool by its name and the shape of its arguments; shell lines stay `shell`."""
    named = _named(tool)
    if named == "editor":
        return "read" if arguments.get("command") == "view" else "edit"
    if named is not None:
        return named
    if _edit_shaped(arguments):
        return "edit"
    return _by_verb(tool, arguments)


@lru_cache(1024)  # asked several times for every call, about a few dozen names
def _named(tool: str) -> ToolClass | Literal["editor"] | None:
    """What a tool's name alone says; None: nothing."""
    if _MULTI_EDITOR.search(tool.lower()):
        return "editor"
    return _BY_NAME.get(tool.lower()) or _BY_NAME.get(last_part(tool))


def is_poll(tool: str, arguments: Mapping[str, Json]) -> bool:
    """Whether a tool asks for the state of something that runs elsewhere."""
    name = last_part(tool)
    if name in _POLLS:
        return True
    return name not in _BY_NAME and _verb(tool, arguments) == "poll"


def is_drain(tool: str) -> bool:
    """Whether a tool takes what a running command has printed since."""
    said = _words(tool)
    return last_part(tool) in _DRAINS or {"read", "output"} <= said


def acts(tool: str, arguments: Mapping[str, Json]) -> bool:
    """Whether a successful call of this tool changes something outside files: an `act` tool."""
    name = last_part(tool)
    if name in _BY_NAME:
        return _BY_NAME[name] == "subagent"
    return not _edit_shaped(arguments) and _verb(tool, arguments) == "act"


@lru_cache(1024)
def last_part(tool: str) -> str:
    """A tool's own name, lower-cased: what follows the last `__` or `.` of a qualified one."""
    return tool.lower().rsplit("__", 1)[-1].rsplit(".", 1)[-1]


def _edit_shaped(arguments: Mapping[str, Json]) -> bool:
    keys = {key.lower() for key in arguments}
    return bool(keys & _EDIT_KEYS) or ("content" in keys and path_of(arguments) is not None)


def _by_verb(tool: str, arguments: Mapping[str, Json]) -> ToolClass:
    match _verb(tool, arguments):
        case "edit":
            return "edit"
        case "read" | "poll":
            return "read"
        case "search":
            return "search"
        case _:
            return "mcp" if "__" in tool else "other"


def _verb(tool: str, arguments: Mapping[str, Json]) -> str | None:
    said = _words(tool)
    for name, verbs in _VERBS:
        if said & verbs and (name != "edit" or path_of(arguments) is not None):
            return name
    return None


@lru_cache(1024)
def _words(tool: str) -> frozenset[str]:
    part = tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1]
    return frozenset(word.lower() for word in _WORDS.findall(part))
