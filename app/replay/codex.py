"""Rollouts of Codex CLI: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`.

    session_meta    whose file it is; a subagent's calls belong to the session that started it
    turn_context    where, and what may run unasked
    response_item   calls and their outputs, paired by call id
    event_msg       prompts of a person, tokens, ends of turns, and how calls ended
    compacted       the context was cut

Before September 2025 lines were bare: items without a wrapper, times or events around them.
Items that later versions add say nothing until they are known here: they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from app.domain.events import Json
from app.replay.codex_outcomes import ended, of_end
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    number,
    object_of,
    shallow,
    taken,
    texts,
    through,
    word,
)
from app.replay.pairing import Pairing

HARNESS: Final = "codex"
WRAPPED: Final = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication_metadata",
    }
)
CALLS: Final = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"}
)
OUTPUTS: Final = frozenset(
    {"function_call_output", "custom_tool_call_output", "tool_search_output"}
)
HOSTED: Final[Mapping[str, str]] = {  # run by the model's host; there is no output
    "web_search_call": "web_search",
    "image_generation_call": "image_generation",
}
SKIPPED_ITEMS: Final = frozenset({"message", "reasoning", "ghost_snapshot", "agent_message"})
ITEMS: Final = CALLS | OUTPUTS | HOSTED.keys() | SKIPPED_ITEMS
BARE: Final = frozenset({"role", "call_id", "summary"})  # one of these stands in an unwrapped item
ENDS: Final = frozenset(
    {
        "exec_command_end",
        "patch_apply_end",
        "mcp_tool_call_end",
        "dynamic_tool_call_response",
    }
)
SKIPPED_EVENTS: Final = frozenset(
    {
        "agent_message",
        "agent_reasoning",
        "agent_reasoning_raw_content",
        "agent_reasoning_section_break",
        "collab_agent_interaction_end",
        "collab_agent_spawn_end",
        "collab_close_end",
        "collab_waiting_end",
        "context_compacted",  # `compacted` says it
        "dynamic_tool_call_request",
        "entered_review_mode",
        "error",
        "exited_review_mode",
        "image_generation_end",
        "item_completed",
        "sub_agent_activity",
        "task_started",
        "thread_goal_updated",
        "thread_name_updated",
        "thread_settings_applied",
        "undo_completed",
        "view_image_tool_call",
        "web_search_end",
    }
)
# What the harness puts before the person's own words, in the person's name.
INJECTED: Final = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "<hook_prompt")
INJECTED_KINDS: Final = frozenset({"environment_context", "user_instructions"})


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for, where that stands."""
    return through(Rollout(source, counts, attempts=attempts), source, counts)


def is_codex(line: Fields) -> bool:
    """Whether a line is one of a rollout, wrapped or bare."""
    kind = word(line.get("type"))
    if isinstance(line.get("payload"), dict):
        return kind in WRAPPED
    bare = kind in ITEMS and not BARE.isdisjoint(line)
    return "record_type" in line or bare or _is_bare_head(line)


def _is_bare_head(line: Fields) -> bool:
    return "type" not in line and {"id", "timestamp", "instructions"} <= line.keys()


