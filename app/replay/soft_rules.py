"""Recorded sessions under soft rules: what would have been stopped, and how the rate went.

    Softly(core)          the feed of a replay that looks at each draw
    Softly.sessions       what became of each session
    lines, as_json        the same for people and for programs

Each call is first judged as if the harness had asked; the end of one that is denied is left out.
What a session did then stands in its file: an agent really stopped might have done otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Any, Final, NamedTuple

from app.domain.events import Event, Json
from app.domain.inert import inert
from app.replay.lines import Call, Line, call_of
from app.replay.run import Core
from app.replay.tally import Heard
from app.service.intake import Answer

CAVEAT: Final = (
    "A call that would have been denied counts as not run; all else is what the file says, and an"
    " agent that had really been stopped might have acted otherwise."
)
LEGEND: Final = (
    "asked, stopped: draws of soft rules, and those that stopped a call; freed: let through by"
    " backoff alone; again, escal.: blocks of a step just blocked, and escalations, by any rule;"
    " low, last: the lowest rate and the last."
)
TENTHS: Final = 10
SHORT: Final = 22  # characters of a session's name in a table
COUNTED: Final = ("blocked", "blocked_then_blocked", "escalations")


class Draw(NamedTuple):
    """One lot that a soft rule drew for one attempt."""

    attempt: int  # its number in the session, from 1
    rule: str
    rate: float
    induced: float
    came: str  # stopped, let_through (at rest it would have been stopped), or passed


@dataclass(slots=True, kw_only=True)
class Softly:
    """What soft rules drew in each session, in the order of the sessions' first events."""

    core: Core
    sessions: dict[str, list[Draw]] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    _denied: set[Call] = field(default_factory=set)  # whose end has not come

    def feed(self, lines: Iterable[Line]) -> Iterator[tuple[Line, Heard]]:
        """What each event comes to; a call that was denied has not run, so its end is left out."""
        for line in lines:
            event = line.event
            if event.kind == "tool" and call_of(event) in self._denied:
                self._denied.discard(call_of(event))
                continue
            heard = self.core.take(event)
            if isinstance(heard, Answer):
                self._take(event, heard)
            yield line, heard

    def _take(self, event: Event, heard: Answer) -> None:
        draws = self.sessions.setdefault(event.session_id, [])
        if event.kind != "attempt" or heard.duplicate:
            return
        if heard.verdict == "deny":
            self._denied.add(call_of(event))
        number = self.attempts.get(event.session_id, 0) + 1
        self.attempts[event.session_id] = number
        entry = self.core.memory.get(heard.seq)
        said: Any = None if entry is None else entry.body.get("soft")
        asked = said if isinstance(said, list) else ()
        draws += (_draw(number, each) for each in asked if "draw" in each)


def _draw(attempt: int, said: Mapping[str, Any]) -> Draw:
    if said["intervened"]:
        came = "stopped"
    else:
        came = "let_through" if float(said["draw"]) < float(said["base_rate"]) else "passed"
    return Draw(attempt, said["rule"], said["rate"], said["induced"], came)


def row(softly: Softly, sessions: Iterable[str]) -> dict[str, Json]:
    """What became of some sessions: of all rules what was blocked, of soft rules what they drew."""
    named = [*sessions]
    counted = softly.core.interventions(named)
    draws = [draw for name in named for draw in softly.sessions[name]]
    rates = [draw.rate for draw in draws]
    return {
        "attempted": sum(softly.attempts.get(name, 0) for name in named),
        **{key: counted[key] for key in COUNTED},
        "asked": len(draws),
        "stopped": sum(draw.came == "stopped" for draw in draws),
        "let_through": sum(draw.came == "let_through" for draw in draws),
        "lowest_rate": min(rates, default=None),
        "last_rate": rates[-1] if rates else None,
    }


def as_json(softly: Softly) -> dict[str, Json]:
    """Each session with all its draws, and all of them together."""
    return {
        "caveat": CAVEAT,
        "sessions": [
            {"session": name, **row(softly, [name]), "draws": [draw._asdict() for draw in draws]}
            for name, draws in softly.sessions.items()
        ],
        "totals": row(softly, softly.sessions),
    }


def lines(softly: Softly) -> Iterator[str]:
    """A line for each session in which a soft rule was asked, one for all, and what that means."""
    shown = [name for name, draws in softly.sessions.items() if draws]
    head = ("session", "calls", "asked", "stopped", "freed", "again", "escal.", "low", "last")
    rows = [(_short(name), *_cells(row(softly, [name]))) for name in shown]
    total = (f"all {len(softly.sessions):,}", *_cells(row(softly, softly.sessions)))
    first, *others, last = _columns([head, *rows, total])
    yield first
    for name, line in zip(shown, others, strict=True):
        yield line
        yield from _moving(softly.sessions[name])
    yield last
    quiet = len(softly.sessions) - len(shown)
    if quiet:
        yield f"In {quiet:,} of {len(softly.sessions):,} sessions no soft rule was asked."
    yield LEGEND
    yield CAVEAT


def _moving(draws: Sequence[Draw]) -> Iterator[str]:
    """The rate over time, in tenths of the session's draws; nothing where it stayed as it was."""
    rates = [draw.rate for draw in draws]
    if min(rates) == max(rates):
        return
    ends = [len(rates) * part // TENTHS for part in range(TENTHS + 1)]
    parts = [rates[start:end] for start, end in pairwise(ends) if end > start]
    yield f"  rate over time: {' '.join(f'{fmean(part):.2f}' for part in parts)}"


def _cells(found: Mapping[str, Json]) -> tuple[str, ...]:
    names = ("attempted", "asked", "stopped", "let_through", "blocked_then_blocked", "escalations")
    rates = (found[name] for name in ("lowest_rate", "last_rate"))
    shown = ("-" if rate is None else f"{rate:.2f}" for rate in rates)
    return (*(f"{found[name]:,}" for name in names), *shown)


def _short(name: str) -> str:
    shown = inert(name)
    return shown if len(shown) <= SHORT else f"{shown[: SHORT - 1]}~"


def _columns(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for each in rows:
        cells = (f"{cell:>{width}}" for cell, width in zip(each[1:], widths[1:], strict=True))
        yield "  ".join((f"{each[0]:<{widths[0]}}", *cells))
