"""Event histories of OpenHands: lists of events, rows with a `history`, and events of the new SDK.

    an action        {"id", "action": "run", "args": {...}, "source": "agent"}
    its observation  {"observation": "run", "cause": <the action's id>, "content", "extras"}
    the new SDK      {"kind": "ActionEvent", "tool_name", ...} and {"kind": "ObservationEvent"}

Histories of 2024 have neither ids nor causes, and some are lists of pairs: what was asked last is
what was observed next. Times have no zone and are taken as UTC. No file names its session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from app.domain.events import Json
from app.replay.documents import Part, parts
from app.replay.lines import Counts, Fields, Line, Source, object_of, shallow, texts, word
from app.replay.openhands_outcomes import ended, sdk_ended
from app.replay.pairing import Pairing

HARNESS: Final = "openhands"
# The actions that are calls, by the tool they use where the file does not name it.
TOOLS: Final[Mapping[str, str]] = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "read": "read",
    "write": "write",
    "edit": "edit",
    "browse": "fetch",
    "browse_interactive": "browser",
    "call_tool_mcp": "mcp",
    "mcp": "mcp",
    "delegate": "task",
    "think": "think",
    "task_tracking": "update_plan",
}
SKIPPED: Final = frozenset(
    {
        "change_agent_state",
        "condensation_request",
        "initialize",
        "null",
        "pause",
        "recall",
        "reject",
        "resume",
        "start",
        "stop",
        "stream",
        "system",
        "add_task",
        "modify_task",
        "send_pr",
        "push",
        "summarize",
        "loop_recovery",
    }
)
SKIPPED_KINDS: Final = frozenset(
    {
        "SystemPromptEvent",
        "PauseEvent",
        "ConversationStateUpdateEvent",
        "ConversationErrorEvent",
        "LLMCompletionLogEvent",
        "TokenEvent",
        "CondensationRequest",
        "CondensationSummaryEvent",
    }
)
ANSWERS: Final = frozenset({"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"})
ASIDE: Final = frozenset({"thought", "kernel_init_code", "translated_ipython_code"})
BARE: Final = ASIDE | {
    "action",
    "action_risk",
    "is_confirmed",
    "keep_prompt",
    "confirmation_state",
    "security_risk",
    "id",
    "source",
    "timestamp",
    "message",
}


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for."""
    history: History | None = None
    held: Fields = {}
    for part in parts(source, counts):
        if history is None or (part.document != history.document and not _lone(held)):
            if history is not None:
                yield from history.rest()
            history, held = History(source, counts, part.document, attempts=attempts), {}
        elif part.document != history.document:
            # One event a line: all of them are one history.
            yield from history.take(part.line_no, part.document, held)
            history.document, held = part.document, {}
        if part.listed and part.key in ("", "history"):
            yield from history.listed(part)
        else:
            held[part.key] = part.value
    if history is not None:
        if _lone(held):
            yield from history.take(1, history.document, held)
        yield from history.rest()


def is_event(value: Json) -> bool:
    """Whether a value is an event of a history, old or new."""
    match value:
        case {"action": str(), "args": dict()} | {"observation": str(), "content": _}:
            return True
        case {"action": "message", "content": str()}:
            return True
        case {"kind": str(kind), "source": str()}:
            return kind in SKIPPED_KINDS | ANSWERS | {"ActionEvent", "MessageEvent"}
        case [dict(first), dict()]:
            return is_event(first)
        case _:
            return False


def _lone(held: Fields) -> bool:
    """Whether the members of a value are an event, and not a row around a history."""
    return "action" in held or "observation" in held or "kind" in held