class Rollout:
    """One file being read: whose it is, where it works, how full its context is."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool) -> None:
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._wrapped = False
        self._said: Fields = {"session_id": None}
        self._total: Fields = {}  # tokens of the whole session
        self._now: Fields = {}  # what the last lines said: time, folder, permissions, context
        self._by_type: Mapping[str, Callable[[int, Fields], Iterator[Line]]] = {
            "session_meta": self._meta,
            "turn_context": self._context,
            "response_item": self._item,
            "event_msg": self._message,
            "compacted": self._compacted,
        }

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events that one line completes."""
        kind, payload = word(line.get("type")), line.get("payload")
        if isinstance(payload, dict):
            self._wrapped = True
            self._now["occurred_at"] = word(line.get("timestamp"))
            yield from self._wrapper(line_no, str(kind), payload)
        elif kind in ITEMS:
            yield from self._item(line_no, line)
        elif _is_bare_head(line):
            yield from self._meta(line_no, line)
        elif "record_type" not in line:
            self._counts.unknown[str(kind)] += 1

    def rest(self) -> Iterator[Line]:
        """The calls that never got a result, once the file is over."""
        yield from self._pairing.rest()

    def _wrapper(self, line_no: int, kind: str, payload: Fields) -> Iterator[Line]:
        handler = self._by_type.get(kind)
        if handler is not None:
            yield from handler(line_no, payload)
        elif kind not in WRAPPED:
            self._counts.unknown[kind] += 1

    def _meta(self, _: int, payload: Fields) -> Iterator[Line]:
        """The first one says whose file it is; later ones are of what it was forked from."""
        if self._said["session_id"] is None:
            own = word(payload.get("id"))
            spawned = object_of(object_of(payload.get("source")).get("subagent"))
            thread = object_of(spawned.get("thread_spawn")).get("parent_thread_id")
            parent = word(payload.get("parent_thread_id")) or word(thread)
            root = word(payload.get("session_id"))
            agent = own if parent is not None else None
            first = root if agent is not None and root not in (None, own) else parent
            self._said = {"session_id": first or own, "agent_id": agent}
        self._now["cwd"] = word(payload.get("cwd")) or self._now.get("cwd")
        return iter(())

    def _context(self, _: int, payload: Fields) -> Iterator[Line]:
        self._now["cwd"] = word(payload.get("cwd")) or self._now.get("cwd")
        self._now["permission_mode"] = word(payload.get("approval_policy"))
        return iter(())

    def _item(self, line_no: int, item: Fields) -> Iterator[Line]:
        kind = str(item.get("type"))
        if kind in CALLS:
            yield from self._begin(line_no, item)
        elif kind in OUTPUTS:
            yield from self._end(line_no, item)
        elif kind in HOSTED:
            yield from self._hosted(line_no, item, HOSTED[kind])
        elif kind == "message":
            yield from self._spoken(line_no, item)
        elif kind not in SKIPPED_ITEMS:
            self._counts.unknown[f"response_item/{kind}"] += 1

    def _begin(self, line_no: int, item: Fields) -> Iterator[Line]:
        call_id = word(item.get("call_id")) or word(item.get("id"))
        if call_id is None:
            self._counts.unknown[f"{item.get('type')} without id"] += 1
            return
        tool, arguments = _asked(item)
        there = word(arguments.get("workdir"))
        fields: Fields = {
            **self._event(),
            **({"cwd": there} if there is not None and there.startswith("/") else {}),
            "event_id": call_id,
            "call_id": call_id,
            "turn_id": _turn(item),
            "tool": tool,
            "arguments": shallow(arguments),
        }
        if item.get("type") == "tool_search_call" and item.get("status") == "completed":
            fields["outcome"] = "ok"  # before 0.146 nothing else tells
        yield from self._pairing.asked(line_no, call_id, fields)

    def _end(self, line_no: int, item: Fields) -> Iterator[Line]:
        call_id = word(item.get("call_id")) or ""
        held = self._pairing.held(call_id)
        if held is not None:
            noted = {name: held[name] for name in NOTED if held.get(name) is not None}
            end = ended(item.get("output"), noted)
            now = {"occurred_at": self._now.get("occurred_at"), **self._tokens()}
            yield from self._pairing.ended(line_no, call_id, {**now, **end})

    def _hosted(self, line_no: int, item: Fields, tool: str) -> Iterator[Line]:
        done, own = item.get("status") in (None, "completed"), word(item.get("id"))
        fields = {
            **self._event(),
            **self._tokens(),
            "event_id": f"hosted:{own}" if own is not None else self._pairing.name(line_no),
            "tool": tool,
            "arguments": shallow(object_of(item.get("action"))),
            "outcome": "ok" if done else "error",
        }
        yield from self._pairing.told(line_no, fields)

    def _spoken(self, line_no: int, item: Fields) -> Iterator[Line]:
        """In bare files a person's words stand nowhere else."""
        if not self._wrapped and item.get("role") == "user":
            yield from self._prompt(line_no, texts(item.get("content")), None)

    def _message(self, line_no: int, payload: Fields) -> Iterator[Line]:
        kind = str(payload.get("type"))
        if kind in ENDS:
            self._pairing.noted(word(payload.get("call_id")) or "", of_end(kind, payload))
        elif kind == "guardian_assessment":
            self._assessed(payload)
        elif kind == "token_count":
            yield from self._counted(line_no, object_of(payload.get("info")))
        elif kind == "user_message":
            text = word(payload.get("message")) or ""
            yield from self._prompt(line_no, text, payload.get("kind"))
        elif kind in ("task_complete", "turn_aborted"):
            yield from self._turned(line_no, kind)
        elif kind not in SKIPPED_EVENTS:
            self._counts.unknown[f"event_msg/{kind}"] += 1

    def _assessed(self, payload: Fields) -> None:
        """The automatic reviewer's no: the call does not run."""
        if payload.get("status") == "denied":
            denied: Fields = {"outcome": "denied", "denied_by": "harness"}
            self._pairing.noted(word(payload.get("target_item_id")) or "", denied)

    def _counted(self, line_no: int, info: Fields) -> Iterator[Line]:
        last = object_of(info.get("last_token_usage"))
        self._now["context_tokens"] = number(last.get("total_tokens"))
        self._now["context_limit"] = number(info.get("model_context_window")) or None
        total, self._total = self._total, object_of(info.get("total_token_usage"))
        usage = {
            "input_tokens": number(last.get("input_tokens")),
            "output_tokens": number(last.get("output_tokens")),
        }
        if any(usage.values()) and (not self._total or total != self._total):  # else said twice
            yield from self._told(line_no, {"kind": "usage", "usage": {**usage}})

    def _prompt(self, line_no: int, text: str, kind: Json) -> Iterator[Line]:
        if not text.strip():
            return
        injected = word(kind) in INJECTED_KINDS or text.lstrip().startswith(INJECTED)
        person = not injected and self._said.get("agent_id") is None
        if person or not injected:
            arguments: Fields = {"prompt": text, "person": person}
            yield from self._told(line_no, {"kind": "prompt", "arguments": arguments})

    def _turned(self, line_no: int, kind: str) -> Iterator[Line]:
        if kind == "turn_aborted":
            yield from self._pairing.rest()
        ended = "turn" if self._said.get("agent_id") is None else "session_end"
        yield from self._told(line_no, {"kind": ended})

    def _compacted(self, line_no: int, _: Fields) -> Iterator[Line]:
        self._now["context_tokens"] = None
        yield from self._told(line_no, {"kind": "compact"})

    def _told(self, line_no: int, fields: Fields) -> Iterator[Line]:
        name = self._pairing.name(line_no)
        yield from self._pairing.told(line_no, {**self._event(), "event_id": name, **fields})

    def _event(self) -> Fields:
        """What every event says of where and when it happened."""
        tokens = ("context_tokens", "context_limit")
        return {**self._said, **{n: v for n, v in self._now.items() if n not in tokens}}

    def _tokens(self) -> Fields:
        return {name: self._now.get(name) for name in ("context_tokens", "context_limit")}


