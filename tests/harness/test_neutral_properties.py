"""No JSON value makes the neutral adapter raise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.events import Event, Json
from app.harness.base import Fault
from app.harness.neutral import SCHEMA, event

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
