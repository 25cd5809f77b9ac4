"""Strict JSON agrees with the standard parser on JSON, and never raises on anything else."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from app.harness.base import Fault
from app.harness.strict_json import parse

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
values = st.recursive(
    scalars.filter(lambda value: value not in (float("inf"), float("-inf"))),
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


@given(values, st.booleans())
def test_what_was_written_as_json_is_read_back(value: object, escaped: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=escaped).encode()) == value


@given(st.binary() | texts.map(str.encode))
def test_parsing_never_raises(data: bytes) -> None:
    parse(data)


@given(st.text(st.sampled_from('{}[]",:\\u0d8Naf1e-. \n'), max_size=40))
def test_what_is_taken_can_be_stored_as_utf8_json(text: str) -> None:
    value = parse(text.encode())
    if not isinstance(value, Fault):
        stored = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        assert json.loads(stored) == value
