"""Which format a file has, by what is in it: names and folders of files are anybody's.

of_line    by one line, a JSON object: a field or a type that only one format has
of_parts   by the first parts of a value that fills the file
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from app.domain.events import Json
from app.replay import (
    claude_code,
    claude_stream,
    codex,
    copilot,
    gemini_cli,
    hook_log,
    log_entries,
    opencode,
    pi,
)
from app.replay.documents import Part
from app.replay.lines import Fields, object_of, word
from app.replay.openhands import is_event

LOG: Final = "floorboss log"
SWE_AGENT: Final = "SWE-agent"
OPENHANDS: Final = "OpenHands"
GEMINI_WHOLE: Final = "Gemini CLI document"
OPENCODE_WHOLE: Final = "OpenCode export"
MINI: Final = frozenset({"exit_status", "mini_version", "model_stats", "config"})  # of its `info`


def _gemini(line: Fields) -> bool:
    return {"sessionId", "projectHash"} <= line.keys() <= gemini_cli.HEAD


def _opencode(line: Fields) -> bool:
    kind = word(line.get("type"))
    if kind is not None and kind.startswith(opencode.BUS):
        return "properties" in line
    return "sessionID" in line and (kind in opencode.STREAM or "part" in line)


def _stream(line: Fields) -> bool:
    return word(line.get("type")) in claude_stream.TYPES and "session_id" in line


def _claude(line: Fields) -> bool:
    kind = word(line.get("type"))
    return kind in claude_code.TYPES or ("sessionId" in line and "messages" not in line)


# The first line with one of these decides; their order matters where two would.
LINES: Final[tuple[tuple[Callable[[Fields], bool], str], ...]] = (
    (lambda line: line.keys() >= log_entries.FIELDS, LOG),
    (codex.is_codex, "Codex"),
    (_gemini, "Gemini CLI"),
    (_opencode, "OpenCode"),
    (is_event, OPENHANDS),
    (hook_log.is_hook, "Claude Code hooks"),
    (pi.is_pi, "pi"),
    (copilot.is_copilot, "Copilot CLI"),
    (lambda line: "tool" in line or "kind" in line, "neutral"),
    (_stream, "Claude Code stream"),
    (_claude, "Claude Code"),
)


def of_line(line: Fields) -> str | None:
    """The format that a line tells; None: any could have it."""
    return next((name for told, name in LINES if told(line)), None)


def of_log(lines: Iterable[bytes]) -> str | None:
    """The format of lines that are no values, where one of them holds or begins one."""
    printed = opencode.Printed()
    for text in lines:
        several = printed.open
        found = printed.take(0, text)
        name = of_line(found) if isinstance(found, dict) else None
        # Only OpenCode prints a value over many lines, among others.
        if name is not None and (not several or name == "OpenCode"):
            return name
    return None


def of_parts(parts: Iterable[Part]) -> str | None:
    """The format that the parts of a value tell, in their order; None: none that is read here."""
    keys: set[str] = set()
    mini = False
    for part in parts:
        keys.add(part.key)
        value = object_of(part.value)
        mini = mini or part.key == "trajectory_format" or _is_info(part.key, value)
        found = _listed(part, value, keys) if part.listed else _member(part.key, part.value, keys)
        if found is not None:
            return found
        if mini and "messages" in keys:
            return SWE_AGENT
    return None


def _is_info(key: str, value: Fields) -> bool:
    return key == "info" and not MINI.isdisjoint(value)


def _listed(part: Part, value: Fields, keys: set[str]) -> str | None:
    match part.key, value:
        case (("" | "history"), _) if is_event(part.value):
            return OPENHANDS
        case "trajectory", {"action": _, "observation": _} | {"role": _, "text": _}:
            return SWE_AGENT
        case "history", {"role": _, "agent": _}:
            return SWE_AGENT
        case "", {"role": "user", "content": str(text)} if "<returncode>" in text:
            return SWE_AGENT
        case "messages", {"info": dict(), "parts": list()}:
            return OPENCODE_WHOLE
        case "messages", {"type": str()} if "sessionId" in keys:
            return GEMINI_WHOLE
        case "items", _ if value.keys() >= log_entries.FIELDS:
            return LOG
        case _:
            return None


def _member(key: str, value: Json, keys: set[str]) -> str | None:
    match key:
        case "messageID" if "sessionID" in keys:
            return OPENCODE_WHOLE
        case "kind" if is_event({"kind": value, "source": ""}):
            return OPENHANDS
        case "args" if "action" in keys and isinstance(value, dict):
            return OPENHANDS
        case "extras" if "observation" in keys and isinstance(value, dict):
            return OPENHANDS
        case _:
            return None
