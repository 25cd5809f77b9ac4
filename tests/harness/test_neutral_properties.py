"""No JSON value makes the neutral adapter raise, and what it made can be sent again."""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from app.domain.events import Event, Json
from app.harness.base import Fault
from app.harness.neutral import SCHEMA, event, to_json

texts = st.text(st.characters(exclude_categories=["Cs"]))
values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=8,
)
fields = st.sampled_from(sorted(SCHEMA.json_schema()["properties"]))


@given(values | st.dictionaries(fields, values))
def test_any_json_is_an_event_or_a_fault(value: Json) -> None:
    assert isinstance(event(value), Event | Fault)


@given(st.dictionaries(fields, values), texts)
def test_a_session_that_is_taken_can_be_a_scope(value: dict[str, Json], session: str) -> None:
    taken = event({**value, "session_id": session, "tool": "Bash", "kind": "tool"})
    if isinstance(taken, Event):
        assert 1 <= len(taken.session_id) <= 128
        assert taken.session_id != "*"
        assert not set("/\x00\n\r\t\x1b\u2028\u202e") & set(taken.session_id)


counts = st.none() | st.integers(0, 2**53 - 1)
amounts = st.none() | st.floats(0, 1e9)
names = st.none() | st.text("ab c-é", min_size=1, max_size=5)
objects = st.dictionaries(texts, values, max_size=3)
Parts: TypeAlias = dict[str, st.SearchStrategy[Any]]
NEEDED: Parts = {
    "session_id": st.text("ab ", min_size=1),
    "tool": st.sampled_from(["Bash", "Edit"]),
}
REPORT: Parts = {"percent": st.floats(0, 100), "uncovered": st.lists(texts)}
WELL_FORMED = st.fixed_dictionaries(
    NEEDED,
    optional={
        "kind": st.sampled_from([None, "tool", "attempt", "prompt", "turn", "usage"]),
        "outcome": st.sampled_from([None, "ok", "error", "denied", "unknown"]),
        "denied_by": st.sampled_from([None, "person", "harness"]),
        "arguments": st.none() | objects,
        "result": st.none() | texts,
        "exit_code": st.none() | st.integers(-255, 255),
        "occurred_at": st.sampled_from([None, "2026-11-30T09:00:00+02:00", "2026-01-01T00:00:00Z"]),
        "usage": st.none() | st.fixed_dictionaries({}, optional={"cost": amounts}),
        "tests": st.none() | st.fixed_dictionaries({}, optional={"failed": counts}),
        "coverage": st.none() | st.fixed_dictionaries({}, optional=REPORT),
        **dict.fromkeys(("event_id", "agent_id", "call_id", "harness", "rule"), names),
        **dict.fromkeys(("duration_ms", "context_tokens", "context_limit"), counts),
    },
)


@given(WELL_FORMED)
def test_an_event_sent_again_is_the_same_event(value: dict[str, Json]) -> None:
    taken = event(value)
    assert isinstance(taken, Event)
    assert event(to_json(taken)) == taken
