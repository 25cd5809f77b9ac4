"""What Claude hands over in its own ways: the plan it asks a person about, and fenced blocks.

    plan(payload, base)      the input of ExitPlanMode
    blocks(payload, base)    blocks of a turn's last message whose info string says `floorboss`

A block is read as CommonMark reads fenced code: what stands inside another block is that block's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from app.domain.events import Event, Json
from app.harness.claude_code import fields

PLAN_TOOL: Final = "ExitPlanMode"
PLAN: Final = "plan"
NAME: Final = "floorboss"  # the first word of a block's info string
MOST: Final = 8  # blocks of one message
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\r\n]*?)[ \t]*\r?")


class Block(NamedTuple):
    """A fenced block of ours: the word behind our name, if any, and what stands in it."""

    kind: str | None
    text: str


def plan(payload: Mapping[str, Json], base: Event) -> tuple[Event, ...]:
    """The plan that an attempt to leave Claude's plan mode shows to a person."""
    given = payload.get("tool_input")
    text = given.get("plan") if isinstance(given, dict) else None
    if payload.get("tool_name") != PLAN_TOOL or not isinstance(text, str) or not text.strip():
        return ()
    said: dict[str, Json] = {"kind": PLAN, "text": fields.shortened(text)}
    call_id = fields.name_of(payload.get("tool_use_id"))
    return (replace(base, kind="artifact", call_id=call_id, arguments=said),)


def blocks(payload: Mapping[str, Json], base: Event) -> tuple[Event, ...]:
    """The artifacts in the last message of a turn."""
    message = payload.get("last_assistant_message")
    if not isinstance(message, str) or NAME not in message.lower():
        return ()
    return tuple(_artifact(block, base) for block in found(fields.shortened(message)))


def _artifact(block: Block, base: Event) -> Event:
    kind: dict[str, Json] = {} if block.kind is None else {"kind": block.kind}
    return replace(base, kind="artifact", arguments={**kind, **_content(block.text)})


def _content(text: str) -> dict[str, Json]:
    """A JSON object of texts is an artifact's parts; everything else is its text."""
    try:
        parts = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, dict) or not parts:
        return {"text": text}
    if not all(isinstance(part, str) for part in parts.values()):
        return {"text": text}
    return {"parts": {_whole(name): _whole(part) for name, part in parts.items()}}


def _whole(text: str) -> str:
    """The text without half characters, which JSON can spell."""
    return text.encode("utf-8", "replace").decode()


def found(message: str) -> tuple[Block, ...]:
    """Our blocks in a message, in order; the last ones where there are more than a few."""
    ours = (block for info, text in _fenced(message) if (block := _ours(info, text)))
    return tuple(ours)[-MOST:]


def _ours(info: str, text: str) -> Block | None:
    words = info.split()
    if not words or words[0].lower() != NAME or not text.strip():
        return None
    return Block(kind=words[1].lower() if len(words) > 1 else None, text=text)


def _fenced(message: str) -> Iterator[tuple[str, str]]:
    """Every fenced block: its info string and its content; one without an end goes to the end."""
    fence, info, lines = "", "", list[str]()
    for line in message.split("\n"):
        mark = _FENCE.fullmatch(line)
        if not fence:
            if mark is not None and not (mark[1][0] == "`" and "`" in mark[2]):
                fence, info, lines = mark[1], mark[2], []
        elif mark is not None and not mark[2] and mark[1].startswith(fence):
            yield info, "\n".join(lines)
            fence = ""
        else:
            lines.append(line)
    if fence:
        yield info, "\n".join(lines)
