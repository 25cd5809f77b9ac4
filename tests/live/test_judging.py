"""Whatever came of a script otherwise than expected is told."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import ROOT
from tests.live.cases import Case, Prompt, Step
from tests.live.judging import Run, ending, findings

STEP = Step(call_id="t", tool="Bash", given={"command": "x"}, then="ran", changes=("a",))
CASE = Case(
    name="one",
    why="",
    toml="",
    files={},
    prompts=(Prompt(says="go", steps=(STEP,), answer="done"),),
    after={"a": "new"},
    log=("applied notice review",),
    told=("review",),
    untold=("secret",),
)
NOTICE = {"kind": "applied", "action": "notice", "body": {"because": [{"rule": "review"}]}}


def entries(verdict: str | None, outcome: str | None) -> list[dict[str, Any]]:
    """The log of one call."""
    decided = {"call_id": "t", "verdict": verdict, "rule": "boundary"}
    observed = {"call_id": "t", "outcome": outcome}
    return [
        *([{"kind": "decided", "action": "tool", "body": decided}] if verdict else []),
        *([{"kind": "observed", "action": "tool", "body": observed}] if outcome else []),
    ]


RUN = Run(
    log=[*entries("none", "ok"), NOTICE],
    told=["[floorboss 3] review"],
    before={"a": "old"},
    after={"a": "new"},
    at={"t": {"a": "new"}},
)


def test_what_was_expected_leaves_nothing_to_say() -> None:
    assert findings(CASE, RUN) == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"log": [*entries("deny", "blocked"), NOTICE]}, "denied by boundary, not ran"),
        ({"log": entries("none", "ok")}, "the log says"),
        ({"told": []}, "never told 'review'"),
        ({"told": ["review of a secret"]}, "was told 'secret'"),
        ({"at": {"t": {"a": "old"}}}, "changed (), not ('a',)"),
        ({"after": {"a": "newer"}}, "a is 'newer' in the end"),
        ({"after": {"a": "new", "b": ""}}, "b is '' in the end"),
        ({"after": {}}, "a is None in the end"),
    ],
)
def test_every_other_outcome_is_told(other: dict[str, Any], said: str) -> None:
    (found,) = findings(CASE, replace(RUN, **other))
    assert said in found


@pytest.mark.parametrize(
    ("verdict", "outcome", "said"),
    [
        ("none", "ok", "ran"),
        ("none", "error", "failed"),
        ("none", None, "unheard"),
        ("deny", "blocked", "denied by boundary"),
        ("deny", "ok", "denied by boundary, but ok"),
        ("ask", "blocked", "asked by boundary"),
        ("ask", "ok", "asked by boundary, but ok"),
        (None, "error", "invalid"),
        (None, "ok", "ok, never asked about"),
    ],
)
def test_how_a_call_ended(verdict: str | None, outcome: str | None, said: str) -> None:
    assert ending(STEP, entries(verdict, outcome)) == said


@pytest.mark.parametrize(
    ("more", "said"),
    [({}, "not on the PATH"), ({"CLAUDE": "/nowhere/claude"}, "/nowhere/claude")],
)
def test_what_is_missing_is_said(more: dict[str, str], said: str, tmp_path: Path) -> None:
    own = {name: said for name, said in os.environ.items() if name != "CLAUDE"}
    done = subprocess.run(
        (sys.executable, "-m", "tests.live.run"),
        cwd=ROOT,
        env={**own, "PATH": str(tmp_path), **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
