"""What the log can say. An entry is one row of `controls`; a draft is an entry without its place.

observed    a harness reported something
decided     a harness asked before a call
applied     something takes effect
proposed    something waits for a person
approved    a person said yes
dismissed   a person said no
reverted    a person took an applied entry back
ended       an effect is over
refused     an attempt that was not allowed
configured  the configuration in force
gap         what could not be logged, counted
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from app.domain.events import Json
from app.domain.replacing import made

Kind = Literal[
    "observed",
    "decided",
    "applied",
    "proposed",
    "approved",
    "dismissed",
    "reverted",
    "ended",
    "refused",
    "configured",
    "gap",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
Direction = Literal["tighten", "loosen", "neutral"]
EVERYWHERE = "*"  # the scope of all sessions
MACHINE = "machine"  # the actor of every entry that no person and no harness asked for

Action = Literal[
    "tool",
    "prompt",
    "turn",
    "compaction",
    "session",
    "usage",
    "artifact",  # observed and decided
    "mode",
    "policy",
    "compact",
    "model",
    "notice",
    "configuration",  # what can be in force
]
RESTRICTIONS: tuple[Action, ...] = ("mode", "policy")  # the actions that hold restrictions


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry that has no place in the log yet."""

    kind: Kind
    scope: str
    action: Action
    actor: str
    direction: Direction = "neutral"
    ref: int | None = None
    dedup_key: str | None = None
    body: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)  # wide: see replacing.py
class Entry:
    """One row of the log. `at` is UTC in RFC 3339 with milliseconds; `seq` starts at 1."""

    seq: int
    at: str
    kind: Kind
    scope: str
    action: Action
    actor: str
    direction: Direction = "neutral"
    ref: int | None = None
    dedup_key: str | None = None
    body: Mapping[str, Json] = field(default_factory=dict)
    hash: str = ""  # 64 hex digits; empty outside a store (replay)

    @property
    def session(self) -> str:
        """The session this entry belongs to, or `*`."""
        return self.scope.partition("/")[0]


def session_of(scope: str) -> str:
    """The session a scope lies in: `s` for both `s` and `s/agent`, `*` for `*`."""
    return scope.partition("/")[0]


def agent_of(scope: str) -> str:
    """The agent a scope names, or the empty string for the session's main agent."""
    return scope.partition("/")[2]


def place(draft: Draft, seq: int, at: str, digest: str = "") -> Entry:
    """The entry that `draft` becomes at place `seq` and time `at`."""
    return made(
        Entry,
        {
            "seq": seq,
            "at": at,
            "kind": draft.kind,
            "scope": draft.scope,
            "action": draft.action,
            "actor": draft.actor,
            "direction": draft.direction,
            "ref": draft.ref,
            "dedup_key": draft.dedup_key,
            "body": draft.body,
            "hash": digest,
        },
    )
