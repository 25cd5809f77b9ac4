"""What is stored: clipped, without secrets, and read back as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.classification.reading import read
from app.classification.shellcode.found import Effects
from app.classification.storage import LONGEST, MASK, clip, redact, stored
from app.domain.calls import Reading, Target, TestRun, call_of, reading_of
from app.domain.entries import Entry
from app.domain.events import Coverage, Event
from tests.classification.test_reading import UNKNOWN, VALUES, cases

WORDS = st.text(st.sampled_from("abc/ .:"), max_size=12)
READINGS = st.builds(
    Reading,
    tool_class=st.sampled_from(["read", "edit", "shell", "test", "mcp", "other"]),
    identity=WORDS,
    digest=st.none() | WORDS,
    failed=st.booleans(),
    timed_out=st.booleans(),
    changes=st.booleans(),
    pace=st.sampled_from(["work", "poll", "drain"]),
    short=st.booleans(),
    path=st.none() | WORDS,
    lines=st.none() | st.tuples(st.integers(0, 99), st.integers(0, 99)),
    edit=st.none() | WORDS,
    reverse=st.none() | WORDS,
    error=st.none() | WORDS,
    marks=st.lists(WORDS, max_size=3).map(tuple),
    test=st.none()
    | st.builds(
        TestRun,
        runner=WORDS,
        target=WORDS,
        result=st.sampled_from(["red", "green", "unknown"]),
        failed=st.none() | st.integers(0, 9),
        names=st.lists(WORDS, max_size=2).map(tuple),
    ),
    ours=st.booleans(),
    effects=st.lists(st.sampled_from(["read", "write", "unknown"]), min_size=1).map(tuple),
    targets=st.lists(
        st.builds(Target, path=WORDS, zone=st.sampled_from(["test", "project"])), max_size=2
    ).map(tuple),
    part=st.none() | WORDS,
)


@given(READINGS)
def test_a_stored_reading_is_read_back_as_it_was(reading: Reading) -> None:
    body = json.loads(json.dumps(stored(Event(session_id="s", tool="T"), reading)))
    assert reading_of(body) == reading


def test_only_what_is_set_is_stored() -> None:
    event = Event(session_id="s", tool="Read", arguments={"file_path": "a"}, outcome="ok")
    body = stored(event, read(event, Effects(effects=("read",))))
    assert set(body) == {
        *("session_id", "tool", "arguments", "outcome"),
        *("class", "identity", "effects"),
    }


def test_a_call_is_read_from_its_entry_alone() -> None:
    event = Event(
        session_id="s",
        tool="Bash",
        arguments={"command": "pytest"},
        outcome="error",
        exit_code=1,
        result="1 failed",
        batch_id="m1",
        context_tokens=10,
        coverage=Coverage(percent=70.0, required=80.0),
        occurred_at="2026-11-30T10:00:00Z",
    )
    reading = read(event, UNKNOWN)
    entry = Entry(
        seq=7,
        at="2026-11-30T11:00:00.000Z",
        kind="observed",
        scope="s/helper",
        action="tool",
        actor="harness:x",
        ref=6,
        body=stored(event, reading),
    )
    call = call_of(entry)
    assert (call.seq, call.agent, call.outcome, call.exit_code) == (7, "helper", "error", 1)
    assert (call.batch_id, call.context_tokens, call.gap, call.ref) == ("m1", 10, True, 6)
    assert call.at_ms == 1_796_032_800_000
    assert call.reading == reading


@pytest.mark.parametrize(("text", "then"), cases("secrets.json"))
def test_a_secret_is_masked(text: str, then: str) -> None:
    assert redact(text) == then


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ({"ghp_abcdefghijklmnopqrstuvwxyz0123456789": 1}, {"[redacted]": 1}),
        ({"password": ["hunter2"]}, {"password": MASK}),
        ({"token": {"value": "hunter2"}}, {"token": MASK}),
        ({"clientSecret": "x", "dbPassword": "x"}, {"clientSecret": MASK, "dbPassword": MASK}),
        ({"token": None, "tokens": 5}, {"token": None, "tokens": 5}),
    ],
)
def test_a_secret_is_masked_by_its_name_and_in_names(arguments: Any, kept: Any) -> None:
    event = Event(session_id="s", tool="X", arguments=arguments, outcome="ok")
    body = stored(event, Reading(tool_class="other", identity="x"))
    assert body["arguments"] == kept


def test_a_secret_is_masked_wherever_it_stands() -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    event = Event(
        session_id="s",
        tool="Bash",
        arguments={"command": f"curl {secret}", "password": "hunter2", "deep": [{"a": secret}]},
        outcome="ok",
        result=f"said {secret}",
    )
    body = json.dumps(stored(event, read(event, UNKNOWN)))
    assert secret not in body
    assert "hunter2" not in body
    assert MASK in body


def test_the_digest_is_of_the_whole_text_and_the_stored_text_is_head_and_tail() -> None:
    texts = [f"head{'x' * 6000}{middle}{'y' * 3000}" for middle in ("one", "two")]
    events = [Event(session_id="s", tool="Read", outcome="ok", result=text) for text in texts]
    bodies = [stored(event, read(event, UNKNOWN)) for event in events]
    assert bodies[0]["digest"] != bodies[1]["digest"]
    assert bodies[0]["result"] == bodies[1]["result"]
    assert str(bodies[0]["result"]).startswith("head")
    assert str(bodies[0]["result"]).endswith("y")


@given(st.text(max_size=300), st.integers(60, 120))
def test_a_clipped_text_is_never_longer_than_asked(text: str, longest: int) -> None:
    assert len(clip(text, longest)) <= max(longest, 60)


@given(st.dictionaries(st.text(max_size=8), VALUES, max_size=6), st.integers(0, 3_000))
def test_stored_arguments_stay_near_their_bound(arguments: dict[str, Any], more: int) -> None:
    event = Event(
        session_id="s", tool="X", arguments={"a": "x" * (LONGEST + more), **arguments}, outcome="ok"
    )
    body = stored(event, read(event, UNKNOWN))
    assert len(json.dumps(body["arguments"], ensure_ascii=False)) <= 2 * LONGEST
