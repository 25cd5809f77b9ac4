"""What Claude Code prints with `--output-format stream-json`, and its SDK hands on.

    system/init     where, and what may run unasked
    assistant, user as in session files, with the subagent's call in `parent_tool_use_id`
    result          the end of a turn: what it cost, and which calls were not permitted

The list of refused calls comes last, so the file is looked through for it first: it is the one
place where Claude Code says in a field that a call was refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.domain.events import Json
from app.replay.claude_code import HARNESS, Transcript
from app.replay.claude_lines import blocks
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    amount,
    number,
    object_of,
    objects,
    taken,
    word,
)
from app.replay.pairing import REMEMBERED, told

REFUSED: Final = "permission_denials"
SPOKEN: Final = ("assistant", "user")
TYPES: Final = frozenset({"system", "assistant", "user", "result", "stream_event"})
SKIPPED: Final = frozenset(
    {
        "auth_status",
        "keep_alive",
        "control_request",
        "control_response",
        "control_cancel_request",
        "prompt_suggestion",
        "rate_limit_event",
        "stream_event",
        "tool_progress",
        "tool_use_summary",
    }
)
SKIPPED_SYSTEM: Final = frozenset(
    {
        "api_retry",
        "files_persisted",
        "hook_progress",
        "hook_response",
        "hook_started",
        "local_command_output",
        "status",
        "task_notification",
        "task_progress",
        "task_started",
    }
)


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The stream's events; with `attempts` each call also as it was asked for."""
    transcript = Transcript(source, counts, attempts=attempts)
    stream = Stream(source, counts, refused(source))
    for line_no, line in objects(source, counts):
        for known in stream.take(line):
            yield from transcript.take(line_no, known)
        if line.get("type") == "result":
            yield from stream.turned(line_no, line)
    yield from transcript.rest()


def refused(source: Source) -> frozenset[str]:
    """The calls that results say were not permitted; at most REMEMBERED."""
    found: set[str] = set()
    for _, text in source.lines():
        line = taken(text) if REFUSED.encode() in text else ""
        denials = line.get(REFUSED) if isinstance(line, dict) else None
        named = {word(denial.get("tool_use_id")) for denial in blocks(denials)}
        found |= {name for name in named if name is not None}
        if len(found) > REMEMBERED:
            break
    return frozenset(found)


class Stream:
    """A stream being read: what its first line said, and what was paid so far."""

    def __init__(self, source: Source, counts: Counts, refused: frozenset[str]) -> None:
        self._source = source
        self._counts = counts
        self._refused = refused
        self._cwd: Json = None
        self._paid = 0.0

    def take(self, line: Fields) -> Iterator[Fields]:
        """The line as it would stand in a session file."""
        kind = str(line.get("type"))
        if kind in SPOKEN:
            yield self._spoken(kind, line)
        elif kind == "system":
            yield from self._system(line)
        elif kind != "result" and kind not in SKIPPED:
            self._counts.unknown[kind] += 1

    def turned(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The end of a turn, and what it cost; the sum of the session grows from turn to turn."""
        usage, cost = object_of(line.get("usage")), amount(line.get("total_cost_usd"))
        since = None if cost is None else max(cost - self._paid, 0.0)
        self._paid = self._paid if cost is None else cost
        lasted = number(line.get("duration_ms"))
        fields: Fields = {
            "harness": HARNESS,
            "kind": "turn",
            "session_id": line.get("session_id"),
            "event_id": word(line.get("uuid")) or f"{self._source.name}:{line_no}",
            "cwd": self._cwd,
            "usage": {
                "input_tokens": number(usage.get("input_tokens")),
                "output_tokens": number(usage.get("output_tokens")),
                "cost": since,
                "seconds": None if lasted is None else lasted / 1000,
            },
        }
        yield from told(self._source, self._counts, line_no, fields)

    def _spoken(self, kind: str, line: Fields) -> Fields:
        message, agent = object_of(line.get("message")), line.get("parent_tool_use_id")
        results = {word(block.get("tool_use_id")) for block in blocks(message.get("content"))}
        # A turn of the session ends where its result stands, a subagent with its last message.
        ends = message if agent else {**message, "stop_reason": None}
        return {
            "type": kind,
            "message": {**ends},
            "session_id": line.get("session_id"),
            "uuid": line.get("uuid"),
            "timestamp": line.get("timestamp"),
            "cwd": self._cwd,
            "agentId": agent,
            "isMeta": line.get("isSynthetic"),
            "toolUseResult": line.get("tool_use_result"),
            "toolDenialKind": "permission-rule" if results & self._refused else None,
        }

    def _system(self, line: Fields) -> Iterator[Fields]:
        session = line.get("session_id")
        match word(line.get("subtype")):
            case "init":
                self._cwd = line.get("cwd")
                mode = line.get("permissionMode")
                yield {"type": "permission-mode", "session_id": session, "permissionMode": mode}
            case "compact_boundary":
                yield {**line, "compactMetadata": line.get("compact_metadata")}
            case subtype if subtype not in SKIPPED_SYSTEM:
                yield line
            case _:
                pass
