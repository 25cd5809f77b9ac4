"""What the edge makes of one call before it is stored: the seam between classifying and folding.

`app.classification` builds a Reading from an Event; it is stored in the entry's body; the fold
reads it back. A fold on another machine or another version therefore counts the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one call is and what came of it, as far as its text can tell."""

    tool_class: ToolClass
    identity: str  # digest of tool class and argument values, 16 hex digits
    digest: str | None = None  # digest of the masked result; None: no result was reported
    failed: bool = False  # the outcome counts as a failure (benign exit codes do not)
    changes: bool = False  # a successful call of this kind changes the world's state
    pace: Pace = "work"
    short: bool = False  # the answer has fewer than 40 characters
    path: str | None = None  # the path an edit or write is about
    edit: str | None = None  # digest of what an edit removes and adds
    error: str | None = None  # digest of the error text, line numbers masked
    marks: tuple[str, ...] = ()  # what a denial was about: rule, path and URL tokens
    test: TestRun | None = None
    effects: tuple[Effect, ...] = ("unknown",)
    targets: tuple[Target, ...] = ()
    part: str | None = None  # the part of a shell line that nobody could vouch for
    person: bool = True  # for prompts: written by a person, not by the harness
