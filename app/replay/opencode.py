"""Sessions of OpenCode: the stream of `run --format json`, exports, and its stored parts.

    a stream   {"type": "tool_use", "sessionID": ..., "part": {...}}, one a line, or printed over
               many lines into a log with other output between
    an export  {"info": {...}, "messages": [{"info": {...}, "parts": [...]}]}
    a part     {"sessionID": ..., "messageID": ..., "type": "tool", ...} in a file of its own

A call is told several times as it goes on; its first end counts, as all later ones repeat it. A
command that fails has `completed` and an exit code; only what did not run has words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import BY_HARNESS, ERROR, Ending
from app.replay.claude_lines import blocks
from app.replay.documents import parts
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    amount,
    moment,
    number,
    object_of,
    shallow,
    taken,
    word,
)
from app.replay.pairing import HELD, Pairing

HARNESS: Final = "opencode"
LONGEST: Final = 1 << 25  # bytes of one object that a log prints over many lines
TEXT: Final = "text"  # a line of a log that is no part of an object
PARTS: Final = frozenset({"step-start", "text", "reasoning", "snapshot", "patch", "file", "agent"})
MORE_PARTS: Final = frozenset({"subtask", "retry"})
STREAM: Final = frozenset(
    {"tool_use", "step_start", "step_finish", "text", "reasoning", "error", "log", "status"}
)
BUS: Final = ("message.", "session.", "permission.", "file.", "lsp.", "server.", "todo.", "*")
PREFIX: Final = re.compile(rb"^\[[0-9T:.Z+-]{19,30}\] \[[A-Z]{3,8}\] ?")
# What stands in place of a result, by how the error begins.
REFUSALS: Final[tuple[tuple[str, Ending], ...]] = (
    ("The user rejected permission", Ending(outcome="denied", denied_by="person")),
    ("The user has specified a rule which prevents", BY_HARNESS),
    ("Tool execution aborted", Ending(outcome="interrupted")),
)
_ABORTED: Final = re.compile(r"<bash_metadata>[^<]*?User aborted the command")
_TIMEOUT: Final = re.compile(r"<bash_metadata>[^<]*?(?:exceeding timeout|timed out)")


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The stream's events; with `attempts` each call also as it was asked for."""
    session = Stream(source, counts, attempts=attempts)
    for line_no, line in objects(source, counts):
        yield from session.take(line_no, line)
    yield from session.rest()


def whole_events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """As `events`, of exports and stored parts."""
    session = Stream(source, counts, attempts=attempts)
    held: Fields = {}
    document = line_no = 0
    for part in parts(source, counts):
        if part.document != document:
            yield from session.stored(line_no, held)
            held, document = {}, part.document
        line_no = part.line_no
        if part.key == "messages":
            yield from session.message(part.line_no, object_of(part.value))
        elif part.key == "info":
            session.introduced(object_of(part.value))
        else:
            held[part.key] = part.value
    yield from session.stored(line_no, held)
    yield from session.rest()


def objects(source: Source, counts: Counts) -> Iterator[tuple[int, Fields]]:
    """The objects of a log, each on a line or printed over many; other lines are counted."""
    printed = Printed()
    for line_no, text in unprefixed(source):
        counts.lines += bool(text.strip())
        found = printed.take(line_no, text)
        if isinstance(found, dict):
            yield printed.since, found
        elif found == TEXT:
            counts.unknown[TEXT] += 1
        elif found is not None:
            counts.refuse(printed.since, found)
    if printed.open:
        counts.refuse(printed.since, "no JSON: cut off")


def unprefixed(source: Source) -> Iterator[tuple[int, bytes]]:
    """Every line without the time and the level that a log puts before it."""
    for line_no, raw in source.raw():
        yield line_no, PREFIX.sub(b"", raw.rstrip())


class Printed:
    """An object that is being printed; `since` is the line on which the last one began."""

    def __init__(self) -> None:
        self.since = 0
        self._lines: list[bytes] = []
        self._size = 0

    @property
    def open(self) -> bool:
        """Whether an object has begun and not ended."""
        return bool(self._lines)

    def take(self, line_no: int, text: bytes) -> Fields | str | None:
        """The object that a line completes, TEXT, why there is none, or None: it goes on."""
        if text == b"{":
            return self._begin(line_no, text)
        if not self._lines:
            self.since = line_no
            stripped = text.strip()
            return taken(stripped) if stripped.startswith(b"{") else TEXT if stripped else None
        self._lines.append(text)
        self._size += len(text)
        if text != b"}" and self._size <= LONGEST:
            return None
        whole, self._lines, self._size = b"\n".join(self._lines), [], 0
        return taken(whole)

    def _begin(self, line_no: int, text: bytes) -> str | None:
        cut = "no JSON: cut off" if self._lines else None
        self._lines, self._size, self.since = [text], 0, line_no
        return cut