class History:
    """One history being read: what was asked last, and all that is open."""

    def __init__(self, source: Source, counts: Counts, document: int, *, attempts: bool) -> None:
        self.document = document
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._session = source.name if document == 1 else f"{source.name}.{document}"
        self._last = ""
        self._cwd: Json = None  # as the last command left it

    def listed(self, part: Part) -> Iterator[Line]:
        """The events of an element: an event, or an action with its observation."""
        pair = part.value if isinstance(part.value, list) else [part.value]
        for place, value in enumerate(pair):
            yield from self.take(part.line_no, part.place * 2 + place, object_of(value))

    def take(self, line_no: int, place: int, event: Fields) -> Iterator[Line]:
        """The events that one event of the history completes."""
        own = event.get("id")
        key = str(own) if isinstance(own, int | str) and own != "" else f"p{place}"
        if isinstance(event.get("kind"), str) and not isinstance(event.get("action"), str):
            yield from self._sdk(line_no, key, event)
        elif "observation" in event:
            yield from self._observed(line_no, event)
        elif "action" in event:
            yield from self._acted(line_no, key, event)
        else:
            self._counts.unknown[", ".join(sorted(event)[:3])] += 1

    def rest(self) -> Iterator[Line]:
        """The calls that never ended."""
        yield from self._pairing.rest()

    def _acted(self, line_no: int, key: str, event: Fields) -> Iterator[Line]:
        kind = str(event.get("action"))
        by_agent = event.get("source") in (None, "agent")
        if kind in TOOLS and by_agent:
            yield from self._asked(line_no, key, event, TOOLS[kind])
        elif kind == "message":
            yield from self._message(line_no, key, event)
        elif kind == "finish" and by_agent:
            yield from self._pairing.told(line_no, {**self._event(key, event), "kind": "turn"})
        elif kind == "condensation":
            yield from self._pairing.told(line_no, {**self._event(key, event), "kind": "compact"})
        elif kind not in SKIPPED and not (kind in TOOLS or kind == "finish"):
            self._counts.unknown[f"action/{kind}"] += 1

    def _asked(self, line_no: int, key: str, event: Fields, tool: str) -> Iterator[Line]:
        metadata, args = object_of(event.get("tool_call_metadata")), event.get("args")
        left = ASIDE if isinstance(args, dict) else BARE
        given = object_of(args) or event
        fields = {
            **self._event(key, event),
            "call_id": word(metadata.get("tool_call_id")),
            "batch_id": word(object_of(metadata.get("model_response")).get("id")),
            "tool": word(given.get("name")) if tool == "mcp" else None,
            "arguments": shallow({n: v for n, v in given.items() if n not in left}),
        }
        fields["tool"] = fields["tool"] or word(metadata.get("function_name")) or tool
        self._last = key
        yield from self._pairing.asked(line_no, key, fields)

    def _observed(self, line_no: int, event: Fields) -> Iterator[Line]:
        cause = event.get("cause")
        key = self._last if cause is None else str(cause)
        if self._pairing.held(key) is not None:
            at = {"occurred_at": _moment(event.get("timestamp"))}
            end = ended(event)
            self._cwd = end.get("cwd") or self._cwd
            yield from self._pairing.ended(line_no, key, {**at, **end})

    def _message(self, line_no: int, key: str, event: Fields) -> Iterator[Line]:
        args = object_of(event.get("args")) or event
        by = event.get("source")
        if by == "agent":
            if args.get("wait_for_response") is True:
                yield from self._pairing.told(line_no, {**self._event(key, event), "kind": "turn"})
        elif by in (None, "user"):
            yield from self._prompt(line_no, key, event, word(args.get("content")) or "")

    def _prompt(self, line_no: int, key: str, event: Fields, text: str) -> Iterator[Line]:
        if text.strip():
            arguments: Fields = {"prompt": text, "person": True}
            said = {**self._event(key, event), "kind": "prompt", "arguments": arguments}
            yield from self._pairing.told(line_no, said)

    def _sdk(self, line_no: int, key: str, event: Fields) -> Iterator[Line]:
        kind = str(event.get("kind"))
        if kind == "ActionEvent":
            yield from self._sdk_asked(line_no, key, event)
        elif kind in ANSWERS:
            yield from self._sdk_observed(line_no, event)
        elif kind == "MessageEvent":
            yield from self._sdk_message(line_no, key, event)
        elif kind == "Condensation":
            yield from self._pairing.told(line_no, {**self._event(key, event), "kind": "compact"})
        elif kind not in SKIPPED_KINDS:
            self._counts.unknown[f"kind/{kind}"] += 1

    def _sdk_asked(self, line_no: int, key: str, event: Fields) -> Iterator[Line]:
        tool, action = word(event.get("tool_name")), object_of(event.get("action"))
        if tool == "finish":
            yield from self._pairing.told(line_no, {**self._event(key, event), "kind": "turn"})
            return
        call_id = word(event.get("tool_call_id"))
        fields = {
            **self._event(key, event),
            "call_id": call_id,
            "batch_id": word(event.get("llm_response_id")),
            "tool": tool,
            "arguments": shallow({n: v for n, v in action.items() if n != "kind"}),
        }
        yield from self._pairing.asked(line_no, call_id or key, fields)

    def _sdk_observed(self, line_no: int, event: Fields) -> Iterator[Line]:
        key = word(event.get("tool_call_id")) or word(event.get("action_id")) or ""
        at = {"occurred_at": _moment(event.get("timestamp"))}
        yield from self._pairing.ended(line_no, key, {**at, **sdk_ended(event)})

    def _sdk_message(self, line_no: int, key: str, event: Fields) -> Iterator[Line]:
        if event.get("source") == "user":
            content = object_of(event.get("llm_message")).get("content")
            yield from self._prompt(line_no, key, event, texts(content))
        else:
            yield from self._pairing.told(line_no, {**self._event(key, event), "kind": "turn"})

    def _event(self, key: str, event: Fields) -> Fields:
        return {
            "session_id": self._session,
            "event_id": f"{self._session}:{key}",
            "occurred_at": _moment(event.get("timestamp")),
            "cwd": self._cwd,
        }


def _moment(text: Json) -> str | None:
    """A time without a zone, taken as UTC."""
    if not isinstance(text, str) or not text:
        return None
    return text if text.endswith("Z") or "+" in text[10:] else f"{text}Z"
