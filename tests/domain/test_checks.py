"""Checks: what trips, what stays quiet, and for how long."""

from __future__ import annotations

from dataclasses import replace
from operator import gt, lt

import pytest

from app.domain.checks import tripped
from app.domain.comparisons import CHECKS
from app.domain.events import Usage
from app.domain.findings import BELOW, find
from app.domain.interventions import Said
from app.domain.profiles import MEANINGS
from app.domain.readings import readings
from app.domain.signals import (
    EMPTY,
    Cause,
    Stream,
    asked,
    compacted,
    finished,
    prompted,
    turned,
    used,
    zeroed,
)
from tests.domain.calls import (
    DEFAULT,
    STRICT,
    after,
    again,
    answered,
    call,
    cause_of,
    edit,
    reacted,
    red,
)

CLOSED_SET = frozenset(  # an interface: see CONTRIBUTING.md
    {
        *("repeated", "same_error", "no_progress", "edit_failures", "test_failure"),
        *("success_rate", "timeouts", "denials", "context", "streak", "review", "coverage"),
        *("blocked_storm", "escalation", "error_streak", "cost", "tokens_written", "turn_seconds"),
    }
)


def test_every_check_names_a_rule_of_the_closed_set_and_every_rule_has_a_check() -> None:
    assert {check.rule for check in CHECKS} == CLOSED_SET


def test_every_check_has_its_threshold_in_both_profiles() -> None:
    assert {check.threshold for check in CHECKS} <= set(MEANINGS)
    assert set(DEFAULT) == set(STRICT) == set(MEANINGS)


def test_only_what_holds_below_its_threshold_trips_below_it() -> None:
    assert {check.rule for check in CHECKS if check.beyond is lt} == BELOW
    assert [check.threshold for check in CHECKS if check.beyond is gt] == ["denials.rate"]


def test_a_failing_call_trips_the_third_time_and_says_which_calls() -> None:
    stream = after(call(seq, outcome="error") for seq in (1, 2))
    assert tripped(stream, DEFAULT) == ()
    (trip,) = tripped(finished(stream, call(3, outcome="error")), DEFAULT)
    assert (trip.rule, trip.value, trip.threshold, trip.target) == ("repeated", 3, 3, "plan")
    assert trip.seqs == (1, 2, 3)
    assert trip.detail == "same failing call 3 times, nothing changed in between"


def test_a_call_that_works_trips_the_fourth_time_in_default_and_the_third_in_strict() -> None:
    stream = after(call(seq) for seq in (1, 2, 3))
    assert tripped(stream, DEFAULT) == ()
    assert [trip.rule for trip in tripped(stream, STRICT)] == ["repeated"]
    assert [trip.rule for trip in tripped(finished(stream, call(4)), DEFAULT)] == ["repeated"]


def test_zero_turns_a_check_off() -> None:
    stream = after(call(seq, outcome="error") for seq in range(1, 9))
    assert all(trip.rule != "repeated" for trip in tripped(stream, {**DEFAULT, **_OFF}))


_OFF = {name: 0.0 for name in DEFAULT if name.startswith("repeated.")}


def test_what_fired_is_latched_until_it_has_not_held_for_five_calls() -> None:
    loop = [call(seq, outcome="error") for seq in range(1, 8)]
    stream, trips = reacted(loop)
    assert [trip.rule for trip in trips] == ["repeated"]
    stream = after([edit(8)], stream)  # the counter starts again, the latch is still closed
    stream = after((call(seq, f"other {seq}") for seq in range(9, 14)), stream)
    stream, trips = reacted((call(seq, outcome="error") for seq in (14, 15, 16)), stream)
    assert [trip.rule for trip in trips] == ["repeated"]


def test_after_an_automatic_change_the_next_one_waits_and_is_asked_again() -> None:
    stream, trips = reacted([call(seq, outcome="error") for seq in (1, 2, 3)])
    assert len(trips) == 1
    stream = after((call(seq, "b", "error") for seq in (4, 5, 6)), stream)
    assert tripped(stream, DEFAULT) == ()
    stream = after((call(seq, f"fine {seq}") for seq in (7, 8)), stream)
    stream, trips = answered(finished(stream, call(9, "b", "error")))
    assert [trip.rule for trip in trips] == ["repeated"]


def test_nothing_trips_after_an_event_that_adds_no_evidence() -> None:
    stream = after(call(seq, outcome="timeout", identity=str(seq)) for seq in (1, 2, 3))
    assert [trip.rule for trip in tripped(stream, DEFAULT)] == ["timeouts"]
    assert tripped(finished(stream, call(4, "fine")), DEFAULT) == ()


