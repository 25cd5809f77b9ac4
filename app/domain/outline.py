"""What a reader without a token sees of an entry: names, numbers and verdicts, never text.

Prompts, arguments, results, handoffs and whatever a person wrote become their length; what stays
is named here, so that a new field is hidden until somebody decides otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from app.domain.configured import DECIDING
from app.domain.events import Json

SHOWN: Final = frozenset({
    # what a harness reported, without its text
    "kind", "harness", "event_id", "agent_id", "parent_agent_id", "turn_id", "batch_id", "call_id",
    "tool", "outcome", "denied_by", "exit_code", "duration_ms", "context_tokens", "context_limit",
    "occurred_at", "usage", "tests", "hooks", "permission_mode", "person",
    # what the edge made of it
    "class", "identity", "digest", "failed", "changed_state", "pace", "short", "effects", "ours",
    "end",
    "fingerprint",
    # what was decided, and why
    "verdict", "would", "mode", "posture", "also", "definition", "return", "approved", "standing",
    "use", "of", "limit", "void", "artifact", "prompted", "configuration", "state", "notice",
    "attempted", "by", "in_force", "handover", "valid",
    # what a model was told and answered: counts and names (briefing.py), never its own text
    "proposer", "model",
    "escalated", "ends_turn", "soft",
    # counts and configuration
    "count", "events", "verdicts", "from", "to", "profile", "enforcement",
})  # fmt: skip
CAUSE: Final = frozenset({"rule", "value", "threshold", "seqs", "target", "detail", "agent"})
RULE: Final = re.compile(r"[a-z_]{1,40}(?::[a-z0-9_.-]{1,80})?")  # a name as our rules have them
SOFT: Final = frozenset({"tools", "network", "verdict", "base_rate", "floor", "window", "strength"})
RUN: Final = frozenset({"result", "failed", "tree"})


def outline(body: Mapping[str, Json], actor: str) -> dict[str, Json]:
    """A body without text; `actor` tells whether a `why` is the machine's own words."""
    return {key: _part(key, value, actor) for key, value in body.items()}


def _part(key: str, value: Json, actor: str) -> Json:
    if key in SHOWN or (key in ("why", "rule", "digest") and actor == "machine"):
        return value
    if key == "rule" and isinstance(value, str) and RULE.fullmatch(value):
        return value
    if key == "because" and isinstance(value, list):
        return [_named(cause, CAUSE) for cause in value]
    if key == "test":
        return _run(value)
    if key == "values" and isinstance(value, dict) and any(map(_decides, value)):
        return _settings(value)
    if key in ("policy", "was"):
        return _policy(value)
    return {"length": _length(value)}


def _named(value: Json, names: frozenset[str]) -> Json:
    if not isinstance(value, dict):
        return {"length": _length(value)}
    return {key: part for key, part in value.items() if key in names}


def _run(value: Json) -> Json:
    """A test run's result, and the program that ran it; a script's name is text of the agent."""
    shown, runner = _named(value, RUN), value.get("runner") if isinstance(value, dict) else None
    if isinstance(shown, dict) and isinstance(runner, str):
        return {"runner": runner.partition(" ")[0], **shown}
    return shown


def _policy(value: Json) -> Json:
    """A mode's name and settings as they are; of a policy the posture and its lists' lengths."""
    if not isinstance(value, dict):
        return value
    if value and all(map(_decides, value)):
        return _settings(value)
    return {
        key: part if key == "posture" or part is None else {"length": len(_sized(part))}
        for key, part in value.items()
    }


def _settings(values: Mapping[str, Json]) -> Json:
    """The settings that decide are numbers and words of our tables; the others may be paths."""
    return {name: _setting(name, value) for name, value in values.items()}


def _setting(name: str, value: Json) -> Json:
    if not _decides(name):
        return {"length": _length(value)}
    table, _, rule = name.partition(".")
    if table != "soft" or not isinstance(value, dict):
        return value
    if rule:
        return _named_else_sized(value)
    return {each: _named_else_sized(inner) for each, inner in value.items()}


def _named_else_sized(rule: Json) -> Json:
    """A soft rule's verdict and numbers; what it is about may be paths and commands."""
    said = rule if isinstance(rule, dict) else {}
    return {k: v if k in SOFT else {"length": _length(v)} for k, v in said.items()}


def _decides(setting: str) -> bool:
    return setting.partition(".")[0] in DECIDING


def _sized(value: Json) -> list[Json] | dict[str, Json] | str:
    return value if isinstance(value, list | dict | str) else ""


def _length(value: Json) -> int:
    """Characters of a text, or of anything else as JSON."""
    return len(value) if isinstance(value, str) else len(json.dumps(value))