NOTED: Final = ("outcome", "denied_by", "exit_code", "duration_ms")


def _asked(item: Fields) -> tuple[Json, Fields]:
    """The tool that an item calls, and with what."""
    match item:
        case {"type": "local_shell_call", "action": dict(action)}:
            folder = action.get("working_directory")
            return "local_shell", {"command": action.get("command"), "workdir": folder}
        case {"type": "tool_search_call"}:
            return "tool_search", object_of(item.get("arguments"))
        case {"type": "custom_tool_call", "name": name, "input": str(text)}:
            return name, _handed(name, text)
        case _:
            return _qualified(item), _parsed(item.get("arguments"))


def _handed(tool: Json, text: str) -> Fields:
    """Raw text for a tool; a patch is named as hooks name it."""
    if text.startswith("{"):
        return _parsed(text)
    return {"command" if tool == "apply_patch" else "input": text}


def _parsed(arguments: Json) -> Fields:
    if not isinstance(arguments, str):
        return object_of(arguments)
    value = taken(arguments.encode("utf-8", "replace"))
    return {"input": arguments} if isinstance(value, str) else value


def _qualified(item: Fields) -> Json:
    """A tool's name with the server it belongs to, where that stands apart."""
    name, space = item.get("name"), word(item.get("namespace"))
    if space is None or not isinstance(name, str) or name.startswith(space):
        return name
    return f"{space}{name}" if space.endswith("__") else f"{space}__{name}"


def _turn(item: Fields) -> str | None:
    passed = object_of(item.get("internal_chat_message_metadata_passthrough"))
    return word(passed.get("turn_id"))
