"""The parts of a Claude Code line, each taken as what it should be or as nothing."""

from __future__ import annotations

from typing import Final

from app.domain.events import Json
from app.harness.claude_code import fields
from app.replay.lines import digest, object_of, shallow

SIDECHAIN: Final = "sidechain"  # the agent of a subagent's lines that name none
DURATIONS: Final = (("durationMs", 1), ("totalDurationMs", 1), ("durationSeconds", 1000))
CONTEXT: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def blocks(content: Json) -> list[dict[str, Json]]:
    """The blocks of a message's content; plain text has none."""
    listed = content if isinstance(content, list) else []
    return [block for block in listed if isinstance(block, dict)]


def text_of(content: Json) -> str:
    """Plain text, or the blocks' texts; an image is named by a digest, so that two differ."""
    if isinstance(content, list):
        return "\n".join(block if isinstance(block, str) else _shown(block) for block in content)
    return content if isinstance(content, str) else ""


def session_of(line: dict[str, Json]) -> str | None:
    """The session a line names; streams of the SDK spell it differently."""
    named = line.get("sessionId") or line.get("session_id")
    return named if isinstance(named, str) else None


def agent_of(line: dict[str, Json]) -> str | None:
    """The subagent a line belongs to; None: the session's main agent."""
    named = line.get("agentId")
    if isinstance(named, str) and named:
        return named
    return SIDECHAIN if line.get("isSidechain") is True else None


def arguments_of(tool: Json, given: Json) -> dict[str, Json]:
    """A call's input as an object, as its hook would tell it."""
    return fields.arguments_of(tool if isinstance(tool, str) else None, shallow(given))


def answer_of(content: Json, extra: Json) -> str:
    """What a call answered: what its hook was told, where the file has it; else what was shown.

    What is shown has more in it that changes by itself: line numbers, names of agents and tasks.
    """
    match extra:
        case {"stdout": str()} | {"file": {"content": str()}} | {"content": list()}:
            return fields.answer_of(extra) or ""
        case _:
            return text_of(content)


def duration_of(extra: Json) -> int | None:
    """Milliseconds, only where the harness measured them: time stamps include the person's."""
    for name, factor in DURATIONS:
        number = object_of(extra).get(name)
        if isinstance(number, int | float) and not isinstance(number, bool) and number >= 0:
            return round(number * factor)
    return None


def context_of(message: dict[str, Json]) -> int | None:
    """Tokens in the context when the message was asked for."""
    usage = object_of(message.get("usage"))
    counts = [number for name in CONTEXT if type(number := usage.get(name)) is int]
    return sum(counts) if counts else None


def _shown(block: Json) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": kind}:
            return f"[{kind} {digest(block)}]"
        case _:
            return f"[{digest(block)}]"
