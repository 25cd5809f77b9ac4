"""Session logs of any length: so many calls, each answered with so many characters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

Pieces = Iterator[str]


def lines(*values: Any) -> Pieces:
    """Values, one a line."""
    return (f"{json.dumps(value)}\n" for value in values)


def listed(before: str, elements: Iterable[Any], after: str) -> Pieces:
    """One value on one line that holds a list."""
    yield before
    for at, element in enumerate(elements):
        yield f"{', ' if at else ''}{json.dumps(element)}"
    yield after


def claude_stream(count: int, size: int) -> Pieces:
    """What Claude Code prints."""
    yield from lines({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/shop"})
    for at in range(count):
        use = {"type": "tool_use", "id": f"c{at}", "name": "Bash", "input": {}}
        ask = {"type": "assistant", "session_id": "s", "uuid": f"a{at}"}
        answer = {"type": "tool_result", "tool_use_id": f"c{at}", "content": "x" * size}
        end = {"type": "user", "session_id": "s", "uuid": f"b{at}"}
        yield from lines(
            ask | {"message": {"content": [use]}}, end | {"message": {"content": [answer]}}
        )


def codex(count: int, size: int) -> Pieces:
    """A rollout of Codex."""
    yield from lines({"type": "session_meta", "payload": {"id": "s", "cwd": "/shop"}})
    for at in range(count):
        ask = {"type": "function_call", "name": "shell", "call_id": f"c{at}", "arguments": "{}"}
        end = {"type": "function_call_output", "call_id": f"c{at}", "output": "x" * size}
        yield from lines(*({"type": "response_item", "payload": item} for item in (ask, end)))


def _gemini_message(at: int, size: int) -> dict[str, Any]:
    result = [{"functionResponse": {"response": {"output": "x" * size}}}]
    call = {"id": f"c{at}", "name": "glob", "args": {}, "status": "success", "result": result}
    return {"id": f"m{at}", "type": "gemini", "content": "", "toolCalls": [call]}


def gemini_lines(count: int, size: int) -> Pieces:
    """A session of Gemini CLI, one message a line."""
    yield from lines({"sessionId": "s", "projectHash": "0"})
    yield from chain.from_iterable(lines(_gemini_message(at, size)) for at in range(count))


def gemini_whole(count: int, size: int) -> Pieces:
    """A session of Gemini CLI, one value."""
    messages = (_gemini_message(at, size) for at in range(count))
    return listed('{"sessionId": "s", "messages": [', messages, "]}")


def _opencode_part(at: int, size: int) -> dict[str, Any]:
    state = {"status": "completed", "input": {}, "output": "x" * size, "metadata": {"exit": 0}}
    own = {"id": f"p{at}", "sessionID": "s", "messageID": "m", "callID": f"c{at}"}
    return {**own, "type": "tool", "tool": "bash", "state": state}


def opencode_stream(count: int, size: int) -> Pieces:
    """What OpenCode prints."""
    for at in range(count):
        yield from lines({"type": "tool_use", "sessionID": "s", "part": _opencode_part(at, size)})


def opencode_export(count: int, size: int) -> Pieces:
    """An export of OpenCode."""
    parts = (_opencode_part(at, size) for at in range(count))
    messages = ({"info": {"role": "assistant"}, "parts": [part]} for part in parts)
    return listed('{"info": {"id": "s"}, "messages": [', messages, "]}")


def swe_agent(count: int, size: int) -> Pieces:
    """A trajectory of SWE-agent."""
    steps = ({"action": f"ls {at}", "observation": "x" * size} for at in range(count))
    return listed('{"environment": "e", "trajectory": [', steps, '], "history": []}')


def openhands(count: int, size: int) -> Pieces:
    """A history of OpenHands."""
    events = (
        event
        for at in range(0, 2 * count, 2)
        for event in (
            {"id": at, "action": "run", "args": {"command": "ls"}, "source": "agent"},
            {"id": at + 1, "cause": at, "observation": "run", "content": "x" * size},
        )
    )
    return listed("[", events, "]")


def own_log(count: int, size: int) -> Pieces:
    """Our own log, newest first."""
    for at in reversed(range(count)):
        body = {"tool": "Bash", "call_id": f"c{at}", "result": "x" * size, "outcome": "ok"}
        entry = {"seq": at, "kind": "observed", "scope": "s", "action": "tool", "body": body}
        yield from lines(entry)


def pi(count: int, size: int) -> Pieces:
    """A session of pi."""
    at = "2026-11-30T09:00:00Z"
    yield from lines({"type": "session", "id": "s", "timestamp": at, "cwd": "/shop"})
    for n in range(count):
        call = {"type": "toolCall", "id": f"c{n}", "name": "bash", "arguments": {}}
        ask = {"role": "assistant", "content": [call], "stopReason": "toolUse"}
        end = {"role": "toolResult", "toolCallId": f"c{n}", "content": "x" * size}
        yield from lines(*({"type": "message", "timestamp": at, "message": m} for m in (ask, end)))


def copilot(count: int, size: int) -> Pieces:
    """The events of Copilot CLI."""
    yield from lines({"type": "session.start", "data": {"sessionId": "s"}})
    for at in range(count):
        ask = {"toolCallId": f"c{at}", "toolName": "bash", "arguments": {}}
        end = {"toolCallId": f"c{at}", "success": True, "result": {"content": "x" * size}}
        yield from lines({"type": "tool.execution_start", "data": ask})
        yield from lines({"type": "tool.execution_complete", "data": end})


def hooks(count: int, size: int) -> Pieces:
    """What the hooks of Claude Code were sent."""
    for at in range(count):
        call = {"session_id": "s", "tool_name": "Bash", "tool_input": {}, "tool_use_id": f"c{at}"}
        yield from lines(
            call | {"hook_event_name": "PreToolUse"},
            call | {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "x" * size}},
        )


WRITERS: Final[dict[str, Callable[[int, int], Pieces]]] = {
    "Claude Code stream": claude_stream,
    "Claude Code hooks": hooks,
    "Codex": codex,
    "Copilot CLI": copilot,
    "Gemini CLI": gemini_lines,
    "Gemini CLI document": gemini_whole,
    "OpenCode": opencode_stream,
    "OpenCode export": opencode_export,
    "SWE-agent": swe_agent,
    "OpenHands": openhands,
    "floorboss log": own_log,
    "pi": pi,
}


def many(path: Path, name: str, count: int, size: int) -> Path:
    """A file of one format with `count` calls, each answered with `size` characters."""
    with path.open("w") as file:
        file.writelines(WRITERS[name](count, size))
    return path
