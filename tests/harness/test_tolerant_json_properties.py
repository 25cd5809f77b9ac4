"""Whatever the bytes, the tolerant parser returns, and what it returns can be stored."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.harness.base import Fault
from app.harness.tolerant_json import parse

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)
PIECES = st.lists(
    st.sampled_from(["[", "]", "{", "}", '"', "\\", ":", ",", "1", "NaN", "\\ud800", "é", " "]),
    max_size=200,
)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_value_or_a_fault(data: bytes) -> None:
    storable(parse(data))


@given(PIECES)
def test_pieces_of_json_are_a_value_or_a_fault(pieces: list[str]) -> None:
    storable(parse("".join(pieces).encode()))


@given(JSON, st.integers(0, 1_200))
def test_a_value_at_any_depth_is_a_value(value: Any, levels: int) -> None:
    data = "[" * levels + json.dumps(value) + "]" * levels
    parsed = parse(data.encode("utf-8", "surrogatepass"))
    assert not isinstance(parsed, Fault)
    storable(parsed)


@given(JSON)
def test_plain_json_is_what_it_says(value: Any) -> None:
    assert parse(json.dumps(value).encode()) == value


def storable(value: Any) -> None:
    if not isinstance(value, Fault):
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
