"""Verdicts before a call: logged, repeated, judged again, and the crossing of the test boundary."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.state import OPEN_ATTEMPTS
from tests.domain.floor import ANN, Floor, body, configured, short

TEST = [{"path": "tests/test_a.py", "zone": "test"}]
OTHER = [{"path": "tests/test_b.py", "zone": "test"}]
SOURCE = [{"path": "src/a.py", "zone": "project"}]


def test_a_verdict_is_an_entry_with_its_rule_and_its_reason() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    judged = floor.asks(targets=SOURCE)
    assert (judged.verdict, judged.rule) == ("deny", "mode_tool")
    assert judged.entry.seq == floor.log[-1].seq
    said = body(judged.entry)
    assert (said["mode"], said["posture"]) == ("plan", "yolo")
    assert said["reason"].startswith(f"[floorboss {judged.entry.seq}] ")


def test_nothing_to_say_is_logged_as_well() -> None:
    floor = Floor()
    judged = floor.asks(targets=SOURCE)
    assert (judged.verdict, judged.rule, judged.reason) == ("none", None, None)
    assert judged.entry.kind == "decided"


def test_what_the_harness_says_of_rules_never_stands_as_ours() -> None:
    floor = Floor()
    said = {"rule": "theirs", "reason": "x", "verdict": "deny", "mode": "m", "would": "deny"}
    judged = floor.asks(targets=SOURCE, **said)
    assert (judged.verdict, judged.rule, judged.reason) == ("none", None, None)
    assert not {"rule", "reason", "would"} & body(judged.entry).keys()


def test_the_same_attempt_again_is_answered_with_the_first_and_writes_nothing() -> None:
    floor = Floor()
    first = floor.asks(call_id="c1", targets=SOURCE)
    again = floor.asks(call_id="c1", targets=SOURCE)
    assert (again.repeated, again.entry) == (True, first.entry)
    assert floor.log[-1] == first.entry
    assert floor.session().streams[""].attempts == 1


def test_an_attempt_without_an_id_is_never_a_repeat() -> None:
    floor = Floor()
    first, second = floor.asks(targets=SOURCE), floor.asks(targets=SOURCE)
    assert (second.repeated, second.entry.seq) == (False, first.entry.seq + 1)


def test_an_attempt_is_judged_again_under_what_is_in_force_by_then() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    first = floor.asks(call_id="c1", targets=SOURCE)
    floor.sets("mode", {"mode": "implementation"})
    second = floor.asks(call_id="c1", targets=SOURCE)
    third = floor.asks(call_id="c1", targets=SOURCE)
    assert [first.verdict, second.verdict, third.verdict] == ["deny", "none", "none"]
    assert second.entry.ref == first.entry.seq
    assert (third.repeated, third.entry) == (True, second.entry)
    stream = floor.session().streams[""]
    assert (stream.attempts, stream.interventions) == (1, 1)


def test_a_verdict_that_changed_back_is_written_again() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    first = floor.asks(call_id="c1", targets=SOURCE)
    floor.sets("mode", {"mode": "implementation"})
    floor.asks(call_id="c1", targets=SOURCE)
    floor.sets("mode", {"mode": "plan"})
    last = floor.asks(call_id="c1", targets=SOURCE)
    assert (last.verdict, last.repeated, last.entry.ref) == ("deny", False, first.entry.seq)
    assert floor.log[-1] == last.entry


@pytest.mark.parametrize(
    ("verdict", "outcome", "interventions"),
    [
        ("deny", "blocked", 1),  # counted when it was denied
        ("none", "blocked", 1),  # somebody else's hook
        ("ask", "denied", 1),  # the answer to our own question
        ("ask", "ok", 0),
        ("none", "denied", 0),
    ],
)
def test_an_intervention_counts_once(verdict: str, outcome: str, interventions: int) -> None:
    floor = Floor()
    posture = {"deny": "read-only", "ask": "ask", "none": "yolo"}[verdict]
    floor.sets("policy", {"posture": posture})
    judged = floor.asks(call_id="c1", targets=SOURCE)
    assert judged.verdict == verdict
    floor.call("e", call_id="c1", outcome=outcome, ref=judged.entry.seq)
    stream = floor.session().streams[""]
    assert stream.interventions == interventions
    denied = sum(slot.weight for slot in stream.denials)
    assert denied == (1 if outcome == "denied" and verdict == "none" else 0)


def test_observing_denies_nothing_and_says_what_it_would() -> None:
    floor = Floor(configured(enforcement="observe"))
    floor.sets("mode", {"mode": "plan"})
    judged = floor.asks(call_id="c1", targets=SOURCE)
    assert (judged.verdict, body(judged.entry)["would"]) == ("none", "deny")
    assert body(judged.entry)["rule"] == "mode_tool"
    assert floor.session().streams[""].interventions == 0
    assert floor.asks(call_id="c1", targets=SOURCE).repeated
    floor.sets("mode", {"mode": "implementation"})
    freed = floor.asks(call_id="c1", targets=SOURCE)
    assert (freed.repeated, "would" in body(freed.entry)) == (False, False)


def test_observing_restricts_as_usual() -> None:
    floor = Floor(configured(enforcement="observe"))
    floor.failing()
    assert floor.mode() == "plan"


def test_writing_a_test_crosses_and_editing_the_source_crosses_back() -> None:
    floor = Floor()
    crossed = floor.asks(targets=TEST)
    assert crossed.verdict == "none"
    assert short(crossed.pending.entries) == [
        "approved mode neutral", "applied mode test_development loosen",
        "decided tool test_development neutral",
    ]  # fmt: skip
    approved, applied, _ = crossed.pending.entries
    assert (approved.actor, approved.ref, applied.ref) == (ANN, 1, approved.seq)
    assert (body(approved)["standing"], body(approved)["use"], body(approved)["of"]) == (
        "boundary", 1, 30
    )  # fmt: skip
    assert floor.mode() == "test_development"
    back = floor.asks(targets=SOURCE)
    assert (back.verdict, floor.mode()) == ("none", "implementation")
    assert floor.session().crossings == 1


def test_red_closes_the_tests_but_not_the_way_back_to_the_source() -> None:
    floor = Floor()
    floor.asks(targets=TEST)
    _written(floor, TEST)
    _run(floor, "red")
    assert floor.asks(targets=TEST).verdict == "none"  # written in this stay
    closed = floor.asks(targets=OTHER)
    assert (closed.verdict, closed.rule) == ("deny", "boundary")
    assert floor.asks(targets=SOURCE).verdict == "none"
    assert floor.mode() == "implementation"
    assert floor.asks(targets=TEST).verdict == "deny"  # a test seen red is not made green so
    assert floor.mode() == "implementation"


def _written(floor: Floor, targets: list[dict[str, str]], **said: Any) -> None:
    floor.call("e", effects=["write"], targets=targets, **{"class": "edit"}, **said)


def _run(floor: Floor, result: str, target: str = "pytest") -> None:
    run = {"runner": "pytest", "target": target, "result": result}
    floor.call(f"run {target}", test=run, failed=result == "red", **{"class": "test"})


@pytest.mark.parametrize("outcome", ["blocked", "denied", "error", "cancelled", "unknown"])
def test_a_write_that_did_not_happen_opens_no_test(outcome: str) -> None:
    floor = Floor()
    floor.asks(targets=TEST)
    _run(floor, "red")
    assert floor.asks(targets=OTHER).verdict == "deny"
    _written(floor, OTHER, outcome=outcome, failed=outcome == "error")
    assert floor.asks(targets=OTHER).verdict == "deny"


@pytest.mark.parametrize(
    ("red", "green", "opens"),
    [
        ("pytest tests/a.py", "pytest tests/a.py", True),
        ("pytest tests/a.py", "pytest", True),  # the whole of the same runner includes it
        ("pytest", "pytest tests/a.py", False),
        ("pytest tests/a.py", "pytest tests/b.py", False),
    ],
)
def test_a_green_run_that_includes_the_red_one_opens_the_tests(
    red: str, green: str, opens: bool
) -> None:
    floor = Floor()
    _run(floor, "red", red)
    _run(floor, "green", green)
    assert (floor.asks(targets=TEST).verdict == "none") == opens


@pytest.mark.parametrize("what", ["edit", "unknown"])
def test_edits_and_unknown_runs_change_nothing(what: str) -> None:
    floor = Floor()
    _run(floor, "red")
    if what == "edit":
        _written(floor, SOURCE)
    else:
        _run(floor, "unknown")
    assert floor.asks(targets=TEST).verdict == "deny"


def test_the_uses_of_a_session_come_to_an_end() -> None:
    floor = Floor()
    for _ in range(30):
        assert floor.asks(targets=TEST).verdict == "none"
        floor.asks(targets=SOURCE)
    last = floor.asks(targets=TEST)
    assert (last.verdict, last.rule, floor.mode()) == ("deny", "mode_write", "implementation")
    assert floor.asks(scope="t", targets=TEST).verdict == "none"  # another session has its own


def test_strict_has_no_standing_approval() -> None:
    floor = Floor(configured("strict"))
    assert floor.asks(targets=TEST).verdict == "deny"
    assert [entry.kind for entry in floor.log[1:]] == ["decided"]


def test_a_mode_that_a_person_chose_is_left_only_by_a_person() -> None:
    for mode in ("implementation", "test_development"):
        floor = Floor()
        floor.sets("mode", {"mode": mode})
        assert floor.asks(targets=SOURCE if mode == "test_development" else TEST).verdict == "deny"
        assert floor.mode() == mode


def test_a_restriction_of_the_machine_is_not_crossed() -> None:
    floor = Floor()
    floor.failing()
    assert floor.asks(targets=TEST).verdict == "deny"
    assert floor.mode() == "plan"


@pytest.mark.parametrize("targets", [SOURCE, TEST])
def test_the_first_call_of_an_agent_is_judged_by_who_started_it(
    targets: list[dict[str, str]],
) -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"}, scope="s/a")
    judged = floor.asks(scope="s/b", targets=targets, parent_agent_id="a")
    assert (judged.verdict, judged.rule) == ("deny", "mode_tool")
    assert floor.asks(scope="s/c", targets=SOURCE).verdict == "none"


def test_a_crossing_is_the_sessions_also_when_an_agent_asks_for_it() -> None:
    floor = Floor()
    floor.asks(scope="s/a", targets=TEST)
    assert floor.mode("s") == "test_development"


def test_after_a_crossing_the_way_back_leads_to_the_side_it_came_from() -> None:
    floor = Floor()
    floor.asks(targets=TEST)
    floor.failing()
    (back,) = floor.open()
    floor.decides("approve", back)
    assert floor.mode() == "test_development"


def test_a_stay_ends_with_its_mode_and_not_with_an_agents() -> None:
    floor = Floor()
    floor.asks(targets=TEST)
    _written(floor, TEST)
    floor.sets("mode", {"mode": "plan"}, "s/a")
    applied = floor.log[-1].seq
    floor.decides("revert", applied)
    assert floor.session().written == {"tests/test_a.py"}
    floor.asks(targets=SOURCE)
    assert floor.session().written == frozenset()


def test_so_many_attempts_are_remembered_and_no_more() -> None:
    floor = Floor()
    for at in range(OPEN_ATTEMPTS + 3):
        said = {"tool": "Read", "class": "read", "call_id": f"c{at}", "verdict": "none"}
        floor.writes("decided", "s", "tool", "machine", said)
    assert len(floor.session().attempts.values) == OPEN_ATTEMPTS
    assert floor.asks(call_id=f"c{OPEN_ATTEMPTS}", identity=None).entry.ref is not None


def test_one_call_with_two_event_ids_is_remembered_once() -> None:
    floor = Floor()
    for at in range(OPEN_ATTEMPTS + 3):
        name = "same" if at < 2 else f"c{at}"
        said = {"class": "read", "call_id": name, "event_id": f"e{at}", "verdict": "none"}
        floor.writes("decided", "s", "tool", "machine", said)
    assert floor.folded() == floor.book