def test_in_the_shadow_of_a_block_of_ours_a_repeat_is_advice_and_a_change_may_follow() -> None:
    stream = after(call(seq) for seq in (1, 2, 3))
    stream = asked(stream, call(4, "write"), Said("deny"), "mode_write")
    stream, trips = reacted([call(5)], stream)
    assert [(t.rule, t.advice, t.target, t.response) for t in trips] == [
        ("repeated", True, None, "notice")
    ]
    stream = after((call(seq, f"fine {seq}") for seq in range(6, 11)), stream)
    stream, trips = reacted([call(11)], stream)
    assert [(t.rule, t.advice, t.target) for t in trips] == [("repeated", False, "plan")]


def test_a_foreign_block_casts_no_shadow_and_tightens_nothing() -> None:
    blocked = call(4, "write", "blocked", rule="foreign_hook")
    stream = after([*(call(seq) for seq in (1, 2, 3)), blocked])
    (trip,) = tripped(finished(stream, call(5)), DEFAULT)
    assert (trip.rule, trip.advice) == ("repeated", False)


def test_blocks_trip_nothing_but_the_storm() -> None:
    _, trips = reacted(
        call(seq, f"write {seq}", "blocked", rule="mode_write", ours=True) for seq in range(1, 20)
    )
    assert {trip.rule for trip in trips} == {"blocked_storm"}
    assert {trip.target for trip in trips} == {None}


def test_a_block_counted_at_its_verdict_counts_once() -> None:
    stream = EMPTY
    for seq in (1, 3, 5):
        stream = asked(stream, call(seq, "write"), Said("deny"), "mode_write")
        end = call(seq + 1, "write", "blocked", ref=seq)
        stream = finished(stream, end, counted=False)
    assert stream.interventions == 3
    assert readings(stream, DEFAULT)["intervention_rate"][0] == 1.0


def test_an_approved_return_must_be_earned_again_in_full() -> None:
    stream, (trip,) = reacted([call(seq, outcome="error") for seq in (1, 2, 3)])
    stream = zeroed(stream, (cause_of(trip),))
    stream = after((call(seq, f"fine {seq}") for seq in range(4, 9)), stream)
    stream, trips = reacted([call(seq, outcome="error") for seq in (9, 10)], stream)
    assert trips == []
    stream, trips = reacted([call(11, outcome="error")], stream)
    assert [trip.value for trip in trips] == [3]


def test_errors_that_took_turns_must_come_back_as_often_again_after_a_return() -> None:
    turns = [call(seq, str(seq), "error", error="AB"[seq % 2]) for seq in range(1, 15)]
    stream, (trip,) = reacted(turns[:7])
    assert trip.key == "again"
    stream = zeroed(stream, (cause_of(trip),))
    found = find(after(turns[7:], stream), "same_error", "again")
    assert found == (5, (10, 11, 12, 13, 14))


def test_a_failed_edit_that_a_person_answered_counts_for_its_path_no_more() -> None:
    edits = [edit(seq, str(seq), "error") for seq in range(1, 4)]
    others = [call(seq, str(seq), "error") for seq in range(4, 11)]
    stream = after([*edits, *others])
    found = find(stream, "success_rate", "severe")
    stream = zeroed(
        stream, (Cause(rule="success_rate", key="severe", threshold=0.3, seqs=found.seqs),)
    )
    assert find(stream, "edit_failures", "path:a.py").value == 0


def test_the_context_fires_once_per_excursion() -> None:
    fills = [0.79, 0.81, 0.83, 0.76, 0.82, 0.69, 0.85]
    calls = [
        call(seq, str(seq), context_tokens=int(fill * 1000), context_limit=1000)
        for seq, fill in enumerate(fills, 1)
    ]
    _, trips = reacted(calls)
    assert [(trip.response, trip.seqs) for trip in trips] == [("compact", (2,)), ("compact", (7,))]


@pytest.mark.parametrize("share", [0.5, 0.6])
def test_exactly_half_is_not_below_half(share: float) -> None:
    failing = round(10 * (1 - share))
    calls = [call(seq, str(seq)) for seq in range(1, 11 - failing)]
    calls += [call(seq, str(seq), "error") for seq in range(11 - failing, 11)]
    assert all(trip.rule != "success_rate" for trip in tripped(after(calls), DEFAULT))


def test_a_severe_rate_needs_different_failing_calls() -> None:
    same = after(call(seq, "ab"[seq % 2], "error", changes=False) for seq in range(1, 11))
    many = after(call(seq, str(seq), "error") for seq in range(1, 11))
    assert _keys(same, "success_rate") == {"low"}
    assert _keys(many, "success_rate") == {"severe", "low"}


