"""What Claude Code's hooks report, as neutral events.

    read(payload, body)         one payload; whatever it is, it reports something
    unreadable(head, fault, digest)   a body that is no JSON object

| hook | event |
|---|---|
| PreToolUse | an attempt; of ExitPlanMode with a plan also an artifact |
| PostToolUse, PostToolUseFailure, PermissionDenied | the call's end |
| PostToolBatch | the end of each call that nothing else told of; open calls of the agent are over |
| UserPromptSubmit | a prompt |
| Stop, StopFailure | the turn's end; before it the artifacts in its last message |
| PostCompact | a compaction |
| SessionStart, SessionEnd, SubagentStart, SubagentStop | the start and end of a session or agent |
| every other | a note, which counts nowhere |

Both pre- and post-hooks carry the call's id; a batch repeats all of them, and is the only hook that
tells of a call that was refused or that named a tool, a text or a file that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from app.domain.events import Event, EventKind, Json
from app.harness.base import Closes, Fault, Report
from app.harness.claude_code import fields
from app.harness.claude_code.handovers import blocks, plan
from app.harness.claude_code.outcomes import (
    UNKNOWN,
    Ending,
    of_error,
    of_result,
    of_text,
    runs_aside,
)

HARNESS: Final = "claude_code"
PRE: Final = "PreToolUse"
NO_TOOL: Final = "no_tool"
HEAD: Final = 4_096  # bytes at the start of a body in which its names stand
Fields = Mapping[str, Json]

CLOSES: Final[Mapping[str, Closes]] = {
    "PostToolBatch": "agent",
    "UserPromptSubmit": "agent",
    "Stop": "agent",
    "StopFailure": "agent",
    "SubagentStop": "agent",
    "SessionEnd": "session",
}
# Of what counts nowhere only these are kept: names, reasons and folders, each as a short text.
NOTED: Final = (
    "agent_type",
    "error",
    "file_path",
    "model",
    "new_cwd",
    "notification_type",
    "old_cwd",
    "reason",
    "source",
    "stop_hook_active",
    "tool_name",
    "trigger",
)
SHORT: Final = 200  # characters of each of them
_NAMES: Final = re.compile(rb'"(session_id|hook_event_name|agent_id)"\s*:\s*"([^"\\]{1,256})"')


def read(payload: Fields, digest: str) -> Report:
    """What one payload reports; `digest` is the body's, and names a session that has no id."""
    hook = fields.name_of(payload.get("hook_event_name")) or ""
    base = _base(payload, digest)
    events = _EVENTS.get(hook, _note)(payload, base)
    closes = CLOSES.get(hook, "nothing")
    stray = hook == "SubagentStop" and base.agent_id is None
    return Report(
        hook=hook,
        scope=base.scope,
        events=events,
        closes="nothing" if stray else closes,
        batched=hook == "PostToolBatch",
    )


def unreadable(head: bytes, fault: Fault, digest: str) -> Report:
    """What a body reports that is no JSON: the attempt of an unknown tool, unless it says else."""
    found = {name.decode(): value.decode("utf-8", "replace") for name, value in _names(head)}
    hook = found.get("hook_event_name", PRE)
    payload: dict[str, Json] = {**found, "hook_event_name": hook}
    if hook == PRE:
        base = _base(payload, digest)
        return Report(hook=hook, scope=base.scope, events=(_unknown(base, fault.code, digest),))
    base = replace(_base(payload, digest), kind="note")
    said = {"hook": fields.name_of(hook), "fault": fault.code, "digest": digest}
    return Report(hook=hook, scope=base.scope, events=(replace(base, arguments=said),))


def _names(head: bytes) -> list[tuple[bytes, bytes]]:
    """The names in the start of a body, the first of each kind last, so that it stays."""
    return _NAMES.findall(head[:HEAD])[::-1]


def _base(payload: Fields, digest: str) -> Event:
    """What every event of a payload says; a compaction's stray agent is the session's own."""
    stray = payload.get("agent_type") == ""
    return Event(
        session_id=fields.session_of(payload.get("session_id")) or f"digest-{digest}",
        harness=HARNESS,
        agent_id=None if stray else fields.name_of(payload.get("agent_id")),
        turn_id=fields.name_of(payload.get("prompt_id")),
        cwd=fields.folder_of(payload.get("cwd")),
        permission_mode=fields.name_of(payload.get("permission_mode")),
    )


def _attempt(payload: Fields, base: Event) -> tuple[Event, ...]:
    call = _call(payload, base, "attempt")
    if call.tool is not None:
        return (call, *plan(payload, base))
    return (_unknown(base, NO_TOOL, fields.digested(payload.get("tool_input"))),)


def _unknown(base: Event, fault: str, digest: str) -> Event:
    """An attempt of nobody knows what: its arguments say why nothing is known."""
    return replace(base, kind="attempt", tool="", arguments={"fault": fault, "digest": digest})


