"""Sessions of pi: `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`.

    session      whose file it is, and where it works
    message      of the person, of the model with the calls it asks for, or the result of one
    compaction   the context was cut

A call's result names it. Whether a command failed is a field; its exit code, or that its time was
up, stands in the last line of the text. Calls of a message that broke off never ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import ERROR, Ending
from app.replay.claude_lines import blocks
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    amount,
    number,
    object_of,
    shallow,
    texts,
    through,
    word,
)
from app.replay.pairing import Pairing

HARNESS: Final = "pi"
SKIPPED: Final = frozenset(
    {
        "branch_summary",
        "custom",
        "custom_message",  # what an extension says to the model
        "label",
        "model_change",
        "session_info",
        "thinking_level_change",
    }
)
# `bashExecution` is a command of the person's own, and no call.
SKIPPED_ROLES: Final = frozenset(
    {"bashExecution", "branchSummary", "compactionSummary", "custom", "hookMessage"}
)
ROLES: Final = SKIPPED_ROLES | {"user", "assistant", "toolResult"}
BROKEN: Final = frozenset({"aborted", "error"})  # why a message ended before its calls ran
CONTEXT: Final = ("input", "cacheRead", "cacheWrite")
_EXITED: Final = re.compile(r"Command exited with code (-?[0-9]{1,10})\s*\Z")
_TIMEOUT: Final = re.compile(r"Command timed out after [^\n]{1,40}\Z")
_ABORTED: Final = re.compile(r"(?:Command|Operation|Request was) aborted\s*\Z")
ENDS: Final = 200  # characters at the end of a text in which a command's end is told


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for."""
    return through(Session(source, counts, attempts=attempts), source, counts)


def is_pi(line: Fields) -> bool:
    """Whether a line is the head of a session, or one of its messages."""
    match line:
        case {"type": "session", "id": str(), "timestamp": str(), "cwd": str()}:
            return True
        case {"type": "message", "timestamp": str(), "message": {"role": str(role)}}:
            return role in ROLES
        case _:
            return False


class Session:
    """One file being read."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool) -> None:
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._session: str | None = None
        self._cwd: str | None = None
        self._context: int | None = None

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events that one line completes."""
        kind = word(line.get("type"))
        if kind == "session":
            self._session = word(line.get("id")) or self._session
            self._cwd = word(line.get("cwd")) or self._cwd
        elif kind == "message":
            yield from self._message(line_no, line, object_of(line.get("message")))
        elif kind == "compaction":
            self._context = None
            yield from self._told(line_no, line, {"kind": "compact"})
        elif kind not in SKIPPED:
            self._counts.unknown[str(kind)] += 1

    def rest(self) -> Iterator[Line]:
        """The calls that never got a result, once the file is over."""
        yield from self._pairing.rest()

    def _message(self, line_no: int, line: Fields, message: Fields) -> Iterator[Line]:
        match word(message.get("role")):
            case "user":
                yield from self._prompt(line_no, line, texts(message.get("content")))
            case "assistant":
                yield from self._answered(line_no, line, message)
            case "toolResult":
                yield from self._ended(line_no, line, message)
            case role if role not in SKIPPED_ROLES:
                self._counts.unknown[f"message/{role}"] += 1
            case _:
                pass

    def _prompt(self, line_no: int, line: Fields, text: str) -> Iterator[Line]:
        if text.strip():
            said: Fields = {"prompt": text, "person": True}
            yield from self._told(line_no, line, {"kind": "prompt", "arguments": said})

    def _answered(self, line_no: int, line: Fields, message: Fields) -> Iterator[Line]:
        yield from self._used(line_no, line, object_of(message.get("usage")))
        calls = [block for block in blocks(message.get("content")) if is_call(block)]
        for block in calls:
            yield from self._asked(line_no, line, block)
        stopped = word(message.get("stopReason"))
        if stopped in BROKEN:
            yield from self._pairing.rest()
        elif stopped == "stop" and not calls:
            yield from self._told(line_no, line, {"kind": "turn"})

    def _used(self, line_no: int, line: Fields, usage: Fields) -> Iterator[Line]:
        held = sum(number(usage.get(name)) or 0 for name in CONTEXT)
        self._context = held or self._context
        spent: Fields = {
            "input_tokens": number(usage.get("input")),
            "output_tokens": number(usage.get("output")),
            "cost": amount(object_of(usage.get("cost")).get("total")),
        }
        if any(spent.values()):
            yield from self._told(line_no, line, {"kind": "usage", "usage": spent}, "usage")

    def _asked(self, line_no: int, line: Fields, block: Fields) -> Iterator[Line]:
        call_id = word(block.get("id"))
        if call_id is None:
            self._counts.unknown["toolCall without id"] += 1
            return
        fields: Fields = {
            **self._event(line_no, line, call_id),
            "event_id": call_id,
            "call_id": call_id,
            "batch_id": self._pairing.name(line_no),
            "tool": block.get("name"),
            "arguments": shallow(object_of(block.get("arguments"))),
            "context_tokens": self._context,
        }
        yield from self._pairing.asked(line_no, call_id, fields)

    def _ended(self, line_no: int, line: Fields, message: Fields) -> Iterator[Line]:
        text = texts(message.get("content"))
        end = ending(text, failed=message.get("isError") is True)
        ended: Fields = {
            "occurred_at": word(line.get("timestamp")),
            "outcome": end.outcome,
            "exit_code": end.exit_code,
            "result": text,
        }
        yield from self._pairing.ended(line_no, word(message.get("toolCallId")) or "", ended)

    def _told(self, line_no: int, line: Fields, fields: Fields, part: str = "") -> Iterator[Line]:
        yield from self._pairing.told(line_no, {**self._event(line_no, line, part), **fields})

    def _event(self, line_no: int, line: Fields, part: str) -> Fields:
        return {
            "session_id": self._session,
            "event_id": self._pairing.name(line_no, part),
            "occurred_at": word(line.get("timestamp")),
            "cwd": self._cwd,
        }


def is_call(block: Json) -> bool:
    """Whether a block of a message asks for a tool."""
    return object_of(block).get("type") == "toolCall"


def ending(text: str, *, failed: bool) -> Ending:
    """How a call ended; of one that failed the last line of its text tells more."""
    if not failed:
        return Ending(outcome="ok")
    end = text[-ENDS:]
    exited = _EXITED.search(end)
    if exited:
        return Ending(outcome="error", exit_code=int(exited[1]))
    if _TIMEOUT.search(end):
        return Ending(outcome="timeout")
    return Ending(outcome="interrupted") if _ABORTED.search(end) else ERROR