class Stream:
    """A session being read: who its agents are, and which calls are open."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool) -> None:
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._parents: dict[str, str] = {}
        self._pending: dict[str, tuple[int, Fields]] = {}  # calls whose arguments are being written
        self._now: Fields = {}  # folder and tokens, as last said

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events that one object completes."""
        kind, part = str(line.get("type")), line.get("part")
        if isinstance(part, dict):
            yield from self._part(line_no, part, {}, line.get("timestamp"))
            return
        self.introduced(object_of(object_of(line.get("properties")).get("info")))
        if kind not in STREAM and not kind.startswith(BUS):
            self._counts.unknown[kind] += 1

    def introduced(self, info: Fields) -> None:
        """Who a session is, and who started it."""
        own, parent = word(info.get("id")), word(info.get("parentID"))
        if own is not None and parent is not None and "role" not in info:
            self._parents[own] = parent
            if len(self._parents) > HELD:
                del self._parents[next(iter(self._parents))]
        self._now["cwd"] = word(info.get("directory")) or self._now.get("cwd")

    def message(self, line_no: int, message: Fields) -> Iterator[Line]:
        """The events of a message of an export."""
        info = object_of(message.get("info"))
        self._now["cwd"] = word(object_of(info.get("path")).get("cwd")) or self._now.get("cwd")
        for part in blocks(message.get("parts")):
            at = object_of(info.get("time")).get("created")
            yield from self._part(line_no, part, info, at)

    def stored(self, line_no: int, part: Fields) -> Iterator[Line]:
        """The events of a part in a file of its own; other files say nothing."""
        if {"sessionID", "messageID", "type"} <= part.keys():
            yield from self._part(line_no, part, {}, object_of(part.get("time")).get("end"))
        elif part:
            self._counts.unknown[", ".join(sorted(part)[:3])] += 1

    def rest(self) -> Iterator[Line]:
        """The calls that never ended."""
        while self._pending:
            yield from self._ask(None)
        yield from self._pairing.rest()

    def _part(self, line_no: int, part: Fields, info: Fields, at: Json) -> Iterator[Line]:
        kind = str(part.get("type"))
        event = {**self._event(part), "occurred_at": moment(at)}
        if kind == "tool":
            yield from self._tool(line_no, part, event)
        elif kind == "step-finish":
            yield from self._finished(line_no, part, event)
        elif kind == "compaction":
            yield from self._pairing.told(line_no, {**event, "kind": "compact"})
        elif kind == "text" and info.get("role") == "user":
            yield from self._prompt(line_no, part, event)
        elif kind not in PARTS | MORE_PARTS:
            self._counts.unknown[f"part/{kind}"] += 1

    def _tool(self, line_no: int, part: Fields, event: Fields) -> Iterator[Line]:
        state, own = object_of(part.get("state")), word(part.get("id"))
        call_id = word(part.get("callID"))
        key = own or call_id or str(line_no)
        told = {"arguments": shallow(object_of(state.get("input"))), "tool": part.get("tool")}
        if self._pairing.held(key) is not None:
            self._pairing.noted(key, told)
        else:
            names = {"event_id": key, "call_id": call_id, "batch_id": word(part.get("messageID"))}
            self._pending[key] = (line_no, {**event, **told, **names})
            if state.get("status") != "pending" or len(self._pending) > HELD:
                yield from self._ask(key if state.get("status") != "pending" else None)
        if state.get("status") in ("completed", "error"):
            ended = {**_ended(state), "context_tokens": self._now.get("context_tokens")}
            yield from self._pairing.ended(line_no, key, ended)

    def _ask(self, key: str | None) -> Iterator[Line]:
        """Ask for a call now that its arguments are known; None: for the oldest as it is."""
        found = next(iter(self._pending)) if key is None else key
        line_no, fields = self._pending.pop(found)
        yield from self._pairing.asked(line_no, found, fields)

    def _finished(self, line_no: int, part: Fields, event: Fields) -> Iterator[Line]:
        tokens = object_of(part.get("tokens"))
        cache, given = object_of(tokens.get("cache")), number(tokens.get("input")) or 0
        context = given + (number(cache.get("read")) or 0) + (number(cache.get("write")) or 0)
        self._now["context_tokens"] = context or self._now.get("context_tokens")
        usage: Fields = {
            "input_tokens": number(tokens.get("input")),
            "output_tokens": number(tokens.get("output")),
            "cost": amount(part.get("cost")),
        }
        own = word(part.get("id")) or self._pairing.name(line_no)
        said = {**event, "event_id": own, "context_tokens": context or None, "usage": usage}
        turned = part.get("reason") == "stop" and event.get("agent_id") is None
        kind = "turn" if turned else "usage"
        yield from self._pairing.told(line_no, {**said, "kind": kind})

    def _prompt(self, line_no: int, part: Fields, event: Fields) -> Iterator[Line]:
        text = word(part.get("text")) or ""
        if text.strip():
            person = part.get("synthetic") is not True and event.get("agent_id") is None
            arguments: Fields = {"prompt": text, "person": person}
            yield from self._pairing.told(
                line_no, {**event, "kind": "prompt", "arguments": arguments}
            )

    def _event(self, part: Fields) -> Fields:
        own = word(part.get("sessionID"))
        parent = self._parents.get(own or "")
        return {
            "session_id": parent or own,
            "agent_id": own if parent else None,
            "event_id": word(part.get("id")),
            "cwd": self._now.get("cwd"),
        }


def _ended(state: Fields) -> Fields:
    metadata, time = object_of(state.get("metadata")), object_of(state.get("time"))
    code = metadata.get("exit")
    text = word(state.get("output")) or word(state.get("error")) or ""
    end = _ending(state, text, code)
    return {
        "outcome": end.outcome,
        "denied_by": end.denied_by,
        "exit_code": code if type(code) is int else None,
        "result": text,
        "duration_ms": _between(time.get("start"), time.get("end")),
        "occurred_at": moment(time.get("end")),
    }


def _ending(state: Fields, text: str, code: Json) -> Ending:
    if state.get("status") == "error":
        return next((end for beginning, end in REFUSALS if text.startswith(beginning)), ERROR)
    if _ABORTED.search(text[-1000:]):
        return Ending(outcome="interrupted")
    if _TIMEOUT.search(text[-1000:]):
        return Ending(outcome="timeout")
    return ERROR if type(code) is int and code != 0 else Ending(outcome="ok")


def _between(start: Json, end: Json) -> int | None:
    match start, end:
        case int(), int() if end >= start >= 0:
            return end - start
        case _:
            return None
