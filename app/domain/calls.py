"""What the edge makes of one call before it is stored: the seam between classifying and folding.

`app.classification` builds a Reading from an Event; it is stored in the entry's body; the fold
reads it back. A fold on another machine or another version therefore counts the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast

from app.domain.entries import Entry, agent_of
from app.domain.events import Json, Outcome

ToolClass = Literal[
    "read", "search", "edit", "write", "shell", "test", "web", "subagent", "talk", "mcp", "other"
]
Effect = Literal[
    "read",  # changes nothing
    "talk",  # todo lists, plans, questions: the agent's own bookkeeping
    "test",  # runs tests
    "write",  # writes the named targets
    "git_record",  # git add, commit, branch, fetch, push, tag, stash list
    "git_restore",  # git checkout, restore, reset, stash, apply, merge, rebase, pull, clean
    "unknown",  # nobody can vouch for it, and nothing in it names a closed path
    "unknown_closed",  # as above, but it names a test or guarded path, or runs code inline
]
Zone = Literal["project", "test", "guarded", "given", "temporary", "outside"]
TestResult = Literal["red", "green", "unknown"]
Pace = Literal["work", "poll", "drain"]  # drain: output drains and lines with sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One path a call would write: relative to the project root inside it, else absolute."""

    path: str
    zone: Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """A recognised test run: what it covered and how it ended."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    runner: str
    target: str  # runner, targets and selector as one key
    result: TestResult
    failed: int | None = None  # None: the count is unknown
    names: tuple[str, ...] = ()  # failing tests, where the runner printed them


@dataclass(frozen=True, kw_only=True)  # wide: see replacing.py
class Reading:
    """What one call is and what came of it, as far as its text can tell."""

    tool_class: ToolClass
    identity: str  # digest of tool class and argument values, 16 hex digits
    digest: str | None = None  # digest of the masked result; None: no result was reported
    failed: bool = False  # the outcome counts as a failure (benign exit codes do not)
    timed_out: bool = False  # ended by the harness's clock, or by timeout(1)
    changes: bool = False  # a successful call of this kind changes the world's state
    pace: Pace = "work"
    short: bool = False  # the answer has fewer than 40 characters
    path: str | None = None  # the path an edit or write is about
    lines: tuple[int, int] | None = None  # first and last ten lines a ranged read asked for
    edit: str | None = None  # digest of path and what an edit removes and adds
    reverse: str | None = None  # digest of the edit that takes this one back
    error: str | None = None  # digest of the error text, line numbers masked
    marks: tuple[str, ...] = ()  # what a denial was about: rule, path and URL tokens
    test: TestRun | None = None
    ours: bool = False  # blocked by this controller, as far as the report can tell
    effects: tuple[Effect, ...] = ("unknown",)
    targets: tuple[Target, ...] = ()
    part: str | None = None  # the part of a shell line that nobody could vouch for
    person: bool = True  # for prompts: written by a person, not by the harness


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as the counters see it: its place, its outcome and what the edge read."""

    seq: int
    at_ms: int  # when it happened, UTC milliseconds; spacing of polls is all it is used for
    agent: str  # empty: the session's main agent
    tool: str
    outcome: Outcome
    reading: Reading
    batch_id: str | None = None
    context_tokens: int | None = None
    context_limit: int | None = None  # None: the harness did not say
    rule: str | None = None  # what denied or blocked it, where the harness said
    exit_code: int | None = None
    gap: bool | None = None  # a coverage report below what is required; None: no report
    ref: int | None = None  # the decided entry this call was judged by


def call_of(entry: Entry) -> Call:
    """The call an `observed` or `decided` entry is about, from its stored body alone."""
    body = entry.body
    return Call(
        seq=entry.seq,
        at_ms=_milliseconds(_text(body.get("occurred_at")) or entry.at, entry.at),
        agent=agent_of(entry.scope),
        tool=_text(body.get("tool")) or "",
        outcome=cast(Outcome, body.get("outcome", "unknown")),
        reading=reading_of(body),
        batch_id=_text(body.get("batch_id")),
        context_tokens=_whole(body.get("context_tokens")),
        context_limit=_whole(body.get("context_limit")),
        rule=_text(body.get("rule")),
        exit_code=_whole(body.get("exit_code")),
        gap=_gap(body.get("coverage")),
        ref=entry.ref,
    )


def reading_of(body: Mapping[str, Json]) -> Reading:
    """The reading stored in an entry's body; the inverse of `app.classification.storage`."""
    lines = [line for line in _list(body.get("lines")) if isinstance(line, int)]
    return Reading(
        tool_class=cast(ToolClass, body.get("class", "other")),
        identity=_text(body.get("identity")) or "",
        digest=_text(body.get("digest")),
        failed=body.get("failed") is True,
        timed_out=body.get("timed_out") is True,
        changes=body.get("changed_state") is True,
        pace=cast(Pace, body.get("pace", "work")),
        short=body.get("short") is True,
        path=_text(body.get("path")),
        lines=(lines[0], lines[1]) if len(lines) == 2 else None,
        edit=_text(body.get("edit")),
        reverse=_text(body.get("reverse")),
        error=_text(body.get("error")),
        marks=_texts(body.get("marks")),
        test=_test(body.get("test")),
        ours=body.get("ours") is True,
        effects=cast("tuple[Effect, ...]", _texts(body.get("effects"))) or ("unknown",),
        targets=tuple(_target(target) for target in _list(body.get("targets"))),
        part=_text(body.get("part")),
        person=body.get("person") is not False,
    )


def _test(value: Json) -> TestRun | None:
    if not isinstance(value, dict):
        return None
    return TestRun(
        runner=_text(value.get("runner")) or "",
        target=_text(value.get("target")) or "",
        result=cast(TestResult, value.get("result", "unknown")),
        failed=_whole(value.get("failed")),
        names=_texts(value.get("names")),
    )


def _target(value: Json) -> Target:
    body = value if isinstance(value, dict) else {}
    return Target(path=_text(body.get("path")) or "", zone=cast(Zone, body.get("zone", "outside")))


def _gap(value: Json) -> bool | None:
    if not isinstance(value, dict):
        return None
    percent, required = value.get("percent"), value.get("required")
    below = (
        isinstance(percent, int | float) and isinstance(required, int | float)
    ) and percent < required
    return below or bool(value.get("uncovered"))


def _milliseconds(at: str, otherwise: str) -> int:
    for text in (at, otherwise):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            continue
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(moment.timestamp() * 1000)
    return 0


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in _list(value) if isinstance(item, str))
