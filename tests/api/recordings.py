"""What real clients posted: one payload a line, and who among them can be told apart by an id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "cases" / "claude_hooks"
ROUTE: Final = "/hooks/claude-code"
Payload = dict[str, Any]


def names() -> list[str]:
    """All recordings, as version/case."""
    return sorted(str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.rglob("*.jsonl"))


def payloads(name: str) -> list[Payload]:
    """The payloads of one recording, in the order in which they came."""
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def has_id(payload: Payload) -> bool:
    """Whether a repeated payload can be recognised: calls by their ids, prompts by theirs."""
    hook = payload["hook_event_name"]
    return "tool_use_id" in payload or hook in ("PostToolBatch", "UserPromptSubmit")


def call_ids(lines: list[Payload]) -> set[str]:
    """The calls that a recording is about."""
    single = {str(line["tool_use_id"]) for line in lines if "tool_use_id" in line}
    batched = {call["tool_use_id"] for line in lines for call in line.get("tool_calls", ())}
    return single | batched