def _keys(stream: Stream, rule: str) -> set[str]:
    return {trip.key for trip in tripped(stream, DEFAULT) if trip.rule == rule}


def test_five_reds_without_progress_trip_and_progress_starts_again() -> None:
    counts = [4, 4, 4, 4, 3, 3, 3, 3, 3]
    calls = []
    for at, failed in enumerate(counts, 1):
        calls += [edit(2 * at, str(at)), red(2 * at + 1, failed)]
    _, trips = reacted(calls)
    assert [(t.rule, t.target, t.value) for t in trips] == [("test_failure", "debug", 5)]
    assert trips[0].seqs == (11, 13, 15, 17, 19)


def test_a_streak_of_distinct_clean_calls_asks_for_a_looser_posture_once() -> None:
    _, trips = reacted(call(seq, str(seq)) for seq in range(1, 60))
    assert [(trip.rule, trip.response) for trip in trips] == [("streak", "looser_posture")]


def test_where_verdicts_are_asked_for_only_calls_that_had_one_count_to_the_streak() -> None:
    stream = asked(EMPTY, call(1, "first"), Said())
    _, trips = reacted((call(seq, str(seq)) for seq in range(2, 60)), stream)
    assert trips == []
    _, trips = reacted((call(seq, str(seq), ref=seq - 1) for seq in range(2, 60)), stream)
    assert [trip.rule for trip in trips] == ["streak"]


def test_a_coverage_gap_proposes_tests_once() -> None:
    calls = [call(seq, str(seq), gap=True) for seq in (1, 2, 3)]
    _, trips = reacted(calls)
    assert [(t.rule, t.response, t.target) for t in trips] == [
        ("coverage", "proposal", "test_development")
    ]


def test_a_cost_without_a_cap_never_trips_and_near_its_cap_it_does() -> None:
    stream = used(turned(EMPTY), Usage(cost=9.0), day="2026-11-30", seq=4)
    assert tripped(stream, DEFAULT) == ()
    near = tripped(stream, {**DEFAULT, "cost.cap": 10})
    assert [(t.rule, t.value, t.threshold, t.seqs) for t in near] == [("cost", 9.0, 8.0, (4,))]
    tomorrow = used(turned(stream), Usage(cost=1.0), day="2026-12-01")
    assert tripped(tomorrow, {**DEFAULT, "cost.cap": 10}) == ()


def test_a_person_speaking_starts_counters_again_and_a_notification_does_not() -> None:
    stream = after(call(seq, outcome="error") for seq in (1, 2))
    for person, fires in ((True, 0), (False, 1)):
        later = finished(prompted(stream, person), call(3, outcome="error"))
        assert len(tripped(later, DEFAULT)) == fires


def test_a_compaction_lets_everything_be_read_once_more_and_no_more() -> None:
    stream = compacted(after([call(1)]))
    stream = after((call(seq) for seq in (2, 3)), stream)  # 2 is free, 3 is the second of its kind
    assert tripped(after([call(4)], stream), DEFAULT) == ()
    assert [t.rule for t in tripped(after([call(4), call(5)], stream), DEFAULT)] == ["repeated"]


def test_strict_counts_calls_without_progress_and_denied_shares() -> None:
    stale = after([call(1, "a"), *(again(call(1, "a"), seq) for seq in range(2, 13))])
    assert "calls" in {t.key for t in tripped(stale, STRICT) if t.rule == "no_progress"}
    mixed = [call(seq, str(seq), "denied" if seq % 3 == 2 else "ok") for seq in range(1, 21)]
    assert [t.key for t in tripped(after(mixed), STRICT) if t.rule == "denials"] == ["rate"]
    assert tripped(after(mixed[:-1]), STRICT) == ()


def test_readings_show_every_signal_of_the_seeds_beside_its_threshold() -> None:
    stream = after(call(seq, outcome="error") for seq in (1, 2))
    shown = readings(stream, DEFAULT)
    assert shown["repeated"] == (2.0, 3.0)
    assert shown["error_streak"] == (2.0, 0.0)
    assert set(shown) >= {
        *("repeated", "timeouts", "success_rate", "context", "denials"),
        *("edit_failures", "no_progress"),
        *("intervention_rate", "blocked_then_blocked", "steps_after_first_terminal_block"),
        *("error_streak", "cost", "tokens_written", "turn_seconds"),
    }


def test_the_way_back_of_one_check_leaves_the_others_latched() -> None:
    stream, trips = reacted([call(seq, outcome="error") for seq in (1, 2, 3)])
    other = replace(cause_of(trips[0]), rule="timeouts", key="count")
    assert zeroed(stream, (other,)).latches == stream.latches
