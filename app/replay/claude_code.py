"""Session files of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.

    assistant   tool_use blocks open calls; usage says how full the context is; a last message
                ends the turn
    user        tool_result blocks close calls; everything else is a prompt or bookkeeping
    system      a compaction's boundary
    the rest    known and skipped, or counted as unknown; never fatal

The order is the file's; time stamps go backwards in real files. Calls are paired by id, and the
finished call becomes one event where its result stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import runs_aside
from app.replay.claude_lines import (
    agent_of,
    answer_of,
    arguments_of,
    blocks,
    context_of,
    duration_of,
    session_of,
    text_of,
)
from app.replay.claude_outcomes import Result, ending, exit_code
from app.replay.claude_prompts import prompt, queued
from app.replay.lines import Counts, Fields, Line, Source, object_of, through
from app.replay.pairing import HELD, Recent, told

HARNESS: Final = "claude_code"
SYNTHETIC: Final = "<synthetic>"  # the model of messages that the harness made up
# Types that say nothing about calls. `progress` embeds whole messages of subagents, which also
# stand in the subagent's own file: only the name of its hook is ever looked at.
SKIPPED: Final = frozenset(
    {
        "agent-name",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "bridge-session",
        "cost-state",
        "custom-title",
        "file-history-snapshot",
        "frame-link",
        "last-prompt",
        "mode",
        "pr-link",
        "queue-operation",
        "relocated",
        "result",
        "started",
        "summary",
        "tools-used",
        "worktree-state",
    }
)
# A line with another type is counted; with one of these it is one of ours.
TYPES: Final = SKIPPED | {
    "assistant",
    "user",
    "attachment",
    "system",
    "progress",
    "permission-mode",
}
SKIPPED_SYSTEM: Final = frozenset(
    {
        None,
        "api_error",
        "api_refusal",
        "away_summary",
        "error",
        "local_command",
        "session_start",
        "stop_hook_summary",
        "turn_duration",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A call without its result: what its event says already, and where it began."""

    fields: Mapping[str, Json]
    line_no: int
    hooked: bool = False


