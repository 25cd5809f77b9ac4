"""Events of any size can be sent; what is small stays as it is."""

from __future__ import annotations

import pytest

from app.api.body import EVENT
from app.domain.events import Coverage, Event, Json
from app.harness import neutral
from app.harness.base import Fault
from app.harness.strict_json import parse
from app.replay.fitting import LARGEST, fitted, sent

HUGE = "é" * 3_000_000

LARGE: dict[str, Event] = {
    "a long result": Event(session_id="s", tool="Bash", result=HUGE + "tail"),
    "a long argument": Event(session_id="s", tool="Write", arguments={"content": HUGE}),
    "long texts far inside": Event(session_id="s", tool="X", arguments={"a": [{"b": HUGE}] * 3}),
    "very many numbers": Event(
        session_id="s", tool="X", arguments={"a": list[Json](range(300_000))}
    ),
    "long names": Event(session_id="s", tool="X", arguments={HUGE: 1}),
    "a long report": Event(
        session_id="s", kind="turn", coverage=Coverage(uncovered=("a.py:1",) * 400_000)
    ),
}


def test_the_limit_is_that_of_the_routes() -> None:
    assert LARGEST == EVENT


@pytest.mark.parametrize("event", LARGE.values(), ids=LARGE.keys())
def test_what_is_too_large_is_clipped_until_it_can_be_sent(event: Event) -> None:
    smaller = fitted(event)
    assert len(sent(event)) > LARGEST >= len(sent(smaller))
    assert fitted(smaller) == smaller
    said = parse(sent(smaller))
    assert not isinstance(said, Fault)
    assert neutral.event(said) == smaller


def test_the_end_of_a_long_result_stays() -> None:
    result = fitted(LARGE["a long result"]).result
    assert result is not None
    assert result.endswith("étail")


def test_what_fits_stays_as_it_is() -> None:
    event = Event(session_id="s", tool="Bash", result="x" * 900_000)
    assert fitted(event) is event
