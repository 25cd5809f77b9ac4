"""What a replay tells of verdicts: each call that would be denied, or put to a person.

A file tells what ran, so a call that would have been denied still counts as what came of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from app.domain.entries import session_of
from app.domain.events import Event, Json
from app.service.intake import Answer

_PREFIX: Final = re.compile(r"\[floorboss \d+\] ")


@dataclass(slots=True, kw_only=True)
class Stopped:
    """One call that would have been stopped.

    `turn` is the call's number in its session, from 1, and `outcome` how the file says it ended;
    both None where the file does not say. `line` is where it was asked for.
    """

    line: int
    scope: str
    tool: str
    verdict: str  # ask or deny
    rule: str
    mode: str
    reason: str
    turn: int | None = None
    outcome: str | None = None


def stopped(event: Event, line_no: int, said: Answer) -> Stopped | None:
    """The call that an attempt asked for, where its verdict is not `none`.

    Under settings that only observe it is the verdict that enforcement would give.
    """
    verdict = said.would or said.verdict
    if verdict in (None, "none"):
        return None
    return Stopped(
        line=line_no,
        scope=event.scope,
        tool=event.tool or "",
        verdict=str(verdict),
        rule=said.rule or "",
        mode=said.mode,
        reason=_PREFIX.sub("", said.reason or "", count=1),
    )


def stopped_json(found: Stopped) -> dict[str, Json]:
    """One of them."""
    return {
        "turn": found.turn,
        "line": found.line,
        "scope": found.scope,
        "tool": found.tool,
        "verdict": found.verdict,
        "rule": found.rule,
        "mode": found.mode,
        "reason": found.reason,
        "outcome": found.outcome,
    }


def stopped_line(found: Stopped, *, several: bool = False) -> str:
    """One of them; where there are `several` sessions, with its own."""
    turn = "no turn" if found.turn is None else f"turn {found.turn}"
    named = several or found.scope != session_of(found.scope)
    where = f"{turn}{f' of {found.scope}' if named else ''}, line {found.line}"
    ended = f", ended {found.outcome}" if found.outcome else ""
    return f"{where}{ended}  {found.verdict}  {found.rule}: {found.tool}: {found.reason}"
