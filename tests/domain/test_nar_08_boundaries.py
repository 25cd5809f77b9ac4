"""NAR-08: every threshold one step below, at and one step above; windows half full and rolled over.

Made from the table of thresholds: one that is new fails here until it has a row. The direction in
which each of them trips is what docs/detection.md 2 says: from the number on, but above the share
of denials, and below the success rates and the mean seconds between polls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from app.classification.identity import identity
from app.domain.checks import Trip, tripped
from app.domain.modes import ProfileName
from app.domain.profiles import MEANINGS, THRESHOLDS
from app.domain.signals import Stream
from tests.domain.calls import after, call
from tests.domain.thresholds import ROWS, WINDOWS, Trips, spaced

PROFILES: Final[tuple[ProfileName, ...]] = ("default", "strict")
SIDES: Final[dict[Trips, tuple[bool, bool, bool]]] = {  # below, at, above
    "from": (False, True, True),
    "above": (False, False, True),
    "below": (True, False, False),
}
SHARES: Final = ("denials.rate", "success_rate.low", "success_rate.severe")


def test_nar_08_every_threshold_has_a_row_and_every_window_too() -> None:
    assert set(ROWS) == set(MEANINGS)
    windowed = {name for name, row in MEANINGS.items() if _looks_back(row.meaning)}
    assert windowed | {"success_rate.severe"} == {*WINDOWS, *SHARES}


def _looks_back(meaning: str) -> bool:
    return any(words in meaning for words in ("the last", "in 10 calls"))


def numbers() -> Iterator[Any]:
    """Each threshold with each number that it has in a profile, or one to try where it is off."""
    for name, row in ROWS.items():
        found = {THRESHOLDS[profile][name] for profile in PROFILES} - {0}
        for number in sorted(found or {row.tried}):
            if name != "review.to_mode":
                yield pytest.param(name, number, id=f"{name} {number:g}")


def trips(name: str, number: float, stream: Stream) -> list[Trip]:
    """What trips where this threshold is the only one that is on, with what it needs."""
    return list(tripped(stream, {name: number, **ROWS[name].beside}))


@pytest.mark.parametrize(("name", "number"), [*numbers()])
@pytest.mark.parametrize("side", [-1, 0, 1], ids=["below", "at", "above"])
def test_nar_08_a_value_beside_its_threshold(name: str, number: float, side: int) -> None:
    row = ROWS[name]
    value = round(number + side * row.step, 6)
    if row.highest is not None:
        value = min(value, row.highest)
    found = trips(name, number, row.reach(value))
    assert bool(found) == SIDES[row.trips][side + 1]
    assert {trip.rule for trip in found} <= {name.partition(".")[0]}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", [name for name in ROWS if name != "review.to_mode"])
def test_nar_08_a_profile_has_what_its_table_says(name: str, profile: ProfileName) -> None:
    """With all other numbers of the profile on: the check trips at its own number, or is off."""
    row, number = ROWS[name], THRESHOLDS[profile][name]
    beyond = number + {"from": 0, "above": row.step, "below": -row.step}[row.trips]
    on = {**THRESHOLDS[profile], **row.beside, name: number}
    stream = row.reach(round(beyond, 6) if number else row.tried)
    with_it = {trip.key for trip in tripped(stream, on) if trip.rule == name.partition(".")[0]}
    without = {trip.key for trip in tripped(stream, {**on, name: 0})}
    assert bool(with_it) if number else with_it <= without


@pytest.mark.parametrize(("number", "response"), [(0, "notice"), (1, "mode"), (2, "mode")])
def test_nar_08_what_a_green_turn_leads_to(number: float, response: str) -> None:
    row = ROWS["review.to_mode"]
    (trip,) = tripped(row.reach(number), {"review.to_mode": number, **row.beside})
    assert trip.response == response


@pytest.mark.parametrize("name", list(WINDOWS))
@pytest.mark.parametrize("profile", PROFILES)
def test_nar_08_a_count_in_a_window_that_fills_and_rolls_over(
    name: str, profile: ProfileName
) -> None:
    window = WINDOWS[name]
    number = THRESHOLDS[profile][name] or THRESHOLDS["default"][name] or THRESHOLDS["strict"][name]
    counted = round(number)
    for others in (0, window.size - counted):  # partly filled; just full
        assert trips(name, number, spaced(window, counted, others)), others
    assert not trips(name, number, spaced(window, counted, window.size - counted + 1))
    assert trips(name, number, spaced(window, counted + 1, window.size - counted - 1))


@pytest.mark.parametrize(
    ("name", "size", "bad"),
    [("denials.rate", 20, "denied"), ("success_rate.low", 10, "error"),
     ("success_rate.severe", 10, "error")],
)  # fmt: skip
def test_nar_08_a_share_needs_a_full_window_and_forgets_what_rolled_out(
    name: str, size: int, bad: Any
) -> None:
    number = THRESHOLDS["default"][name] or THRESHOLDS["strict"][name]
    short = after(call(seq, str(seq), bad) for seq in range(1, size))
    assert not trips(name, number, short)
    full = after([call(size, str(size), bad)], short)
    assert trips(name, number, full)
    fine = after((call(seq, str(seq)) for seq in range(size + 1, 2 * size)), full)
    assert not trips(name, number, after([call(2 * size, "last", bad)], fine))


@pytest.mark.parametrize(("others", "expected"), [(13, True), (14, False)])
def test_nar_08_errors_that_come_back_are_forgotten_when_they_roll_out(
    others: int, expected: bool
) -> None:
    """Seven calls with two errors in turn come back five times, while all of them are in sight."""
    turns = [call(seq, str(seq), "error", error="EF"[seq % 2]) for seq in range(1, 7)]
    stream = after([*turns, *(call(seq, str(seq)) for seq in range(7, 7 + others))])
    last = after([call(40, "40", "error", error="E")], stream)
    assert bool(trips("same_error.again", 5, last)) is expected


@pytest.mark.parametrize(("others", "expected"), [(19, True), (20, False)])
def test_nar_08_a_call_not_seen_for_twenty_calls_starts_again(others: int, expected: bool) -> None:
    stream = after(call(seq, outcome="error") for seq in (1, 2))
    stream = after((call(seq, f"other {seq}") for seq in range(3, 3 + others)), stream)
    last = after([call(3 + others, outcome="error")], stream)
    assert bool(trips("repeated.failed", 3, last)) is expected


def test_nar_08_thirty_successes_are_a_streak_in_both_profiles() -> None:
    """The prototype's window of twenty could never hold them."""
    thirty = after(call(seq, str(seq)) for seq in range(1, 31))
    for profile in PROFILES:
        assert "streak" in {trip.rule for trip in tripped(thirty, THRESHOLDS[profile])}


def test_nar_08_fifteen_denials_in_twenty_are_not_thirty_per_cent() -> None:
    """Two numbers, two checks: over 30 per cent of 20, or 15 of 20."""
    for denied, expected in ((6, set()), (7, {"rate"}), (14, {"rate"}), (15, {"rate", "count"})):
        ends = ["ok"] * (20 - denied) + ["denied"] * denied
        stream = after(call(seq, str(seq), end) for seq, end in enumerate(ends, 1))  # type: ignore[arg-type]
        found = {trip.key for trip in tripped(stream, {"denials.rate": 0.3, "denials.count": 15})}
        assert found <= {"rate", "count"}
        on = {
            name: bool(tripped(stream, {f"denials.{name}": number}))
            for name, number in (("rate", 0.3), ("count", 15))
        }
        assert {name for name, trips in on.items() if trips} == expected


def test_nar_08_three_different_commands_are_three_calls() -> None:
    """Signatures of argument names alone would make them one."""
    lines = ("make a", "make b", "make c")
    named = {identity("Bash", "shell", {"command": line}) for line in lines}
    assert len(named) == 3
