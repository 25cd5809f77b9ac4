"""Who has no token sees what happened and no text of anybody."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification.reading import read
from app.classification.shellcode.found import Effects
from app.classification.storage import stored
from app.domain.entries import Draft, Entry, place
from app.domain.events import Coverage, Event
from app.domain.outline import outline
from app.domain.summaries import summary
from app.domain.views import entry_view
from tests.domain.floor import ANN, Floor, body

SECRET = "Canary 7f3a"
PLACES: dict[str, dict[str, Any]] = {
    "a command": {"arguments": {"command": SECRET}},
    "a command's script": {"arguments": {"command": "npm run test-Canary7f3a"}},
    "a nested argument": {
        "arguments": {"command": "make", "edits": [{"old": SECRET, "new": {"deep": SECRET}}]}
    },
    "an argument's name": {"arguments": {"command": "make", SECRET: 1}},
    "a path": {"tool": "Edit", "arguments": {"file_path": f"/p/{SECRET}", "old_string": "a"}},
    "a result": {"result": f"error: {SECRET}"},
    "a failing test's name": {
        "arguments": {"command": "pytest"},
        "result": f"FAILED tests/a.py::{SECRET}\n1 failed",
    },
    "a denial's rule": {"outcome": "denied", "rule": SECRET},
    "a working folder": {"cwd": f"/home/{SECRET}"},
    "a coverage report": {"coverage": Coverage(percent=1.0, uncovered=(SECRET,))},
    "an address": {"arguments": {"command": f"curl http://{SECRET.replace(' ', '')}"}},
}


def observed(**fields: Any) -> Entry:
    """The entry that an event becomes."""
    make = {"command": "make"}
    said = {"tool": "Bash", "outcome": "error", "arguments": make, **fields}
    event = Event(session_id="s", **said)
    kept = stored(event, read(event, Effects(effects=("unknown",))))
    draft = Draft(kind="observed", scope="s", action="tool", actor="harness:test", body=kept)
    return place(draft, 1, "2026-11-30T14:02:11.482Z")


def shown(entry: Entry) -> str:
    return json.dumps(entry_view(entry, text=False))


@pytest.mark.parametrize("where", PLACES)
def test_no_text_of_an_event_is_shown(where: str) -> None:
    entry = observed(**PLACES[where])
    assert "Canary" in json.dumps(entry_view(entry, text=True))
    assert "Canary" not in shown(entry)


@pytest.mark.parametrize("where", PLACES)
def test_no_text_of_the_calls_behind_it_is_shown_with_a_change(where: str) -> None:
    floor = Floor()
    said = body(observed(**PLACES[where]))
    for _ in range(5):
        entries = floor.reports(**said)
    assert len(floor.log) > 6
    assert "Canary" not in "".join(map(shown, entries))
    assert "Canary" not in "".join(map(shown, floor.log))


def test_no_text_of_a_wish_or_a_decision_is_shown() -> None:
    floor = Floor()
    floor.wishes("policy", {"shell_denials": [SECRET], "write_paths": [f"src/{SECRET}"]})
    floor.wishes("policy", {"verdicts": {SECRET: "deny"}}, actor=ANN, decide=True)
    floor.failing()
    (*_, back) = floor.open()
    floor.decides("approve", back, why=SECRET)
    floor.decides("dismiss", floor.open()[0], why=SECRET)
    assert SECRET in "".join(json.dumps(dict(entry.body)) for entry in floor.log)
    assert "Canary" not in "".join(map(shown, floor.log))


@given(
    st.dictionaries(
        st.sampled_from(
            ["reason", "why", "detail", "handoff", "arguments", "result", "path", "marks", "error",
             "values", "cwd", "root", "targets", "part", "coverage", "edit", "a field of tomorrow"]
        ),
        st.recursive(
            st.just(SECRET),
            lambda inner: st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["a", SECRET]), inner, max_size=2),
            max_leaves=4,
        ),
    )
)  # fmt: skip
def test_what_is_not_named_as_shown_is_shown_as_its_length(said: dict[str, Any]) -> None:
    seen = outline(said, ANN)
    assert seen.keys() == said.keys()
    assert all(isinstance(part, dict) and part.keys() == {"length"} for part in seen.values())


def test_names_numbers_and_verdicts_tell_the_story() -> None:
    entry = observed(arguments={"command": "pytest tests"}, exit_code=1, result="1 failed")
    seen = outline(entry.body, entry.actor)
    assert seen["tool"] == "Bash"
    assert seen["outcome"] == "error"
    assert seen["exit_code"] == 1
    assert seen["test"] == {"runner": "pytest", "result": "red", "failed": 1}
    assert seen["arguments"] == {"length": len(json.dumps(entry.body["arguments"]))}


def test_a_change_shows_its_rule_and_its_numbers_and_hides_the_handoff() -> None:
    floor = Floor()
    _, applied, _ = floor.failing()
    seen: Any = outline(applied.body, applied.actor)
    (cause,) = seen["because"]
    assert (cause["rule"], cause["value"], cause["seqs"]) == ("repeated", 3, [2, 3, 4])
    assert "key" not in cause
    assert set(seen["handoff"]) == {"length"}
    assert (seen["mode"], seen["was"]) == ("plan", "implementation")


def test_a_policy_shows_its_posture_and_how_long_its_lists_are() -> None:
    floor = Floor()
    applied = floor.sets("policy", {"posture": "ask", "shell_denials": ["a", "b"]})[-1]
    seen: Any = outline(applied.body, applied.actor)
    assert seen["policy"] == {
        "posture": "ask",
        "verdicts": {"length": 0},
        "shell_denials": {"length": 2},
        "write_paths": None,
    }


def test_a_tools_name_is_quoted_in_the_summary() -> None:
    entry = observed(tool='Bash" ok\n\x1b[2K')
    assert summary(entry) == '"Bash\\" ok\\n\\x1b[2K" error'


def test_settings_that_decide_are_shown_and_paths_are_not() -> None:
    values: dict[str, Any] = {
        "ceiling": "ask",
        "modes": {"plan": {"tools": []}},
        "database_url": SECRET,
        "auth": {"reads": "open"},
    }
    waiting: dict[str, Any] = {"rules.repeated.failed": 5.0, "modes.plan": {"tools": ["read"]}}
    seen = outline({"values": values, "was": waiting}, ANN)
    assert seen["was"] == waiting
    assert seen["values"] == {
        "ceiling": "ask",
        "modes": {"plan": {"tools": []}},
        "database_url": {"length": len(SECRET)},
        "auth": {"length": 17},
    }


def test_of_a_soft_rule_the_band_is_shown_and_not_what_it_is_about() -> None:
    rule: dict[str, Any] = {"programs": [SECRET], "verdict": "ask", "base_rate": 1.0, "floor": 0.2}
    shown = {**rule, "programs": {"length": len(SECRET) + 4}}
    values: dict[str, Any] = {"values": {"soft": {"x": rule}, "ceiling": "ask"}}
    assert outline(values, ANN) == {"values": {"soft": {"x": shown}, "ceiling": "ask"}}
    waits: dict[str, Any] = {"values": {"soft.x": rule}, "was": {"soft.x": rule}}
    assert outline(waits, ANN) == {"values": {"soft.x": shown}, "was": {"soft.x": shown}}


def test_what_a_soft_rule_drew_is_shown() -> None:
    drawn: list[Any] = [{"rule": "x", "rate": 0.5, "induced": 0.5, "draw": 0.7}]
    said: dict[str, Any] = {"rule": "soft:x", "soft": drawn, "escalated": 2, "ends_turn": 5}
    assert outline(said, "machine") == said
