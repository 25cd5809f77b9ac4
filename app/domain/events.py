"""What a harness reports: one neutral event, the same for every harness.

An event says what happened and nothing about what it means; the edge adds a `Reading`
(calls.py) before the event is appended, so that no fold has to classify anything again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

EventKind = Literal[
    "tool",
    "attempt",
    "prompt",
    "turn",
    "compact",
    "session_start",
    "session_end",
    "usage",
    "artifact",  # what a mode wants handed over: a diagnosis, an assessment, a plan
    "note",  # anything else a harness says about a session; it counts nowhere
]
Outcome = Literal[
    "ok", "error", "timeout", "denied", "blocked", "cancelled", "interrupted", "unknown"
]
DeniedBy = Literal["harness", "person", "controller"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestCounts:
    """How many tests a run reported; None where the harness did not say."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    skipped: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """A coverage report: percentages from 0 to 100, and what no test reaches."""

    percent: float | None = None
    required: float | None = None
    uncovered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a turn cost: tokens, money in the harness's own currency, seconds."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing a harness reports (docs/design.md 9); everything but the session may be unknown."""

    session_id: str
    kind: EventKind = "tool"
    harness: str = "custom"
    event_id: str | None = None
    agent_id: str | None = None
    parent_agent_id: str | None = None
    turn_id: str | None = None
    batch_id: str | None = None
    call_id: str | None = None
    tool: str | None = None
    arguments: Mapping[str, Json] = field(default_factory=dict)
    outcome: Outcome = "unknown"
    denied_by: DeniedBy | None = None
    rule: str | None = None
    exit_code: int | None = None
    result: str | None = None
    duration_ms: int | None = None
    context_tokens: int | None = None
    context_limit: int | None = None
    usage: Usage | None = None
    tests: TestCounts | None = None
    coverage: Coverage | None = None
    occurred_at: str | None = None  # RFC 3339, UTC
    cwd: str | None = None
    permission_mode: str | None = None

    @property
    def scope(self) -> str:
        """The narrowest scope this event belongs to: the session, or the session's agent."""
        return f"{self.session_id}/{self.agent_id}" if self.agent_id else self.session_id
