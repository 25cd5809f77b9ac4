"""Sessions of Gemini CLI: `~/.gemini/tmp/<hash>/chats/session-*.json` and `.jsonl`.

    one JSON (2025)   {"sessionId": ..., "messages": [...]}
    lines (2026)      a head, then messages and changes of the head; a message is written again as
                      it grows, and its last form counts

Calls stand in the message that asked for them, with their results. A person's no and an Esc have
one word, `cancelled`; it is taken as an interruption: denials from these files are a lower bound.
There is no folder, no permission mode, and no time between a call and its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import BY_HARNESS, ERROR, FOREIGN, Ending
from app.replay.claude_lines import blocks
from app.replay.documents import parts
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    number,
    object_of,
    shallow,
    texts,
    through,
    word,
)
from app.replay.pairing import Pairing

HARNESS: Final = "gemini_cli"
SHELL: Final = "run_shell_command"
OVER: Final = frozenset({"success", "error", "cancelled"})
SKIPPED: Final = frozenset({"info", "warning", "error"})
HEAD: Final = frozenset(
    {"sessionId", "projectHash", "startTime", "lastUpdated", "kind", "summary", "directories"}
)
_EXIT_CODE: Final = re.compile(r"^Exit Code: (-?[0-9]{1,10})$", re.MULTILINE)
_TIMEOUT: Final = re.compile(r"^Command (?:was automatically cancelled because|timed out)")
# What the harness says in place of a result, by how the error begins.
REFUSALS: Final[tuple[tuple[str, Ending], ...]] = (
    ("Tool execution blocked", Ending(outcome="blocked", denied_by="controller", rule=FOREIGN)),
    ("Tool execution denied by policy", BY_HARNESS),
    ("[Operation Cancelled]", Ending(outcome="interrupted")),
)


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for."""
    return through(Chat(source, counts, attempts=attempts), source, counts)


def whole_events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """As `events`, of a session that is one JSON value."""
    chat = Chat(source, counts, attempts=attempts)
    for part in parts(source, counts):
        if part.key == "messages" and isinstance(part.value, dict):
            yield from chat.take(part.line_no, part.value)
        elif part.key in HEAD:
            chat.head({part.key: part.value})
        else:
            counts.unknown[part.key] += 1
    yield from chat.rest()


class Chat:
    """One session being read: the message that may still be written again, and open calls."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool) -> None:
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._session: str | None = None
        self._by_person = True
        self._held: tuple[int, Fields] | None = None

    def head(self, line: Fields) -> None:
        """What the file says of its session."""
        self._session = word(line.get("sessionId")) or self._session
        self._by_person = self._by_person and line.get("kind", "main") == "main"

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events that one line completes: those of the message before it."""
        if "type" in line:
            if self._held is not None and self._held[1].get("id") != line.get("id"):
                yield from self._let_go()
            self._held = (line_no, line)
        elif "$set" in line:
            self.head(object_of(line["$set"]))
        elif "sessionId" in line:
            self.head(line)
        else:
            self._counts.unknown[", ".join(sorted(line)[:3]) or "{}"] += 1

    def rest(self) -> Iterator[Line]:
        """The last message, and the calls that never ended."""
        yield from self._let_go()
        yield from self._pairing.rest()

    def _let_go(self) -> Iterator[Line]:
        if self._held is None:
            return
        (line_no, message), self._held = self._held, None
        match word(message.get("type")):
            case "gemini":
                yield from self._answered(line_no, message)
            case "user":
                yield from self._prompt(line_no, message)
            case kind if kind not in SKIPPED:
                self._counts.unknown[str(kind)] += 1
            case _:
                pass

    def _answered(self, line_no: int, message: Fields) -> Iterator[Line]:
        calls = blocks(message.get("toolCalls"))
        tokens = object_of(message.get("tokens"))
        yield from self._usage(line_no, message, tokens)
        for place, call in enumerate(calls):
            yield from self._call(line_no, message, call, place)
        if not calls and texts(message.get("content")).strip():
            yield from self._pairing.told(line_no, {**self._event(message), "kind": "turn"})

    def _usage(self, line_no: int, message: Fields, tokens: Fields) -> Iterator[Line]:
        usage = {
            "input_tokens": number(tokens.get("input")),
            "output_tokens": number(tokens.get("output")),
        }
        if any(usage.values()):
            event = self._event(message, "usage")
            yield from self._pairing.told(line_no, {**event, "kind": "usage", "usage": {**usage}})

    def _call(self, line_no: int, message: Fields, call: Fields, place: int) -> Iterator[Line]:
        call_id = word(call.get("id"))
        key = call_id or f"{message.get('id') or line_no}:{place}"
        status = word(call.get("status"))
        fields: Fields = {
            **self._event(message),
            "event_id": key,
            "call_id": call_id,
            "batch_id": word(message.get("id")),
            "tool": call.get("name"),
            "arguments": shallow(object_of(call.get("args"))),
            "context_tokens": number(object_of(message.get("tokens")).get("total")),
            "occurred_at": word(call.get("timestamp")) or word(message.get("timestamp")),
        }
        yield from self._pairing.asked(line_no, key, fields)
        if status in OVER:
            yield from self._pairing.ended(line_no, key, _ended(call, status))

    def _prompt(self, line_no: int, message: Fields) -> Iterator[Line]:
        text = texts(message.get("displayContent") or message.get("content"))
        if text.strip():
            arguments: Fields = {"prompt": text, "person": self._by_person}
            event = {**self._event(message), "kind": "prompt", "arguments": arguments}
            yield from self._pairing.told(line_no, event)

    def _event(self, message: Fields, part: str = "") -> Fields:
        own = word(message.get("id"))
        return {
            "session_id": self._session,
            "event_id": f"{own}:{part}" if own and part else own,
            "occurred_at": word(message.get("timestamp")),
        }


def _ended(call: Fields, status: Json) -> Fields:
    response = _response(call.get("result"))
    output, error = word(response.get("output")), word(response.get("error"))
    text = output or error or word(call.get("resultDisplay")) or ""
    code = _code(text) if call.get("name") == SHELL else None
    end = _ending(status, text, code)
    return {
        "outcome": end.outcome,
        "denied_by": end.denied_by,
        "rule": end.rule,
        "exit_code": code,
        "result": text,
    }


def _ending(status: Json, text: str, code: int | None) -> Ending:
    """By the status; a command that failed has `success`, and its exit code in the text alone."""
    if status == "cancelled":
        return Ending(outcome="interrupted")
    if status == "error":
        return next((end for beginning, end in REFUSALS if text.startswith(beginning)), ERROR)
    if _TIMEOUT.match(text):
        return Ending(outcome="timeout")
    return ERROR if code else Ending(outcome="ok")


def _code(text: str) -> int | None:
    """The exit code that stands behind a command's output, on the last line of that shape."""
    found = _EXIT_CODE.findall(text)
    return int(found[-1]) if found else None


def _response(result: Json) -> Fields:
    first = result[0] if isinstance(result, list) and result else None
    return object_of(object_of(object_of(first).get("functionResponse")).get("response"))
