"""Counting a replay: per file and over all of them, from what each event came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from app.domain.entries import session_of
from app.domain.events import Event, Json
from app.replay.fires import Fire, fires
from app.replay.lines import Call, Counts, Line, call_of
from app.replay.transitions import Place, Transition, returns, transitions
from app.replay.turns import Turns
from app.replay.verdicts import Stopped, stopped
from app.service.intake import Answer, Conflict

Heard: TypeAlias = Answer | Conflict  # what one event came to, by whichever way it went
WINDOW: Final = 20  # finished calls, as in the seed prototype
NEITHER: Final = frozenset({"unknown", "interrupted", "cancelled"})  # outcomes that count nowhere


@dataclass(slots=True)
class Window:
    """The seed prototype's counters over a session's last 20 calls that came to an end."""

    outcomes: tuple[str, ...] = ()
    tokens: int = 0
    limit: int = 200_000  # where the harness does not say

    def add(self, event: Event) -> None:
        """Count one event."""
        if event.kind == "tool" and event.outcome not in NEITHER:
            self.outcomes = (*self.outcomes, event.outcome)[-WINDOW:]
        self.tokens = self.tokens if event.context_tokens is None else event.context_tokens
        self.limit = event.context_limit or self.limit

    def counters(self) -> dict[str, float]:
        """Shares from 0 to 1, and how many timeouts."""
        counted, seen = Counter(self.outcomes), len(self.outcomes)
        return {
            "success_rate": round(counted["ok"] / seen, 3) if seen else 1.0,
            "denial_rate": round(counted["denied"] / seen, 3) if seen else 0.0,
            "timeout_count": counted["timeout"],
            "scope_utilization": round(self.tokens / self.limit, 3),
        }


@dataclass(slots=True, kw_only=True)
class Numbers:
    """What is counted alike for a file and for the whole run."""

    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)  # of finished calls
    verdicts: Counter[str] = field(default_factory=Counter)  # of attempts
    stopped: Counter[str] = field(default_factory=Counter)  # by the rule of the verdict
    stopping: Counter[str] = field(default_factory=Counter)  # the same calls: ask or deny
    firings: Counter[str] = field(default_factory=Counter)  # by rule, whatever they wrote
    applied: Counter[str] = field(default_factory=Counter)  # by rule; changes by the machine
    standing: int = 0  # changes by a standing approval
    proposals: Counter[str] = field(default_factory=Counter)  # by rule; ways back as `return`
    notices: Counter[str] = field(default_factory=Counter)  # by rule
    duplicates: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # events left out, by problem
    lines: int = 0
    unknown: Counter[str] = field(default_factory=Counter)  # line types
    unreadable: int = 0

    def add(self, other: Numbers) -> None:
        """Add the counts of one more file."""
        for name in ("calls", "standing", "duplicates", "lines", "unreadable"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))


COUNTERS: Final = (
    *("outcomes", "verdicts", "stopped", "stopping", "firings", "applied", "proposals", "notices"),
    *("refused", "unknown"),
)


@dataclass(slots=True, kw_only=True)
class FileReport:
    """One file: its transitions, its counts, and how its last session stands at its end."""

    log: str
    format: str = ""  # what wrote it; empty: nothing that is read here
    numbers: Numbers = field(default_factory=Numbers)
    transitions: list[Transition] = field(default_factory=list)
    fires: list[Fire] = field(default_factory=list)
    stopped: list[Stopped] = field(default_factory=list)  # calls that would not just have run
    sessions: dict[str, None] = field(default_factory=dict)  # in the order of their first event
    final_mode: str | None = None
    counters: dict[str, float] = field(default_factory=lambda: Window().counters())
    interventions: dict[str, Json] | None = None  # of its sessions so far; None: nobody can say
    faults: list[str] = field(default_factory=list)  # the first unreadable lines
    refusals: list[str] = field(default_factory=list)  # why events were left out, each once


class Tally:
    """The run so far: what a file's events need to know of the files before it."""

    def __init__(
        self,
        start_mode: str | None = None,
        context_limit: int = 200_000,
        counted: Callable[[Iterable[str]], dict[str, Json]] | None = None,
    ) -> None:
        self._counted = counted  # what was blocked in sessions, as the core that read them knows
        self.totals = Numbers()
        self.files = 0
        self.formats: Counter[str] = Counter()  # files by format
        self.sessions: set[str] = set()
        self.proposed: dict[str, None] = {}  # sessions with a proposal, in their order
        self._start_mode, self._context_limit = start_mode, context_limit
        self.events = 0  # of the run so far, those that were left out too
        self._turns = Turns()
        self._calls: Counter[str] = Counter()  # finished calls by session
        self._windows: dict[str, Window] = {}
        self._modes: dict[str, str] = {}  # by scope
        self._stopped: dict[Call, Stopped] = {}  # whose end has not come

    @property
    def nothing_readable(self) -> bool:
        """Whether there were lines, and not one that could be read."""
        return 0 < self.totals.lines == self.totals.unreadable

    def interventions(self, sessions: Iterable[str]) -> dict[str, Json] | None:
        """What was blocked in some sessions of the run; None where a daemon knows it."""
        return None if self._counted is None else self._counted(sessions)

    def together(
        self, counts: Mapping[str, Counts], heard: Iterable[tuple[Line, Heard]]
    ) -> Iterator[FileReport]:
        """Count files whose lines come mixed, each by its `log`; `counts` are read at the end."""
        reports = {log: FileReport(log=log, final_mode=self._start_mode) for log in counts}
        last: dict[str, str] = {}
        for line, said in heard:
            self.events += 1
            report = reports[line.log]
            last[line.log] = line.event.session_id
            report.sessions[line.event.session_id] = None
            if isinstance(said, Conflict):
                _left_out(report, said)
            else:
                self._heard(report, line, said)
        for log, report in reports.items():
            self._close(report, last.get(log, ""), counts[log])
            yield report

    def _heard(self, report: FileReport, line: Line, said: Answer) -> None:
        event, numbers = line.event, report.numbers
        numbers.duplicates += said.duplicate
        proposals = [entry for entry in said.fired if entry.kind == "proposed"]
        self.proposed |= dict.fromkeys(session_of(entry.scope) for entry in proposals)
        self._count(numbers, event, said)
        if said.duplicate:
            return
        self._asked(report, line, said)
        self._modes[event.scope] = said.mode
        found = list(transitions(said.fired, self._place(line, said)))
        numbers.proposals.update("return" for entry in proposals if returns(entry))
        fired = list(fires(found, line, self.events))
        numbers.firings.update(fire.rule for fire in fired)
        report.fires += fired
        for transition in found:
            self._told(numbers, transition)
        report.transitions += found

    def _count(self, numbers: Numbers, event: Event, said: Answer) -> None:
        """Number a finished call; one that was counted in this run keeps its number."""
        if event.kind == "attempt" and not said.duplicate:
            numbers.verdicts[said.verdict or "none"] += 1
        if said.seq in self._turns:
            return
        window = self._windows.setdefault(event.session_id, Window(limit=self._context_limit))
        window.add(event)
        if event.kind == "tool":
            self._calls[event.session_id] += 1
            self._turns[said.seq] = self._calls[event.session_id]
            numbers.calls += 1
            numbers.outcomes[event.outcome] += 1

    def _asked(self, report: FileReport, line: Line, said: Answer) -> None:
        """Keep a call that would have been stopped, and how the file says it ended."""
        event = line.event
        if event.kind == "tool" and self._stopped:
            found = self._stopped.pop(call_of(event), None)
            if found is not None:
                found.turn, found.outcome = self._turns[said.seq], event.outcome
        found = stopped(event, line.line_no, said) if event.kind == "attempt" else None
        if found is not None:
            self._stopped[call_of(event)] = found
            report.stopped.append(found)
            report.numbers.stopped[found.rule] += 1
            report.numbers.stopping[found.verdict] += 1

    def _place(self, line: Line, said: Answer) -> Place:
        turn = self._calls[line.event.session_id]
        return Place(turn=turn, line=line.line_no, mode=said.mode, turns=self._turns)

    def _told(self, numbers: Numbers, transition: Transition) -> None:
        rule = transition.rule or str(transition.action)
        match transition.how:
            case "automatic":
                numbers.applied[rule] += 1
            case "proposed":
                numbers.proposals[rule] += 1
            case "notice":
                numbers.notices[rule] += 1
            case "standing":
                numbers.standing += 1
        if transition.action == "mode" and transition.how in ("automatic", "standing"):
            self._modes[transition.scope] = transition.after

    def _close(self, report: FileReport, last: str, counts: Counts) -> None:
        numbers = report.numbers
        numbers.lines, numbers.unreadable = counts.lines, counts.unreadable
        numbers.unknown.update(counts.unknown)
        report.faults += counts.faults
        report.format = counts.format
        self.formats[counts.format] += 1
        if last in self._windows:
            report.counters = self._windows[last].counters()
            report.final_mode = self._modes.get(last, self._start_mode)
        report.interventions = self.interventions(report.sessions)
        self.files += 1
        self.sessions |= report.sessions.keys()
        self.totals.add(numbers)


def _left_out(report: FileReport, conflict: Conflict) -> None:
    report.numbers.refused[conflict.code] += 1
    why = f"session {conflict.session}: {conflict.detail}"
    if why not in report.refusals:
        report.refusals.append(why)
