"""What Claude Code's hooks were sent, a payload a line, as logs and recordings of hooks keep it.

    hook_event_name   the payload itself
    ts, event         the same fields with names of the log's own

Read as the daemon reads hooks. A call whose end no hook told is over when its turn is: before
2.0.77 a call that failed was followed by none. It is told as `unknown`, which counts nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.domain.events import Event
from app.harness.base import Report
from app.harness.claude_code.reading import CLOSES, read
from app.replay.lines import (
    Call,
    Counts,
    Fields,
    Line,
    Source,
    call_of,
    object_of,
    objects,
    shallow,
    word,
)
from app.replay.neutral import asked_before
from app.replay.pairing import HELD, Recent

HOOK: Final = "hook_event_name"
HOOKS: Final = CLOSES.keys() | {
    "Notification",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreToolUse",
    "SessionStart",
}


def is_hook(line: Fields) -> bool:
    """Whether a line is what a hook was sent."""
    if "session_id" not in line:
        return False
    return isinstance(line.get(HOOK), str) or ("ts" in line and word(line.get("event")) in HOOKS)


def events(source: Source, counts: Counts, *, attempts: bool = False) -> Iterator[Line]:
    """The file's events; with `attempts` each call also as it was asked for."""
    log = Log(source, counts, attempts=attempts)
    for line_no, line in objects(source, counts):
        if is_hook(line):
            yield from log.take(line_no, line)
        else:
            counts.unknown["no hook"] += 1
    yield from log.over(None)


class Log:
    """One file being read, and the calls that are open."""

    def __init__(self, source: Source, counts: Counts, *, attempts: bool) -> None:
        self._source = source
        self._counts = counts
        self._attempts = attempts
        self._open: dict[Call, Line] = {}
        self._ended = Recent()
        self._asked: Counter[Call] = Counter()  # attempts whose end has not come

    def take(self, line_no: int, line: Fields) -> Iterator[Line]:
        """The events of one payload, and the calls that are over with it."""
        report = read(object_of(shallow({HOOK: line.get("event"), **line})), self._source.name)
        at = word(line.get("ts")) or word(line.get("timestamp"))
        for part, event in enumerate(report.events):
            name = f"{self._source.name}:{line_no}:{part}"
            yield from self._event(line_no, replace(event, event_id=name, occurred_at=at), report)
        if report.closes != "nothing":
            yield from self.over(report)

    def over(self, report: Report | None) -> Iterator[Line]:
        """An end for each open call that a report closes; None: the file is over."""
        for call, line in [*self._open.items()]:
            session = report is None or report.closes == "session"
            if session or line.event.scope == (report and report.scope):
                del self._open[call]
                yield from self._finished(line)

    def _event(self, line_no: int, event: Event, report: Report) -> Iterator[Line]:
        line = Line(event=event, line_no=line_no)
        if event.kind == "attempt":
            self._open[call_of(event)] = line
            if self._attempts:
                self._asked[call_of(event)] += 1
                yield line
            if len(self._open) > HELD:
                yield from self._finished(self._open.pop(next(iter(self._open))))
        elif event.kind == "tool":
            known = self._open.pop(call_of(event), None)
            if known or not report.batched or not self._repeats(event):
                yield from self._finished(line)
        else:
            yield line

    def _repeats(self, event: Event) -> bool:
        """Whether a batch tells again of a call whose end was told."""
        return event.call_id is not None and self._ended.repeats(event.call_id)

    def _finished(self, line: Line) -> Iterator[Line]:
        event = replace(line.event, kind="tool")
        self._ended.repeats(event.call_id)
        self._counts.calls += 1
        if self._attempts:
            yield from asked_before(event, line.line_no, self._asked)
        yield replace(line, event=event)
