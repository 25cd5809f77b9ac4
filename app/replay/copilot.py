"""Sessions of GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`.

    session.*           whose file it is, where it works, compactions, what may run unasked
    user.message        a prompt; one that the autopilot wrote has no text of a person
    assistant.message   the calls of one answer; an answer without any ends the turn
    tool.execution_*    a call begins, and how it ended

A command that failed has `success`; its exit code stands in the last line of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import BY_HARNESS, ERROR, Ending, of_text
from app.replay.claude_lines import blocks
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    number,
    object_of,
    shallow,
    through,
    word,
)
from app.replay.pairing import Pairing

HARNESS: Final = "copilot_cli"
# Types of every line are a family and a name; of these families what is not read says nothing.
FAMILIES: Final = frozenset(
    {
        "assistant",
        "hook",
        "permission",
        "session",
        "skill",
        "subagent",
        "system",
        "tool",
        "user",
    }
)
CODES: Final[Mapping[str, Ending]] = {  # of a call that did not run
    "rejected": Ending(outcome="denied", denied_by="person"),
    "denied": BY_HARNESS,
    "cancelled": Ending(outcome="interrupted"),
    "timeout": Ending(outcome="timeout"),
}
_EXITED: Final = re.compile(r"exited with exit code (-?[0-9]{1,10})>?\s*\Z")
ENDS: Final = 200  # characters at the end of a text in which a command's end is told


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for."""
    return through(Session(source, counts, attempts=attempts), source, counts)


def is_copilot(line: Fields) -> bool:
    """Whether a line is an event of a session: a type of two words, with its data apart."""
    family, _, name = (word(line.get("type")) or "").partition(".")
    return bool(name) and family in FAMILIES and isinstance(line.get("data"), dict)


class Session:
    """One file being read."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool) -> None:
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._said: Fields = {"session_id": None}
        self._batch: Mapping[str, Json] = {}  # the calls of the last answer -> its id

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events that one line completes."""
        data = object_of(line.get("data"))
        match word(line.get("type")):
            case "session.start" | "session.resume" | "session.context_changed":
                self._placed(data)
            case "session.mode_changed":
                self._said["permission_mode"] = word(data.get("newMode"))
            case "session.compaction_complete":
                yield from self._told(line_no, line, {"kind": "compact"})
            case "user.message":
                yield from self._prompt(line_no, line, word(data.get("content")) or "")
            case "assistant.message":
                yield from self._answered(line_no, line, data)
            case "tool.execution_start":
                yield from self._asked(line_no, line, data)
            case "tool.execution_complete":
                yield from self._ended(line_no, line, data)
            case "abort":
                yield from self._pairing.rest()
            case kind if str(kind).partition(".")[0] not in FAMILIES:
                self._counts.unknown[str(kind)] += 1
            case _:
                pass

    def rest(self) -> Iterator[Line]:
        """The calls that never ended, once the file is over."""
        yield from self._pairing.rest()

    def _placed(self, data: Fields) -> None:
        place = object_of(data.get("context")) or data
        own = word(data.get("sessionId"))
        self._said["session_id"] = self._said["session_id"] or own
        self._said["cwd"] = word(place.get("cwd")) or self._said.get("cwd")

    def _prompt(self, line_no: int, line: Fields, text: str) -> Iterator[Line]:
        if text.strip():
            said: Fields = {"prompt": text, "person": True}
            yield from self._told(line_no, line, {"kind": "prompt", "arguments": said})

    def _answered(self, line_no: int, line: Fields, data: Fields) -> Iterator[Line]:
        asked = [word(block.get("toolCallId")) for block in blocks(data.get("toolRequests"))]
        self._batch = {call: data.get("messageId") for call in asked if call is not None}
        written = number(data.get("outputTokens"))
        if written:
            usage: Fields = {"kind": "usage", "usage": {"output_tokens": written}}
            yield from self._told(line_no, line, usage, "usage")
        agent = word(data.get("parentToolCallId"))
        if not asked and word(data.get("content")) and agent is None:
            yield from self._told(line_no, line, {"kind": "turn"})

    def _asked(self, line_no: int, line: Fields, data: Fields) -> Iterator[Line]:
        call_id = word(data.get("toolCallId"))
        if call_id is None:
            self._counts.unknown["tool.execution_start without id"] += 1
            return
        fields: Fields = {
            **self._event(line_no, line, data),
            "event_id": call_id,
            "call_id": call_id,
            "batch_id": self._batch.get(call_id),
            "tool": data.get("toolName"),
            "arguments": shallow(object_of(data.get("arguments"))),
        }
        yield from self._pairing.asked(line_no, call_id, fields)

    def _ended(self, line_no: int, line: Fields, data: Fields) -> Iterator[Line]:
        error = object_of(data.get("error"))
        text = (
            word(object_of(data.get("result")).get("content")) or word(error.get("message")) or ""
        )
        end = ending(text, word(error.get("code")), worked=data.get("success") is True)
        ended: Fields = {
            "occurred_at": word(line.get("timestamp")),
            "outcome": end.outcome,
            "denied_by": end.denied_by,
            "rule": end.rule,
            "exit_code": end.exit_code,
            "result": text,
        }
        yield from self._pairing.ended(line_no, word(data.get("toolCallId")) or "", ended)

    def _told(self, line_no: int, line: Fields, fields: Fields, part: str = "") -> Iterator[Line]:
        said = self._event(line_no, line, object_of(line.get("data")), part)
        yield from self._pairing.told(line_no, {**said, **fields})

    def _event(self, line_no: int, line: Fields, data: Fields, part: str = "") -> Fields:
        own = word(line.get("id"))
        return {
            **self._said,
            "agent_id": word(data.get("parentToolCallId")),
            "event_id": self._pairing.name(line_no, part) if own is None else f"{own}{part}",
            "occurred_at": word(line.get("timestamp")),
        }


def ending(text: str, code: str | None, *, worked: bool) -> Ending:
    """How a call ended: by its field, the code of a refusal, or a command's exit code."""
    if not worked:
        ours = of_text(text)
        return ours if ours.outcome == "blocked" else CODES.get(code or "", ERROR)
    exited = _EXITED.search(text[-ENDS:])
    number_ = int(exited[1]) if exited else None
    return Ending(outcome="error" if number_ else "ok", exit_code=number_)
