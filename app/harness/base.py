"""What every way in shares: why an input was not taken, and what a hook reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.domain.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why an input was not taken: a stable code, a sentence without any input, an HTTP status."""

    code: str
    detail: str
    status: int = 400
    at: str = ""  # where: a path of known field names, an index or a line; empty: the whole body


Closes = Literal["nothing", "agent", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one call of a harness's hook says, and which calls it says are over.

    `closes` names whose calls have ended if nothing was heard of their end: those of `scope`
    alone, or of the whole session. `batched` events are told a second time or for the only time:
    they count where no end of their call was seen.
    """

    hook: str  # as the harness names it; empty: it did not say
    scope: str
    events: tuple[Event, ...]
    closes: Closes = "nothing"
    batched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What floorboss says to a hook, before it is put into the harness's own words."""

    verdict: str = "none"  # none, ask or deny; only for attempts
    reason: str | None = None
    ends_turn: bool = False  # the agent's turn shall end with this denial, or this batch
    context: str | None = None  # for the agent
    message: str | None = None  # for the person