@dataclass(slots=True, kw_only=True)
class Session:
    """What a session's later lines need to know of its earlier ones."""

    context_tokens: int | None = None
    permission_mode: str | None = None


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for, where that stands."""
    return through(Transcript(source, counts, attempts=attempts), source, counts)


class Transcript:
    """One file being read: open calls, and what was seen of each session."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool = False) -> None:
        self._source = source
        self._counts = counts
        self._attempts = attempts
        self._lines = Recent()
        self._calls = Recent()
        self._ended = Recent()
        self._open: dict[str, Open] = {}
        self._sessions: dict[str | None, Session] = {}
        self._by_type: Mapping[str, Callable[[int, Fields], Iterator[Line]]] = {
            "assistant": self._assistant,
            "user": self._user,
            "attachment": self._attachment,
            "system": self._system,
            "progress": self._progress,
            "permission-mode": self._permission,
        }

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events that one line completes."""
        kind = str(line.get("type"))
        handler = self._by_type.get(kind)
        if handler is None:
            self._counts.unknown.update(() if kind in SKIPPED else (kind,))
        elif kind == "progress" or not self._lines.repeats(line.get("uuid")):
            yield from handler(line_no, line)

    def rest(self) -> Iterator[Line]:
        """The calls that never got a result, once the file is over."""
        for call_id in [*self._open]:
            yield from self._given_up(call_id)

    def _given_up(self, call_id: str) -> Iterator[Line]:
        call = self._open.pop(call_id)
        yield from self._event(call.line_no, {**call.fields, "outcome": "interrupted"})

    def _assistant(self, line_no: int, line: Fields) -> Iterator[Line]:
        message = object_of(line.get("message"))
        if message.get("model") == SYNTHETIC:
            yield from self._gave_up(line_no, line)
            return
        session = self._session(line)
        if agent_of(line) is None:
            session.context_tokens = context_of(message) or session.context_tokens
        calls = [block for block in blocks(message.get("content")) if is_call(block)]
        for block in calls:
            yield from self._begin(line_no, line, message, block)
        ends = message.get("stop_reason") == "end_turn" and not calls
        # One message is written as several lines, each with the reason why it stopped.
        if ends and not self._ended.repeats(message.get("id")):
            kind = "session_end" if agent_of(line) else "turn"  # as SubagentStop and Stop do
            yield from self._event(line_no, {**self._said(line_no, line), "kind": kind})

    def _gave_up(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The model did not answer, and the turn is over; other such messages say nothing."""
        if line.get("isApiErrorMessage") is True and agent_of(line) is None:
            yield from self._event(line_no, {**self._said(line_no, line), "kind": "turn"})

    def _begin(self, line_no: int, line: Fields, message: Fields, block: Fields) -> Iterator[Line]:
        call_id = block.get("id")
        if not isinstance(call_id, str):
            self._counts.unknown["tool_use without id"] += 1
        elif not self._calls.repeats(call_id):
            fields = {
                **self._said(line_no, line, call_id),
                "call_id": call_id,
                "batch_id": message.get("id"),
                "tool": block.get("name"),
                "arguments": arguments_of(block.get("name"), block.get("input")),
            }
            self._open[call_id] = Open(fields=fields, line_no=line_no)
            if len(self._open) > HELD:
                yield from self._given_up(next(iter(self._open)))
            if self._attempts:
                # As the harness's own hook, it tells no tokens.
                own = f"{fields['event_id']}:attempt"
                asked = {**fields, "kind": "attempt", "event_id": own, "context_tokens": None}
                yield from self._event(line_no, asked)

    def _user(self, line_no: int, line: Fields) -> Iterator[Line]:
        mode = line.get("permissionMode")
        if isinstance(mode, str):
            self._session(line).permission_mode = mode
        content = object_of(line.get("message")).get("content")
        results = [block for block in blocks(content) if block.get("type") == "tool_result"]
        for block in results:
            yield from self._finish(line_no, line, block, alone=len(results) == 1)
        yield from self._prompt(line_no, line, prompt(line))

    def _attachment(self, line_no: int, line: Fields) -> Iterator[Line]:
        yield from self._prompt(line_no, line, queued(line))

    def _prompt(self, line_no: int, line: Fields, arguments: Fields | None) -> Iterator[Line]:
        if arguments is not None:
            said = self._said(line_no, line)
            yield from self._event(line_no, {**said, "kind": "prompt", "arguments": arguments})

    def _finish(self, line_no: int, line: Fields, block: Fields, *, alone: bool) -> Iterator[Line]:
        call_id = block.get("tool_use_id")
        call = self._open.pop(call_id, None) if isinstance(call_id, str) else None
        if call is not None:
            said = self._said(line_no, line, "" if alone else str(call_id))
            said["agent_id"] = said["agent_id"] or call.fields["agent_id"]
            # The object beside the blocks is of one call; with several nobody says of which.
            extra = line.get("toolUseResult") if alone else None
            ended = _ended(call, block, extra, line.get("toolDenialKind"))
            yield from self._event(line_no, {**call.fields, **said, **ended})

    def _system(self, line_no: int, line: Fields) -> Iterator[Line]:
        subtype = line.get("subtype")
        if subtype == "compact_boundary":
            self._session(line).context_tokens = None
            trigger = object_of(line.get("compactMetadata")).get("trigger")
            said = self._said(line_no, line)
            yield from self._event(
                line_no, {**said, "kind": "compact", "arguments": {"trigger": trigger}}
            )
        elif not (subtype is None or str(subtype) in SKIPPED_SYSTEM):
            self._counts.unknown[f"system/{subtype}"] += 1

    def _progress(self, _: int, line: Fields) -> Iterator[Line]:
        call_id = line.get("toolUseID")
        before = object_of(line.get("data")).get("hookEvent") == "PreToolUse"
        if before and isinstance(call_id, str) and call_id in self._open:
            self._open[call_id] = replace(self._open[call_id], hooked=True)
        return iter(())

    def _permission(self, _: int, line: Fields) -> Iterator[Line]:
        mode = line.get("permissionMode")
        self._session(line).permission_mode = mode if isinstance(mode, str) else None
        return iter(())

    def _session(self, line: Fields) -> Session:
        return self._sessions.setdefault(session_of(line), Session())

    def _said(self, line_no: int, line: Fields, part: str = "") -> Fields:
        """What every event of a line says; `part` tells the events of one line apart."""
        session, agent, uuid = self._session(line), agent_of(line), line.get("uuid")
        name = uuid if isinstance(uuid, str) else f"{self._source.name}:{line_no}"
        return {
            "harness": HARNESS,
            "session_id": session_of(line),
            "agent_id": agent,
            "event_id": f"{name}:{part}" if part else name,
            "occurred_at": line.get("timestamp"),
            "cwd": line.get("cwd"),
            "permission_mode": session.permission_mode,
            "context_tokens": None if agent else session.context_tokens,
        }

    def _event(self, line_no: int, fields: Fields) -> Iterator[Line]:
        yield from told(self._source, self._counts, line_no, fields)


def is_call(block: Fields) -> bool:
    """Whether a block of a message asks for a tool."""
    return block.get("type") == "tool_use"


def _ended(call: Open, block: Fields, extra: Json, denial: Json) -> Fields:
    result = Result(
        tool=str(call.fields["tool"]),
        text=text_of(block.get("content")),
        failed=block.get("is_error") is True,
        extra=extra,
        denial=denial if isinstance(denial, str) else None,
        hooked=call.hooked,
        aside=runs_aside(call.fields["arguments"]),
    )
    end = ending(result)
    return {
        "outcome": end.outcome,
        "denied_by": end.denied_by,
        "rule": end.rule,
        "exit_code": exit_code(result),
        "result": answer_of(block.get("content"), None if result.failed else extra),
        "duration_ms": duration_of(extra),
    }
