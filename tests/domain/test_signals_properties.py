"""What holds for any sequence of calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.domain.calls import Call
from app.domain.checks import tripped
from app.domain.signals import EMPTY, Stream, compacted, finished, prompted, turned
from app.domain.stream import IDENTITIES, LATCHES, RECENT, SEEN
from tests.domain.calls import DEFAULT, STRICT, answered, call

OUTCOMES = st.sampled_from(
    ["ok", "error", "timeout", "denied", "blocked", "unknown", "interrupted", "cancelled"]
)


@st.composite
def calls(draw: st.DrawFn, outcomes: st.SearchStrategy[Any] = OUTCOMES) -> list[Call]:
    """Calls of few identities, classes and answers, so that everything repeats soon."""
    found = []
    for seq in range(1, draw(st.integers(1, 50)) + 1):
        cls = draw(st.sampled_from(["read", "shell", "edit", "talk", "other"]))
        found.append(
            call(
                seq,
                draw(st.sampled_from("abc")),
                draw(outcomes),
                tool_class=cls,
                digest=draw(st.sampled_from(["x", "y", None])),
                path=draw(st.sampled_from(["p", None])),
                edit=draw(st.sampled_from(["e", "f"])) if cls == "edit" else None,
                error=draw(st.sampled_from(["boom", None])),
                changes=draw(st.booleans()),
                pace=draw(st.sampled_from(["work", "work", "poll", "drain"])),
                batch_id=draw(st.sampled_from([None, None, "m"])),
                context_tokens=draw(st.sampled_from([None, 100_000, 170_000])),
            )
        )
    return found


def _answered(found: list[Call], stream: Stream = EMPTY) -> Stream:
    for one in found:
        stream, _ = answered(finished(stream, one))
    return stream


@given(calls())
def test_the_same_calls_give_the_same_stream(found: list[Call]) -> None:
    assert _answered(found) == _answered(found)


@given(calls(), st.integers(0, 50))
def test_a_prefix_and_the_rest_give_what_the_whole_gives(found: list[Call], at: int) -> None:
    assert _answered(found[at:], _answered(found[:at])) == _answered(found)


@given(calls())
def test_calls_that_count_nowhere_can_be_left_out(found: list[Call]) -> None:
    quiet = [one._replace(context_tokens=None) for one in found]
    counted = [one for one in quiet if one.outcome not in ("unknown", "interrupted", "cancelled")]
    left, right = _answered(quiet), _answered(counted)
    assert replace(left, touched=()) == replace(right, touched=())


@given(calls(st.just("blocked")))
def test_blocks_alone_never_ask_for_a_mode(found: list[Call]) -> None:
    stream = EMPTY
    for one in found:
        stream = finished(stream, one)
        for thresholds in (DEFAULT, STRICT):
            assert all(trip.target is None for trip in tripped(stream, thresholds))


@given(calls())
def test_once_answered_nothing_trips_again_for_the_same_event(found: list[Call]) -> None:
    assert tripped(_answered(found), DEFAULT) == ()


@given(calls())
def test_every_trip_names_calls_of_this_stream(found: list[Call]) -> None:
    stream = EMPTY
    for one in found:
        stream, trips = answered(finished(stream, one))
        for trip in trips:
            assert set(trip.seqs) <= set(range(1, one.seq + 1))
            assert list(trip.seqs) == sorted(trip.seqs)


@given(calls(), st.lists(st.sampled_from(["person", "harness", "turn", "compact"]), max_size=4))
def test_everything_stays_bounded(found: list[Call], between: list[str]) -> None:
    stream = _answered(found)
    for what in between:
        match what:
            case "turn":
                stream = turned(stream)
            case "compact":
                stream = compacted(stream)
            case _:
                stream = prompted(stream, what == "person")
        stream = _answered(found, stream)
    assert len(stream.recent) <= RECENT
    assert len(stream.latches) <= LATCHES
    assert len(stream.seen.values) <= SEEN
    assert len(stream.repeats) <= IDENTITIES
