"""Trajectories of SWE-agent and mini-swe-agent, and rows of the nebius set.

    trajectory of steps   {"action", "observation", "state", "execution_time"?}
    trajectory of texts   {"role": "ai" or "user", "text"}: the action is the last fenced block
    history alone         messages with `tool_calls` and their answers
    messages of mini      the action is the fenced block or stands in `extra`; `<returncode>`

No file names its session, and no step has a time or an id. SWE-agent keeps no exit code either:
only the words of an observation say how a step ended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from app.domain.events import Json
from app.replay.claude_lines import blocks
from app.replay.documents import Part, parts
from app.replay.lines import (
    Counts,
    Fields,
    Line,
    Source,
    amount,
    object_of,
    shallow,
    taken,
    texts,
    word,
)
from app.replay.pairing import Pairing
from app.replay.swe_outcomes import ended

HARNESS: Final = "swe_agent"
SHELL: Final = "bash"
# Commands of the agent's own interface; every other action is a shell line.
COMMANDS: Final = frozenset(
    {"open", "goto", "scroll_up", "scroll_down", "search_dir", "search_file", "find_file"}
)
WRITING: Final = frozenset({"edit", "insert", "append", "create", "undo_edit"})
EDITOR: Final = "str_replace_editor"
LISTS: Final = frozenset({"trajectory", "history", "messages", ""})
_FENCED: Final = re.compile(r"```(?:[a-zA-Z_-]*)\n(.*?)```", re.DOTALL)


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for."""
    run: Run | None = None
    for part in parts(source, counts):
        if run is None or part.document != run.document:
            if run is not None:
                yield from run.rest()
            run = Run(source, counts, part.document, attempts=attempts)
        yield from run.take(part)
    if run is not None:
        yield from run.rest()


class Run:
    """One trajectory being read: its last action, until its observation comes."""

    def __init__(self, source: Source, counts: Counts, document: int, *, attempts: bool) -> None:
        self.document = document
        self._counts = counts
        self._pairing = Pairing(source, counts, HARNESS, attempts=attempts)
        self._session = source.name if document == 1 else f"{source.name}.{document}"
        self._walked = False  # a trajectory was seen: its history tells the same once more
        self._prompted = False
        self._waiting: list[str] = []
        self._place = 0

    def take(self, part: Part) -> Iterator[Line]:
        """The events that one part completes."""
        value = object_of(part.value)
        if part.key == "info":
            yield from self._cost(part.line_no, object_of(value.get("model_stats")))
        if part.key not in LISTS or not part.listed:
            return
        self._place = part.place
        if part.key == "trajectory":
            self._walked = True
            yield from self._step(part.line_no, value)
        elif not (self._walked and part.key == "history"):
            yield from self._message(part.line_no, value)

    def rest(self) -> Iterator[Line]:
        """The last action, where no observation came."""
        yield from self._pairing.rest()

    def _step(self, line_no: int, step: Fields) -> Iterator[Line]:
        action, text = step.get("action"), step.get("text")
        if isinstance(action, str):
            if action.strip():
                state = _state(step.get("state"))
                yield from self._asked(line_no, *_called(action, state), state)
                seconds = step.get("execution_time")
                yield from self._answered(line_no, step.get("observation"), seconds)
        elif isinstance(text, str):
            role = "assistant" if step.get("role") == "ai" else step.get("role")
            yield from self._message(line_no, {"role": role, "content": text})
        else:
            self._counts.unknown["step"] += 1

    def _message(self, line_no: int, message: Fields) -> Iterator[Line]:
        match message.get("role"):
            case "assistant":
                for tool, arguments in _asked_by(message):
                    yield from self._asked(line_no, tool, arguments, {})
            case "user" | "tool":
                yield from self._heard(line_no, message)
            case "system" | "exit":
                pass
            case role:
                self._counts.unknown[f"role {role}"] += 1

    def _heard(self, line_no: int, message: Fields) -> Iterator[Line]:
        """An observation where one is waited for; the first other text is the task."""
        if self._waiting:
            yield from self._answered(line_no, message, None)
        elif not self._prompted:
            self._prompted = True
            arguments: Fields = {"prompt": texts(message.get("content")), "person": True}
            said = {**self._event("prompt"), "kind": "prompt", "arguments": arguments}
            yield from self._pairing.told(line_no, said)

    def _asked(self, line_no: int, tool: str, arguments: Fields, state: Fields) -> Iterator[Line]:
        key = f"{self._place}.{len(self._waiting)}"
        self._waiting.append(key)
        fields = {
            **self._event(key),
            "tool": tool,
            "arguments": shallow(arguments),
            "cwd": word(state.get("working_dir")),
        }
        yield from self._pairing.asked(line_no, key, fields)

    def _answered(self, line_no: int, observation: Json, seconds: Json) -> Iterator[Line]:
        if self._waiting:
            key = self._waiting.pop(0)
            tool = object_of(self._pairing.held(key)).get("tool")
            end = ended(observation, shell=tool == SHELL)
            yield from self._pairing.ended(line_no, key, {**end, "duration_ms": _whole(seconds)})

    def _cost(self, line_no: int, stats: Fields) -> Iterator[Line]:
        usage = {
            "input_tokens": stats.get("tokens_sent"),
            "output_tokens": stats.get("tokens_received"),
            "cost": amount(stats.get("instance_cost")),
        }
        if any(usage.values()):
            said = {**self._event("usage"), "kind": "usage", "usage": usage}
            yield from self._pairing.told(line_no, said)

    def _event(self, part: str) -> Fields:
        return {"session_id": self._session, "event_id": f"{self._session}:{part}"}


