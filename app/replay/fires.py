"""Firings, each with the event it happened at, so that a person can judge it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Final, TypeAlias

from app.classification.storage import redact
from app.domain.entries import session_of
from app.domain.events import Event, Json
from app.domain.tables import plain
from app.replay.lines import Line
from app.replay.transitions import How, Transition

LONGEST: Final = 100  # characters of a call that are shown

Identity: TypeAlias = tuple[int, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fire:
    """A rule that tripped and was not latched.

    `seq` is the event's number in the run, from 1, the same under every configuration; `turn`
    counts the session's finished calls, as do `calls`, those behind the counter.
    """

    seq: int
    log: str
    line: int
    scope: str
    turn: int
    call: str  # what the event was: the tool and the beginning of its arguments
    rule: str
    key: str
    value: float
    threshold: float
    how: How
    reason: str
    calls: tuple[int, ...]

    @property
    def identity(self) -> Identity:
        """What makes it the same firing under another configuration."""
        return self.seq, self.scope, self.rule, self.key


def fires(found: Iterable[Transition], line: Line, seq: int) -> Iterator[Fire]:
    """The firings among the transitions of one event: each check once, whatever it wrote."""
    seen: set[tuple[str, str]] = set()
    for one in found:
        if one.rule is None or one.how == "standing" or (one.rule, one.key) in seen:
            continue
        seen.add((one.rule, one.key))
        yield Fire(
            seq=seq,
            log=line.log,
            line=line.line_no,
            scope=line.event.scope,
            turn=one.turn,
            call=call_text(line.event),
            rule=one.rule,
            key=one.key,
            value=one.value or 0.0,
            threshold=one.threshold or 0.0,
            how=one.how,
            reason=one.reason,
            calls=one.calls,
        )


def call_text(event: Event) -> str:
    """A call in a few words, without secrets; of any other event its kind."""
    if event.tool is None:
        return event.kind
    arguments = json.dumps(event.arguments, ensure_ascii=False) if event.arguments else ""
    text = f"{event.tool} {redact(arguments)}".strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def fire_json(fire: Fire) -> dict[str, Json]:
    """One firing."""
    return {**asdict(fire), "session": session_of(fire.scope), "calls": [*fire.calls]}


def fire_line(fire: Fire) -> str:
    """One firing: where, which call, what came of it, and the evidence."""
    numbers = ", ".join(map(str, fire.calls))
    turns = f" (turn{'s' if len(fire.calls) > 1 else ''} {numbers})" if numbers else ""
    where = f"turn {fire.turn} of {fire.scope}, line {fire.line} of {fire.log}"
    return plain(f"{where}: {fire.call}; {fire.how}: {fire.reason}{turns}")
