"""What the edge makes of one call before it is stored: the seam between classifying and folding.

`app.classification` builds a Reading from an Event; it is stored in the entry's body; the fold
reads it back. A fold on another machine or another version therefore counts the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple, cast, get_args

from app.domain.entries import Entry, agent_of
from app.domain.events import Json, Outcome
from app.domain.replacing import thawed

_tuple = tuple.__new__  # what a named tuple's own constructor calls, at a third of its price

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
class Moved:
    """Test files that differ from those of an earlier run."""

    since: str  # the tree of that run
    count: int = 0  # of all that differ; 0: nobody can say which
    paths: tuple[str, ...] = ()  # the first of them, relative to the project root


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """A recognised test run: what it covered and how it ended."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    runner: str
    target: str  # runner, targets and selector as one key
    result: TestResult
    failed: int | None = None  # None: the count is unknown
    names: tuple[str, ...] = ()  # failing tests, where the runner printed them
    where: str = ""  # the folder it ran in, and what steered it from outside; empty: the root
    tree: str | None = None  # digest of the test files, 16 hex digits; None: nobody looked
    moved: tuple[Moved, ...] = ()  # since runs by which its targets went red


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRun:
    """A build, type check or linter, or any line that printed a test runner's summary.

    It tells whether work gets on, and nothing of the test boundary: there only a TestRun counts.
    """

    runner: str
    target: str  # runner, what it is asked to check, and the folder named in the line
    result: TestResult
    failed: int | None = None  # errors, or failed tests; None: the count is unknown
    names: tuple[str, ...] = ()  # errors as file, code and digest, without their positions
    digest: str | None = None  # of all errors together; None: none was found in the text


@dataclass(frozen=True, kw_only=True)  # wide: see replacing.py
class Reading:
    """What one call is and what came of it, as far as its text can tell."""

    tool_class: ToolClass
    identity: str  # digest of tool class and argument values, 16 hex digits
    digest: str | None = None  # digest of the masked result; None: no result was reported
    failed: bool = False  # the outcome counts as a failure (benign exit codes do not)
    refused: bool = False  # failed for want of a permission, as its text says
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
    build: BuildRun | None = None  # only where `test` is None
    ours: bool = False  # blocked by this controller, as far as the report can tell
    effects: tuple[Effect, ...] = ("unknown",)
    targets: tuple[Target, ...] = ()
    part: str | None = None  # the part of a shell line that nobody could vouch for
    person: bool = True  # for prompts: written by a person, not by the harness


class Call(NamedTuple):
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
    said = body.get
    tool, tokens, limit = said("tool"), said("context_tokens"), said("context_limit")
    fields = (
        entry.seq,
        _milliseconds(_text(said("occurred_at")) or entry.at, entry.at),
        agent_of(entry.scope),
        tool if type(tool) is str else "",
        cast(Outcome, _ours(said("outcome", "unknown"))),
        reading_of(body),
        _text(said("batch_id")) if "batch_id" in body else None,
        tokens if type(tokens) is int else None,
        limit if type(limit) is int else None,
        _text(said("rule")) if "rule" in body else None,
        _whole(said("exit_code")) if "exit_code" in body else None,
        _gap(said("coverage")) if "coverage" in body else None,
        entry.ref,
    )
    return _tuple(Call, fields)


def reading_of(body: Mapping[str, Json]) -> Reading:
    """The reading stored in an entry's body; the inverse of `app.classification.storage`."""
    reading = thawed(BARE, Reading)
    fields = reading.__dict__  # filled before anybody else holds it
    for key, value in body.items():
        if key in STORED:
            name, plain, read = STORED[key]
            fields[name] = value if type(value) is plain else read(value)
    return reading


def _test(value: Json) -> TestRun | None:
    if not isinstance(value, dict):
        return None
    return TestRun(
        runner=_word(value.get("runner")),
        target=_word(value.get("target")),
        result=cast(TestResult, value.get("result", "unknown")),
        failed=_whole(value.get("failed")),
        names=_texts(value.get("names")),
        where=_word(value.get("where")),
        tree=_text(value.get("tree")),
        moved=tuple([_moved(moved) for moved in _list(value.get("moved"))]),
    )


def _build(value: Json) -> BuildRun | None:
    if not isinstance(value, dict):
        return None
    return BuildRun(
        runner=_word(value.get("runner")),
        target=_word(value.get("target")),
        result=cast(TestResult, value.get("result", "unknown")),
        failed=_whole(value.get("failed")),
        names=_texts(value.get("names")),
        digest=_text(value.get("digest")),
    )


def _moved(value: Json) -> Moved:
    body = value if isinstance(value, dict) else {}
    return Moved(
        since=_word(body.get("since")),
        count=_whole(body.get("count")) or 0,
        paths=_texts(body.get("paths")),
    )


def _target(value: Json) -> Target:
    body = value if isinstance(value, dict) else {}
    return Target(path=_word(body.get("path")), zone=cast(Zone, body.get("zone", "outside")))


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
    return tuple([item for item in _list(value) if isinstance(item, str)])


def _word(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _yes(value: Json) -> bool:
    return value is True


def _ours(value: Json) -> Json:
    """A word of a closed set, as the edge writes no others: the one in WORDS, not a copy of it."""
    return WORDS.get(value, value) if isinstance(value, str) else value


def _lines(value: Json) -> tuple[int, int] | None:
    lines = [line for line in _list(value) if isinstance(line, int)]
    return (lines[0], lines[1]) if len(lines) == 2 else None


WORDS: Final[Mapping[str, str]] = {
    word: word for words in (ToolClass, Outcome, Pace) for word in get_args(words)
}
# Classes whose errors are compared; calls of others take no place among them.
ERRORS_OF: Final[frozenset[ToolClass]] = frozenset({"shell", "subagent", "mcp", "other"})
BARE: Final = Reading(tool_class="other", identity="")
# Where each field of a reading stands in a body, the type that is taken as it is, and how any
# other value is read there.
STORED: Final[Mapping[str, tuple[str, type | None, Callable[[Json], Any]]]] = {
    "class": ("tool_class", None, _ours),
    "identity": ("identity", str, _word),
    "digest": ("digest", str, _text),
    "failed": ("failed", bool, _yes),
    "refused": ("refused", bool, _yes),
    "timed_out": ("timed_out", bool, _yes),
    "changed_state": ("changes", bool, _yes),
    "pace": ("pace", None, _ours),
    "short": ("short", bool, _yes),
    "path": ("path", str, _text),
    "lines": ("lines", None, _lines),
    "edit": ("edit", str, _text),
    "reverse": ("reverse", str, _text),
    "error": ("error", str, _text),
    "marks": ("marks", None, _texts),
    "test": ("test", None, _test),
    "build": ("build", None, _build),
    "ours": ("ours", bool, _yes),
    "effects": ("effects", None, lambda value: _texts(value) or BARE.effects),
    "targets": ("targets", None, lambda value: tuple([_target(each) for each in _list(value)])),
    "part": ("part", str, _text),
    "person": ("person", None, lambda value: value is not False),
}