def _call(
    payload: Fields, base: Event, kind: EventKind, ending: Ending = UNKNOWN, said: str | None = None
) -> Event:
    tool = fields.name_of(payload.get("tool_name"))
    return replace(
        base,
        kind=kind,
        call_id=fields.name_of(payload.get("tool_use_id")),
        tool=tool,
        arguments=fields.arguments_of(tool, payload.get("tool_input")),
        duration_ms=fields.milliseconds_of(payload.get("duration_ms")),
        outcome=ending.outcome,
        denied_by=ending.denied_by,
        rule=ending.rule,
        exit_code=ending.exit_code,
        result=said,
    )


def _ended(payload: Fields, base: Event, ending: Ending, said: str | None) -> tuple[Event, ...]:
    """A call with its end; one that names no tool is no call."""
    call = _call(payload, base, "tool", ending, said)
    if call.tool is not None:
        return (call,)
    fault: dict[str, Json] = {"fault": NO_TOOL}
    return (replace(base, kind="note", arguments=fault, duration_ms=call.duration_ms),)


def _result(payload: Fields, base: Event) -> tuple[Event, ...]:
    response = payload.get("tool_response")
    aside = runs_aside(payload.get("tool_input"))
    return _ended(payload, base, of_result(response, aside=aside), fields.answer_of(response))


def _failure(payload: Fields, base: Event) -> tuple[Event, ...]:
    return _ended(payload, base, of_error(payload), _said(payload, "error"))


def _denied(payload: Fields, base: Event) -> tuple[Event, ...]:
    """The classifier of auto mode refused; a rule's refusal is told by the batch alone."""
    ending = Ending(outcome="denied", denied_by="harness")
    return _ended(payload, base, ending, _said(payload, "reason"))


def _said(payload: Fields, name: str) -> str | None:
    text = fields.text_of(payload.get(name))
    return None if text is None else fields.shortened(text)


def _batch(payload: Fields, base: Event) -> tuple[Event, ...]:
    calls = payload.get("tool_calls")
    items = [item for item in calls if isinstance(item, dict)] if isinstance(calls, list) else []
    first = items[0].get("tool_use_id") if items else None
    base = replace(base, batch_id=fields.name_of(first))  # a batch has no name of its own
    return tuple(event for item in items for event in _item(item, base))


def _item(item: Fields, base: Event) -> tuple[Event, ...]:
    text = fields.answer_of(item.get("tool_response"))
    return _ended(item, base, of_text(text or ""), text)


def _prompt(payload: Fields, base: Event) -> tuple[Event, ...]:
    prompt, source = payload.get("prompt"), fields.name_of(payload.get("source"))
    text = fields.shortened(prompt) if isinstance(prompt, str) else ""
    said: dict[str, Json] = {"prompt": text}
    return (replace(base, kind="prompt", arguments={**said, "source": source} if source else said),)


def _turn(payload: Fields, base: Event) -> tuple[Event, ...]:
    """The end of a turn, and before it what its last message hands over."""
    turn = replace(base, kind="turn", arguments=_noted(payload))
    return (*blocks(payload, base), turn)


def _compaction(payload: Fields, base: Event) -> tuple[Event, ...]:
    return (replace(base, kind="compact", arguments=_noted(payload)),)


def _start(payload: Fields, base: Event) -> tuple[Event, ...]:
    return (replace(base, kind="session_start", agent_id=None, arguments=_noted(payload)),)


def _end(payload: Fields, base: Event) -> tuple[Event, ...]:
    return (replace(base, kind="session_end", agent_id=None, arguments=_noted(payload)),)


def _agent_start(payload: Fields, base: Event) -> tuple[Event, ...]:
    known = base.agent_id is not None  # else it would start the session
    return (replace(base, kind="session_start" if known else "note", arguments=_noted(payload)),)


def _agent_end(payload: Fields, base: Event) -> tuple[Event, ...]:
    """The end of an agent; a compaction sends one as well, of an agent that nobody started."""
    if base.agent_id is None:
        return (replace(base, kind="note", arguments=_noted(payload)),)
    end = replace(base, kind="session_end", arguments=_noted(payload))
    return (*blocks(payload, base), end)


def _note(payload: Fields, base: Event) -> tuple[Event, ...]:
    return (replace(base, kind="note", arguments=_noted(payload)),)


def _noted(payload: Fields) -> dict[str, Json]:
    said: dict[str, Json] = {"hook": fields.name_of(payload.get("hook_event_name"))}
    for name in NOTED:
        value = payload.get(name)
        if isinstance(value, str | bool):
            said[name] = value[:SHORT] if isinstance(value, str) else value
    return said


_EVENTS: Final[Mapping[str, Callable[[Fields, Event], tuple[Event, ...]]]] = {
    PRE: _attempt,
    "PostToolUse": _result,
    "PostToolUseFailure": _failure,
    "PermissionDenied": _denied,
    "PostToolBatch": _batch,
    "UserPromptSubmit": _prompt,
    "Stop": _turn,
    "StopFailure": _turn,
    "PostCompact": _compaction,
    "SessionStart": _start,
    "SessionEnd": _end,
    "SubagentStart": _agent_start,
    "SubagentStop": _agent_end,
}
