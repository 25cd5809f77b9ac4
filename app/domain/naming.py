"""Tools, places and effects as a person calls them, and how several are listed in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

TOOLS: Final[Mapping[str, str]] = {
    "read": "reading tools",
    "search": "searching tools",
    "edit": "editing tools",
    "write": "writing tools",
    "shell": "the shell",
    "test": "test runners",
    "web": "the web",
    "subagent": "agents it starts",
    "talk": "its own bookkeeping",
    "mcp": "tools of MCP servers",
    "other": "tools nobody knows",
}
PLACES: Final[Mapping[str, str]] = {
    "project": "project files",
    "test": "tests",
    "guarded": "guarded settings",
    "given": "the folders it was given",
    "temporary": "temporary files",
    "outside": "files elsewhere",
}
COMMANDS: Final[Mapping[str, str]] = {
    "read": "commands that read",
    "talk": "its own bookkeeping",
    "test": "test runs",
    "write": "commands that write nobody knows where",
    "git_record": "git commit and the like",
    "git_restore": "git checkout and the like",
    "unknown": "commands nobody can vouch for",
    "unknown_closed": "unknown commands that name a closed path or run code inline",
}

UNVOUCHED: Final[Mapping[str, str]] = {  # the same effects, where a tool is no command
    "unknown": "tools nobody can vouch for",
    "unknown_closed": "tools nobody can vouch for where they name a closed path or code to run",
}


def listed(names: Iterable[str]) -> str:
    """Names in a sentence: `a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
