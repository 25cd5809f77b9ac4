"""The counters: what one more entry makes of a stream."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.calls import BuildRun, Call, TestRun
from app.domain.events import Outcome, Usage
from app.domain.findings import Finding, find
from app.domain.interventions import Said
from app.domain.signals import EMPTY, asked, finished, prompted, turned, used
from app.domain.stream import VOTES
from tests.domain.calls import after, build, call, edit, red


@pytest.mark.parametrize("outcome", ["unknown", "interrupted", "cancelled"])
def test_what_ran_for_nobody_counts_nowhere(outcome: Outcome) -> None:
    before = after([call(1), call(2, outcome="error")])
    later = finished(before, call(3, outcome=outcome, failed=True))
    assert later.calls == before.calls
    assert later.repeats == before.repeats
    assert later.rates == before.rates
    assert later.denials == before.denials


def test_the_same_call_twice_in_one_response_is_one_vote() -> None:
    stream = after(call(seq, "a", batch_id="m1") for seq in (1, 2, 3))
    assert find(stream, "repeated", "same:a").value == 1
    stream = after([call(4, "a", batch_id="m2")], stream)
    assert find(stream, "repeated", "same:a").value == 2


def test_a_response_counts_at_most_one_denial() -> None:
    stream = after(call(seq, str(seq), "denied", batch_id="m1") for seq in (1, 2, 3))
    assert find(stream, "denials", "dense").value == 1


def test_a_change_of_state_starts_repeats_again_but_an_edit_made_before_changes_nothing() -> None:
    stream = after([call(1), call(2), edit(3), call(4)])
    assert find(stream, "repeated", "same:a").value == 1
    stream = after([edit(5), call(6)], stream)
    assert find(stream, "repeated", "same:a").value == 2


def test_a_mutating_command_changes_the_state_only_the_first_time() -> None:
    commands = [call(seq, "git add", changes=True) for seq in (1, 2, 3)]
    assert find(after(commands), "repeated", "same:git add").value == 3


def test_a_mutating_command_with_an_answer_nobody_has_seen_changes_the_state_again() -> None:
    bisect = [call(seq, "git bisect bad", changes=True, digest=f"{seq} left") for seq in (1, 3, 5)]
    runs = [call(seq, "make check", "error") for seq in (2, 4, 6)]
    steps = sorted([*bisect, *runs], key=lambda each: each.seq)
    assert find(after(steps), "repeated", "same:make check").value == 1


def test_one_edit_to_and_fro_is_one_thing_that_repeats() -> None:
    there: dict[str, Any] = {
        "tool_class": "edit",
        "path": "a.py",
        "changes": True,
        "edit": "x",
        "reverse": "y",
    }
    back = {**there, "edit": "y", "reverse": "x"}
    toggles = [call(seq, str(seq % 2), **(there if seq % 2 else back)) for seq in (1, 2, 3, 4)]
    assert find(after(toggles[:2]), "repeated", "same:x").value == 1  # one new answer
    again = [*toggles, call(5, "1", **there), call(6, "0", **back)]
    assert find(after(again), "repeated", "same:x").value == 5
    other = edit(7, "something else")
    assert find(after([*again, other]), "repeated", "same:x").value == 0


def test_a_call_that_ends_otherwise_starts_its_repeats_again() -> None:
    flaky = [call(seq, "a", "error" if seq % 2 else "ok") for seq in range(1, 9)]
    assert find(after(flaky), "repeated", "same:a").value == 1


def test_a_poll_that_meets_one_error_again_and_again_counts_however_long_apart() -> None:
    refused = [call(seq, pace="drain", failed=False, error="E") for seq in range(1, 8)]
    assert find(after(refused), "repeated", "poll:a").value == 7
    assert after(refused).repeats["a"].failed
    assert not after([*refused, call(8, pace="drain")]).repeats["a"].failed


def test_a_new_answer_starts_again_and_says_that_the_call_watches_something() -> None:
    for pace in ("work", "poll"):
        calls = [call(seq, pace=pace) for seq in (1, 2)]
        calls += [call(3, pace=pace, digest="another answer"), call(4, pace=pace)]
        assert find(after(calls), "repeated", "poll:a").value == 2
        assert after(calls).repeats["a"].watches


def test_a_file_that_is_told_in_two_ways_is_no_watch() -> None:
    told = ["text", "text", "unchanged", "unchanged", "unchanged"]
    stream = after(call(seq, tool_class="read", digest=each) for seq, each in enumerate(told))
    assert find(stream, "repeated", "same:a").value == 4


def test_a_watch_that_a_list_does_not_know_counts_as_a_poll() -> None:
    answers = ["31 %", "31 %", "48 %", "66 %", "66 %", "66 %", "66 %", "66 %"]
    stream = after(call(seq, digest=each) for seq, each in enumerate(answers))
    assert [key for rule, key in stream.touched if rule == "repeated"] == ["poll:a"]
    assert find(stream, "repeated", "poll:a").value == 5


def test_an_identity_not_seen_for_twenty_calls_starts_again() -> None:
    stream = after([call(1), call(2)])
    stream = after((call(seq, str(seq)) for seq in range(3, 23)), stream)
    assert find(stream, "repeated", "same:a").value == 2
    stream = after([call(23, "23"), call(24)], stream)
    assert find(stream, "repeated", "same:a").value == 1


def test_the_one_failing_test_that_is_named_is_not_the_same_failure_when_fewer_fail() -> None:
    stream = after(red(seq, failed=8 - seq, names=("t::a",)) for seq in range(1, 8))
    assert {failing.times for _, failing in stream.failing_names.items()} == {1}
    stream = after((red(seq, failed=3, names=("t::a",)) for seq in range(8, 12)), stream)
    assert max(failing.times for _, failing in stream.failing_names.items()) == 5


def test_a_green_run_clears_its_target_and_the_names_of_its_runner() -> None:
    stream = after(red(seq, names=("t::a",)) for seq in (1, 2))
    assert find(stream, "test_failure", "target:pytest a").value == 2
    green = TestRun(runner="pytest", target="pytest a", result="green")
    stream = after([call(3, "tests", test=green)], stream)
    assert find(stream, "test_failure", "target:pytest a").value == 0
    assert len(stream.failing_names.values) == 0


def test_an_unknown_count_and_another_text_weigh_half() -> None:
    calls = [red(seq, None, digest=f"text {seq}") for seq in (1, 2, 3)]
    assert find(after(calls), "test_failure", "target:pytest a").value == 2
    same = [red(seq, None) for seq in (1, 2, 3)]
    assert find(after(same), "test_failure", "target:pytest a").value == 3


def test_other_tests_failing_are_progress_and_the_same_ones_with_one_more_are_not() -> None:
    moved = [red(1, 1, ("t::a",)), red(2, 1, ("t::b",))]
    assert find(after(moved), "test_failure", "target:pytest a").value == 1
    worse = [red(1, 1, ("t::a",)), red(2, 2, ("t::a", "t::b"))]
    assert find(after(worse), "test_failure", "target:pytest a").value == 2
    back = [*moved, red(3, 1, ("t::a",))]
    assert find(after(back), "test_failure", "target:pytest a").value == 2


def test_tests_that_take_turns_in_failing_are_no_progress() -> None:
    runs = [("a", "b"), ("b", "c"), ("a", "b"), ("a", "c"), ("b", "c")]
    stream = after(red(seq, 2, names) for seq, names in enumerate(runs, 1))
    assert find(stream, "test_failure", "target:pytest a").value == 4  # since c came


def test_errors_that_come_back_count_together() -> None:
    stream = after(call(seq, str(seq), "error", error="EFG"[seq % 3]) for seq in range(1, 9))
    assert find(stream, "same_error", "again").value == 5
    assert find(stream, "same_error", "error:E").value == 2


def test_an_error_that_a_call_is_shown_counts_once_after_each_thing_that_was_tried() -> None:
    def shown(seq: int) -> Call:
        return call(seq, "logs", pace="poll", error="E", digest=str(seq))

    stream = after([shown(1), shown(2), shown(3)])
    assert find(stream, "same_error", "error:E").value == 1
    tried = [call(4, "restart", changes=True), shown(5), shown(6)]
    tried += [call(7, "restart", changes=True), shown(8)]
    assert find(after(tried, stream), "same_error", "error:E").value == 3


def test_what_the_system_refuses_is_half_a_denial_beside_denials() -> None:
    refused = [call(seq, str(seq), "error", refused=True) for seq in (1, 2)]
    denials = [call(seq, str(seq), "denied") for seq in (3, 4, 5)]
    stream = after([*refused, *denials])
    assert find(stream, "denials", "dense").value == 4
    assert find(stream, "denials", "count").value == 3
    assert all(rule != "denials" for rule, _ in after(refused).touched)


def test_a_build_that_gets_no_better_counts_and_its_errors_count_nowhere_else() -> None:
    stream = after(build(seq) for seq in range(1, 6))
    assert find(stream, "test_failure", "build:make all").value == 5
    assert find(stream, "test_failure", "errors:2|E").value == 5
    assert find(stream, "same_error", "error:E").value == 0
    fewer = after([build(6, 1)], stream)
    assert find(fewer, "test_failure", "build:make all").value == 1


def test_a_build_with_errors_nobody_has_seen_weighs_half_and_a_linter_that_only_answers_too() -> (
    None
):
    others = [build(seq, said=str(seq)) for seq in range(1, 10)]
    assert find(after(others), "test_failure", "build:make all").value == 7
    back = [*others, build(10, said="1")]
    assert find(after(back), "test_failure", "build:make all").value == 8
    run = BuildRun(runner="ruff", target="ruff", result="red", failed=2, digest="E")
    findings = [call(seq, "ruff", "error", failed=False, build=run) for seq in range(1, 10)]
    assert find(after(findings), "test_failure", "build:ruff").value == 5
    assert find(after(findings), "test_failure", "errors:2|E").value == 0


def test_a_green_build_clears_its_own_errors_and_is_no_work_done() -> None:
    stream = after([edit(1), build(2), build(3), build(4, outcome="ok")])
    assert find(stream, "test_failure", "build:make all").value == 0
    assert find(stream, "test_failure", "errors:2|E").value == 0
    assert not turned(stream).ended_green


def test_only_a_success_on_the_same_path_clears_its_failed_edits() -> None:
    stream = after(edit(seq, str(seq), "error") for seq in (1, 2, 3))
    stream = after([edit(4, "4", path="b.py"), call(5)], stream)
    assert find(stream, "edit_failures", "path:a.py").value == 3
    assert find(after([edit(6, "6")], stream), "edit_failures", "path:a.py").value == 0


def test_a_person_clears_streaks_but_not_the_windows_of_rates_and_timeouts() -> None:
    stream = after(call(seq, str(seq), "timeout") for seq in (1, 2))
    stream = after([call(3, "a"), call(4, "a"), call(5, "x", "denied")], stream)
    stream = prompted(stream, True)
    assert find(stream, "timeouts", "count").value == 2
    assert len(stream.rates) == 4
    assert find(stream, "repeated", "same:a").value == 0
    assert find(stream, "denials", "dense").value == 0


def test_two_blocks_of_one_step_are_terminal_and_what_follows_is_loss() -> None:
    stream = EMPTY
    for seq in (1, 2):
        stream = asked(stream, call(seq, "write"), Said("deny"), "mode_write")
    assert stream.blocked_then_blocked == 1
    stream = after((call(seq, str(seq), ref=seq) for seq in (3, 4)), stream)
    assert stream.after_terminal == 2


def test_a_no_to_our_own_question_is_an_intervention_and_no_denial() -> None:
    stream = finished(
        asked(EMPTY, call(1), Said("ask")), call(2, outcome="denied", ref=1), refused=True
    )
    assert (stream.interventions, len(stream.denials)) == (1, 0)


def test_a_verdict_that_lets_a_call_pass_counts_an_attempt_and_nothing_else() -> None:
    stream = finished(asked(EMPTY, call(1), Said()), call(2, ref=1))
    assert (stream.attempts, stream.interventions, stream.calls) == (1, 0, 1)


def test_usage_adds_up_in_a_turn_and_starts_again_with_the_next() -> None:
    stream = used(EMPTY, Usage(output_tokens=10, seconds=1.5))
    stream = used(turned(stream), Usage(output_tokens=5, seconds=1.0))
    assert (stream.tokens_written, stream.turn_seconds) == (15, 2.5)
    assert finished(stream, call(1)).tokens_written == 0
    assert prompted(stream, False).tokens_written == 0


def test_a_ranged_read_is_new_by_the_lines_it_asks_for() -> None:
    ranges = [(0, 1), (0, 1), (1, 2)]
    calls = [
        call(seq, f"read {lines}", path="a", lines=lines, tool_class="read", digest="same text")
        for seq, lines in enumerate(ranges, 1)
    ]
    assert find(after(calls), "no_progress", "stale") == Finding(value=1.0, seqs=(2,))


def test_the_calls_of_one_batch_that_are_told_apart_have_a_bound() -> None:
    stream = after(call(seq, str(seq), batch_id="b") for seq in range(1, 400))
    assert stream.calls == 399
    assert len(stream.votes) == VOTES


def test_no_window_grows_beyond_its_bound() -> None:
    stream = after(call(seq, str(seq), "error", error=str(seq)) for seq in range(1, 200))
    windows = (stream.recent, stream.stale, stream.errors, stream.rates, stream.timeouts)
    assert max(len(window) for window in (*windows, stream.denials)) <= 64
