"""Events in: keys and duplicates, whom a session belongs to, all of a request or nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.events import Coverage, Event, TestCounts, Usage
from app.service.control import Stored
from app.service.intake import (
    Answer,
    Conflict,
    call_key,
    event_key,
    fingerprint,
    session_of_key,
)
from tests.service.house import House, attempt, call, failing, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as opened:
        yield opened


def one(home: House, event: Event, **fields: Any) -> Answer:
    (answer,) = home.stored(event, **fields)
    return answer


def test_an_answer_names_the_entry_the_mode_and_what_fired(home: House) -> None:
    home.stored(failing(), failing())
    answer = one(home, failing())
    assert (answer.mode, answer.posture, answer.duplicate) == ("plan", "yolo", False)
    assert [(entry.kind, entry.seq) for entry in answer.fired] == [
        ("applied", answer.seq + 1), ("proposed", answer.seq + 2)
    ]  # fmt: skip
    assert all(len(entry.hash) == 64 for entry in answer.fired)


def test_an_event_id_is_stored_once(home: House) -> None:
    event = call(event_id="e1")
    first, second = one(home, event), one(home, event)
    assert (first.duplicate, second.duplicate) == (False, True)
    assert first.seq == second.seq
    assert len(home.entries("observed")) == 1


def test_an_event_id_is_a_sessions_own(home: House) -> None:
    assert not one(home, call(event_id="e1")).duplicate
    assert not one(home, call(event_id="e1", session="t")).duplicate


def test_signs_inside_ids_never_make_two_events_one(home: House) -> None:
    pairs = (
        (call(session="a:b", event_id="c"), call(session="a", event_id="b:c")),
        (call(session="x", call_id="y:tool:z"), call(session="x:tool:y", call_id="z")),
        (call(session="x", call_id="1:y"), call(session="x:1", call_id="y")),
        (call(agent_id="p", call_id="q|r"), call(agent_id="p|q", call_id="r")),
        (call(agent_id="p", call_id="2:q:r"), call(agent_id="p:2", call_id="q:r")),
    )
    for first, second in pairs:
        assert not one(home, first).duplicate
        assert not one(home, second).duplicate, (first, second)


def test_a_key_says_which_session_can_have_it(home: House) -> None:
    for session in ("s", "event:x", "call:tool:3:a", "0:1", "é ☕"):
        home.stored(call(session=session, event_id="a/b:c"), call(session=session, call_id="1:/:"))
        home.stored(call(session=session, agent_id="p:/q", call_id="7"), origin="hooks")
        home.verdict(attempt("make", session=session, call_id="2/:"), origin="hooks")
        home.stored(Event(session_id=session, harness="x", kind="prompt", turn_id="t/1:"),
                    origin="hooks")  # fmt: skip
    keyed = [entry for entry in home.entries() if entry.dedup_key is not None]
    assert len(keyed) == 25
    assert [session_of_key(entry.dedup_key or "") for entry in keyed] == [e.session for e in keyed]


@given(
    scope=st.text(min_size=1, max_size=8),
    call_id=st.text(max_size=8),
    phase=st.sampled_from(("attempt", "tool", "closed")),
)
def test_the_key_of_a_call_says_its_session_whatever_signs_it_holds(
    scope: str, call_id: str, phase: str
) -> None:
    assert session_of_key(call_key(scope, phase, call_id, "0")) == scope.partition("/")[0]


@pytest.mark.parametrize("key", ["", "k", "other:s/1", ":s/1"])
def test_any_other_key_may_be_of_every_session(key: str) -> None:
    assert session_of_key(key) is None


def test_a_key_is_known_again_after_the_session_was_forgotten_and_read(tmp_path: Path) -> None:
    with house(tmp_path, keep=1) as small:
        first = one(small, call(event_id="e1"))
        one(small, call(session="t"))
        assert "s" not in small.desk.book.sessions
        assert (one(small, call(event_id="e1"))) == replace(first, duplicate=True)
        assert not one(small, call(event_id="e2")).duplicate


def test_an_end_is_of_the_attempt_of_its_own_agent(home: House) -> None:
    home.verdict(attempt("Bash", agent_id="a", call_id="b|c", arguments={"command": "make"}))
    one(home, call(agent_id="a|b", call_id="c"))
    assert home.entries("observed")[-1].ref is None


def test_one_event_id_for_two_events_is_a_conflict_and_stores_nothing(home: House) -> None:
    one(home, call(event_id="e1"))
    answer = home.ingest(call("first of its request"), call("other", event_id="e1"))
    assert isinstance(answer, Conflict)
    assert (answer.index, answer.code, answer.stored) == (1, "event_id_reused", 0)
    assert len(home.entries("observed")) == 1


def test_one_event_id_for_two_events_of_one_request_is_a_conflict(home: House) -> None:
    answer = home.ingest(call(event_id="e1"), call("other", event_id="e1"))
    assert isinstance(answer, Conflict)
    assert home.entries("observed") == []


def test_the_same_event_twice_in_one_request_is_stored_once(home: House) -> None:
    event = call(event_id="e1")
    first, second = home.stored(event, event)
    assert (first.seq, second.duplicate) == (second.seq, True)


def test_a_call_id_is_stored_once_for_each_phase_agent_and_arguments(home: House) -> None:
    events = (
        call(call_id="c1"),
        call("other", call_id="c1"),  # a reused id with other arguments is another call
        call(call_id="c1", agent_id="a"),
        call(call_id="c1", session="t"),
        attempt("Bash", arguments={"command": "make"}, call_id="c1"),
    )
    assert [one(home, event).duplicate for event in events] == [False] * 5
    assert [one(home, event).duplicate for event in events] == [True] * 5


def test_without_ids_nothing_is_ever_a_duplicate(home: House) -> None:
    assert [answer.duplicate for answer in home.stored(call(), call())] == [False, False]


def test_one_key_from_ten_at_once_is_one_entry_and_ten_answers(home: House) -> None:
    answers: list[Answer] = []

    def post() -> None:
        answers.append(one(home, call(call_id="c1")))

    threads = [threading.Thread(target=post) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({answer.seq for answer in answers}) == 1
    assert sum(not answer.duplicate for answer in answers) == 1
    assert len(home.entries("observed")) == 1


def test_a_duplicate_is_told_what_the_first_caused_and_the_mode_by_now(home: House) -> None:
    home.stored(failing(), failing())
    third = failing(event_id="e3")
    first = one(home, third)
    home.stored(
        Event(session_id="s", kind="session_end"), Event(session_id="s", kind="session_start")
    )
    again = one(home, third)
    assert again.fired == first.fired
    assert (again.duplicate, again.mode) == (True, "plan")


def test_a_duplicate_is_told_of_voided_proposals_as_the_first_was(home: House) -> None:
    one(home, failing())
    end = Event(session_id="s", kind="session_end", event_id="end")
    home.stored(failing(), failing())
    first = one(home, end)
    assert [entry.kind for entry in first.fired] == ["ended"]
    assert one(home, end).fired == first.fired


def test_a_session_of_hooks_takes_only_usage_from_elsewhere(home: House) -> None:
    one(home, call(harness="claude-code"), origin="hooks")
    refused = home.ingest(call())
    assert isinstance(refused, Conflict)
    assert refused.code == "session_bound"
    assert "claude-code" in refused.detail
    for kind in ("prompt", "turn", "compact", "session_start", "session_end"):
        assert isinstance(home.ingest(Event(session_id="s", kind=kind)), Conflict)
    assert isinstance(home.verdict(attempt()), Conflict)
    usage = Event(session_id="s", kind="usage", usage=Usage(cost=1.0))
    assert not one(home, usage).duplicate
    assert len(home.entries("observed")) == 2


def test_an_agent_of_a_session_of_hooks_is_bound_as_well(home: House) -> None:
    one(home, call(harness="claude-code", agent_id="a"), origin="hooks")
    assert isinstance(home.ingest(call(agent_id="b")), Conflict)


def test_a_session_known_from_elsewhere_is_taken_over_with_its_restrictions(home: House) -> None:
    home.stored(failing(), failing(), failing())
    taken = one(home, call(harness="codex"), origin="hooks")
    assert taken.mode == "plan"
    assert isinstance(home.ingest(call()), Conflict)


def test_an_attempt_by_a_hook_binds_too(home: House) -> None:
    home.verdict(attempt(harness="codex"), origin="hooks")
    assert isinstance(home.ingest(call()), Conflict)


def test_a_request_with_one_bound_session_stores_nothing(home: House) -> None:
    one(home, call(), origin="hooks")
    assert isinstance(home.ingest(call(session="t"), call()), Conflict)
    assert home.desk.load("t").last_seq == 0


def test_hook_routes_refuse_nothing(home: House) -> None:
    one(home, call(harness="codex"), origin="hooks")
    assert not one(home, call(harness="claude-code"), origin="hooks").duplicate


def test_a_finished_call_refers_to_the_verdict_on_it(home: House) -> None:
    verdict = home.verdict(attempt(call_id="c1"))
    assert isinstance(verdict, Answer)
    ended = one(home, replace(attempt(call_id="c1"), kind="tool", outcome="ok"))
    assert home.entries("observed")[-1].ref == verdict.seq == ended.seq - 1


def test_a_verdict_is_in_the_log_before_it_is_answered(home: House) -> None:
    home.stored(failing(), failing(), failing())
    verdict = home.verdict(attempt())
    assert isinstance(verdict, Answer)
    (decided,) = home.entries("decided")
    assert (verdict.verdict, verdict.rule, verdict.seq) == ("deny", "mode_tool", decided.seq)
    assert verdict.reason == decided.body["reason"]


def test_a_repeated_attempt_is_judged_under_what_is_in_force_by_then(home: House) -> None:
    first = home.verdict(attempt(call_id="c1"))
    home.stored(failing(), failing(), failing())
    second, third = home.verdict(attempt(call_id="c1")), home.verdict(attempt(call_id="c1"))
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert isinstance(third, Answer)
    assert [a.verdict for a in (first, second, third)] == ["none", "deny", "deny"]
    assert [a.duplicate for a in (first, second, third)] == [False, False, True]
    assert home.entries("decided")[-1].ref == first.seq
    assert third.seq == second.seq


def test_an_attempt_with_only_an_event_id_is_repeated_alike(home: House) -> None:
    first = home.verdict(attempt(event_id="e1"))
    home.stored(failing(), failing(), failing())
    answers = [home.verdict(attempt(event_id="e1")) for _ in range(2)]
    assert [a.verdict for a in (first, *answers) if isinstance(a, Answer)] == [
        "none", "deny", "deny"
    ]  # fmt: skip
    assert len(home.entries("decided")) == 2


def test_a_large_request_is_stored_in_order_and_answered_whole(home: House) -> None:
    answers = home.stored(*(call(f"make {at}") for at in range(250)))
    assert [answer.seq for answer in answers] == list(range(2, 252))


def test_a_request_is_checked_whole_before_its_first_slice(home: House) -> None:
    one(home, call(event_id="e1"))
    events = [call(f"make {at}") for at in range(150)]
    assert isinstance(home.ingest(*events, call("other", event_id="e1")), Conflict)
    assert len(home.entries("observed")) == 1


def test_a_fingerprint_is_of_everything_that_was_said() -> None:
    event = call(event_id="e", coverage=Coverage(percent=1.0), tests=TestCounts(failed=1))
    assert fingerprint(event) == fingerprint(replace(event))
    for other in (
        replace(event, outcome="error"),
        replace(event, arguments={"command": "x"}),
        replace(event, coverage=Coverage(percent=2.0)),
        replace(event, kind="attempt"),
    ):
        assert fingerprint(other) != fingerprint(event)
    assert event_key(event) == "event:s/e"
    assert event_key(replace(event, event_id=None)) is None


texts = st.text(max_size=12)
events = st.builds(
    Event,
    session_id=st.sampled_from(["s", "t"]),
    kind=st.sampled_from(
        ["tool", "attempt", "prompt", "turn", "compact", "session_start", "session_end", "usage"]
    ),
    agent_id=st.none() | st.sampled_from(["a", "b"]),
    parent_agent_id=st.none() | st.sampled_from(["a", "b"]),
    call_id=st.none() | st.sampled_from(["c", "d"]),
    tool=st.none() | st.sampled_from(["Bash", "Edit", "Read", "Task", "x"]),
    arguments=st.dictionaries(
        st.sampled_from(["command", "file_path", "old_string", "new_string", "content", "x"]),
        texts | st.integers() | st.none() | st.lists(texts, max_size=2),
        max_size=3,
    ),
    outcome=st.sampled_from(
        ["ok", "error", "timeout", "denied", "blocked", "cancelled", "interrupted", "unknown"]
    ),
    rule=st.none() | texts,
    exit_code=st.none() | st.integers(-(2**31), 2**31),
    result=st.none() | texts,
    context_tokens=st.none() | st.integers(0, 2**53),
    context_limit=st.none() | st.integers(1, 2**53),
    usage=st.none() | st.builds(Usage, cost=st.none() | st.floats(0, 1e15)),
    coverage=st.none() | st.builds(Coverage, uncovered=st.lists(texts, max_size=2).map(tuple)),
    tests=st.none() | st.builds(TestCounts, failed=st.none() | st.integers(0, 9)),
    occurred_at=st.none() | st.sampled_from(["2026-11-30T14:02:11Z", "0001-01-01T00:00:00+14:00"]),
    cwd=st.none() | st.sampled_from(["/nowhere", "/nowhere/else"]),
)


@given(st.lists(events, max_size=12))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_reported_is_stored_and_folds_to_what_is_at_hand(
    tmp_path_factory: pytest.TempPathFactory, reported: list[Event]
) -> None:
    with house(tmp_path_factory.mktemp("h")) as home:
        assert isinstance(home.ingest(*reported), Stored)
        kept = dict(home.writer.book.sessions)
        for name, session in kept.items():
            home.desk.book = home.desk.book.without(name)
            assert home.desk.load(name) == session