def _called(action: str, state: Fields) -> tuple[str, Fields]:
    """The tool of an action: a command of the interface, or the shell."""
    name, _, rest = action.strip().partition("\n")[0].partition(" ")
    if name == EDITOR:
        verb, _, path = rest.partition(" ")
        return EDITOR, {"command": verb, "path": path.split(" ")[0], "input": action}
    if name == "create":
        return "create_file", {"path": rest.strip().strip("'\""), "content": ""}
    if name in WRITING:
        return "edit", {"path": word(state.get("open_file")), "input": action}
    if name in COMMANDS or name == "submit":
        return name, {"input": rest}
    return SHELL, {"command": action}


def _asked_by(message: Fields) -> Iterator[tuple[str, Fields]]:
    """The calls of a message, in whichever way it asks for them."""
    extra = object_of(message.get("extra")).get("actions")
    if isinstance(extra, list) and extra:
        yield from ((SHELL, {"command": _command(action)}) for action in extra)
        return
    tools = blocks(message.get("tool_calls"))
    for tool in tools:
        function = object_of(tool.get("function"))
        yield _function(word(function.get("name")) or "", function.get("arguments"))
    if tools:
        return
    action = word(message.get("action"))
    fenced = _FENCED.findall(texts(message.get("content")))
    if action is not None:
        yield _called(action, {})
    elif fenced and fenced[-1].strip():
        yield _called(fenced[-1], {})


def _function(name: str, arguments: Json) -> tuple[str, Fields]:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    value = taken(given.encode("utf-8", "replace"))
    fields: Fields = {"input": given} if isinstance(value, str) else value
    return ("edit" if name in WRITING - {"create"} else name or SHELL), fields


def _command(action: Json) -> Json:
    return action if isinstance(action, str) else object_of(action).get("command")


def _state(state: Json) -> Fields:
    """Where the agent is: an object, or one in a string; `n/a` is nothing."""
    value = taken(state.encode("utf-8", "replace")) if isinstance(state, str) else state
    return {name: held for name, held in object_of(_json(value)).items() if held != "n/a"}


def _json(value: Json | Fields) -> Json:
    return value


def _whole(seconds: Json) -> int | None:
    number = amount(seconds)
    return round(number * 1000) if number is not None and number < 1e9 else None
