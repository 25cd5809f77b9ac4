"""The quick replace does what `dataclasses.replace` does."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.replacing import replace
from app.domain.stream import EMPTY, Reds, Stream, counting

NUMBERS = st.dictionaries(
    st.sampled_from(["calls", "attempts", "interventions", "generation"]), st.integers(0, 9)
)


@given(NUMBERS, NUMBERS)
def test_wide_values_are_replaced_as_the_library_does(
    first: dict[str, int], second: dict[str, int]
) -> None:
    stream: Stream = dataclasses.replace(EMPTY, **first)  # type: ignore[arg-type]
    made: Stream = replace(stream, **second)  # type: ignore[arg-type]
    assert made == dataclasses.replace(stream, **second)  # type: ignore[arg-type]
    assert stream == dataclasses.replace(EMPTY, **first)  # type: ignore[arg-type]


def test_values_with_slots_take_the_ordinary_way() -> None:
    reds = Reds(count=1, best=3)
    assert replace(reds, count=2) == Reds(count=2, best=3)


def test_a_working_copy_is_written_to_until_it_is_frozen_and_its_origin_never() -> None:
    step = counting(EMPTY)
    step.calls = 3
    stream = step.frozen()
    assert stream == dataclasses.replace(EMPTY, calls=3)
    assert Stream() == EMPTY
    for written in (stream, step, EMPTY):
        with pytest.raises(dataclasses.FrozenInstanceError):
            written.calls = 4
