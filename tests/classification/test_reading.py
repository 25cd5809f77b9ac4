"""What the edge reads from an event, case by case."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification.errors import error_of
from app.classification.reading import read
from app.classification.results import settled
from app.classification.shellcode.found import Effects
from app.classification.testruns import run_of
from app.domain.events import Event, Json

UNKNOWN: Final = Effects(effects=("unknown",))
CASES: Final = Path(__file__).parents[1] / "cases"


def cases(name: str) -> list[Any]:
    """The table of cases in a file, each with its name as its id."""
    table = json.loads((CASES / name).read_text("utf-8"))
    return [pytest.param(case["given"], case["then"], id=case["name"]) for case in table]


@pytest.mark.parametrize(("given_event", "then"), cases("readings.json"))
def test_a_reading_is(given_event: dict[str, Any], then: dict[str, Any]) -> None:
    reading = json.loads(json.dumps(asdict(read(Event(session_id="s", **given_event), UNKNOWN))))
    assert {name: reading[name] for name in then} == then


PLAIN: dict[str, Any] = {"failed": None, "names": [], "where": "", "tree": None, "moved": []}


@pytest.mark.parametrize(("run", "then"), cases("test_runs.json"))
def test_a_test_run_is(run: dict[str, Any], then: dict[str, Any] | None) -> None:
    command, text, more = run.pop("command"), run["result"], run.pop("more", {})
    event = Event(session_id="s", tool="Bash", arguments={"command": command, **more}, **run)
    found = run_of(event, command, text)
    told = None if found is None else json.loads(json.dumps(asdict(found)))
    expected = None if then is None else {**PLAIN, **then}
    assert told == expected


@pytest.mark.parametrize(("calls", "then"), cases("identities.json"))
def test_identities_are(calls: list[tuple[str, dict[str, Any]]], then: str) -> None:
    digests = []
    for tool, arguments in calls:
        event = Event(session_id="s", tool=tool, arguments=arguments)
        digests.append(read(event, UNKNOWN).identity)
    assert len(set(digests)) == (1 if then == "same" else len(calls))


@pytest.mark.parametrize(("answers", "then"), cases("answers.json"))
def test_answers_are(answers: list[str], then: str) -> None:
    assert (settled(answers[0]) == settled(answers[1])) is (then == "same")


@pytest.mark.parametrize(("texts", "then"), cases("errors.json"))
def test_errors_are(texts: list[str], then: str) -> None:
    errors = {error_of(settled(text)) for text in texts}
    assert None not in errors
    assert len(errors) == (1 if then == "same" else len(texts))


def test_an_undone_edit_is_the_reverse_of_the_edit() -> None:
    there = read(_edit("a", "b"), UNKNOWN)
    back = read(_edit("b", "a"), UNKNOWN)
    assert there.edit == back.reverse
    assert there.edit != back.edit


def _edit(old: str, new: str) -> Event:
    arguments: dict[str, Json] = {"file_path": "f", "old_string": old, "new_string": new}
    return Event(session_id="s", tool="Edit", arguments=arguments, outcome="ok", result="done")


def test_a_very_long_answer_is_told_apart_by_its_ends() -> None:
    middle = "x" * 50_000
    assert settled(f"a{middle}") != settled(f"b{middle}")
    assert len(settled(middle)) <= 20_001


TEXT = st.text(max_size=60) | st.sampled_from(
    ["pytest | tail", "a && b; c", "'", '"', "$(", "sed -i", "sleep", "apply_patch <<E", "[", "\0"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["command", "file_path", "path", "old_string", "new_string", "content", "offset", "limit"]
)


@given(
    tool=TEXT | st.sampled_from(["Bash", "Edit", "Read", "str_replace_editor", "apply_patch"]),
    arguments=st.dictionaries(KEYS | TEXT, VALUES, max_size=4),
    outcome=st.sampled_from(["ok", "error", "timeout", "denied", "blocked", "unknown"]),
    result=st.none() | st.text(max_size=200),
)
def test_reading_never_raises_and_reads_alike_twice(
    tool: str, arguments: dict[str, Any], outcome: Any, result: str | None
) -> None:
    event = Event(session_id="s", tool=tool, arguments=arguments, outcome=outcome, result=result)
    assert read(event, UNKNOWN) == read(event, UNKNOWN)
