"""What was approved for a while: when it is over, what comes back, and when it may not end."""

from __future__ import annotations

from typing import Any

import pytest
from immutables import Map

from app.domain.decisions import Refusal
from app.domain.expiry import due
from app.domain.limits import EXPECTED, Limit, limit_json, parsed_limit, worded
from app.domain.modes import Malformed
from app.domain.proposing import Unclear
from app.domain.summaries import summary
from app.domain.views import session_view
from tests.domain.floor import ANN, AT, Floor, body, configured, short
from tests.domain.ledger import audit

MINUTES = Limit(kind="minutes", amount=30)
CALLS = Limit(kind="calls", amount=2)
SESSION = Limit(kind="session")


def lent(limit: Limit, mode: str = "implementation") -> tuple[Floor, int]:
    """A session in plan that a person let do more for a while; the applied entry's seq."""
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    return floor, floor.sets("mode", {"mode": mode}, limit=limit)[-1].seq


@pytest.mark.parametrize(
    ("raw", "limit"),
    [
        ({"session": True}, SESSION),
        ({"minutes": 30}, MINUTES),
        ({"calls": 2}, CALLS),
        ({"calls": 0}, None),
        ({"calls": True}, None),
        ({"calls": 2.0}, None),
        ({"calls": 10_001}, None),
        ({"minutes": -1}, None),
        ({"minutes": 10_081}, None),
        ({"session": False}, None),
        ({"session": 1}, None),
        ({"minutes": 1, "calls": 1}, None),
        ({"hours": 1}, None),
        ({}, None),
        ([], None),
        ("30", None),
        (None, None),
    ],
)
def test_a_limit_is_one_of_three(raw: Any, limit: Limit | None) -> None:
    found = parsed_limit(raw)
    if limit is None:
        assert found == Malformed(detail=EXPECTED)
    else:
        assert found == limit
        assert limit_json(limit) == raw
        assert type(next(iter(limit_json(limit).values()))) is type(next(iter(raw.values())))


def test_minutes_are_over_at_their_last_millisecond_and_not_before() -> None:
    floor, seq = lent(MINUTES)
    floor.at = "2026-11-30T14:32:11.481Z"
    assert len(floor.call()) == 1
    assert floor.mode() == "implementation"
    floor.at = "2026-11-30T14:32:11.482Z"
    assert short(floor.call()[1:]) == ["ended mode tighten"]
    assert floor.log[-1].ref == seq
    assert body(floor.log[-1]) == {
        "why": "its 30 minutes are over",
        "in_force": {"mode": "plan", "posture": "yolo", "also": []},
    }
    assert floor.mode() == "plan"


def test_a_clock_that_goes_back_ends_nothing_early() -> None:
    floor, _ = lent(MINUTES)
    floor.at = "2026-11-30T13:00:00.000Z"
    floor.call()
    assert floor.mode() == "implementation"
    floor.at = "2026-11-30T16:00:00.000Z"
    floor.call()
    assert floor.mode() == "plan"


def test_a_verdict_first_ends_what_is_due() -> None:
    floor, _ = lent(MINUTES)
    floor.waits(30)
    judged = floor.asks(call_id="2", targets=[{"path": "a.py", "zone": "project"}])
    assert (judged.verdict, judged.entry.body["mode"]) == ("deny", "plan")
    assert [entry.kind for entry in floor.log[-2:]] == ["ended", "decided"]


def test_calls_count_attempts_that_nothing_stood_against() -> None:
    floor, seq = lent(CALLS)
    inside = [{"path": "a.py", "zone": "project"}]
    denied = [{"path": ".git/config", "zone": "guarded"}]
    assert floor.asks(call_id="1", targets=denied).verdict == "deny"
    assert floor.asks(call_id="2", targets=inside).verdict == "none"
    assert floor.asks(call_id="2", targets=inside).repeated
    assert floor.mode() == "implementation"
    assert floor.asks(call_id="3", targets=inside).verdict == "none"
    assert [entry.kind for entry in floor.log[-2:]] == ["decided", "ended"]
    assert floor.log[-1].ref == seq
    assert floor.mode() == "plan"
    assert floor.asks(call_id="4", targets=inside).verdict == "deny"


def test_a_call_that_was_refused_counts_when_it_is_asked_again_and_passes() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    inside = [{"path": "a.py", "zone": "project"}]
    assert {floor.asks(call_id=f"{n}", targets=inside).verdict for n in range(5)} == {"deny"}
    floor.sets("mode", {"mode": "implementation"}, limit=CALLS)
    said = [floor.asks(call_id=f"{n}", targets=inside).verdict for n in range(5)]
    assert said == ["none", "none", "deny", "deny", "deny"]


def test_a_call_that_passed_is_no_further_one_when_only_what_would_be_said_changes() -> None:
    floor = Floor(configured(enforcement="observe"))
    floor.sets("mode", {"mode": "plan"})
    floor.asks(call_id="1", targets=[{"path": "a.py", "zone": "project"}])
    floor.sets("mode", {"mode": "implementation"}, limit=CALLS)
    again = floor.asks(call_id="1", targets=[{"path": "a.py", "zone": "project"}])
    assert (again.verdict, again.repeated) == ("none", False)
    assert [running.used for running in floor.session().limited.values()] == [0]


@pytest.mark.parametrize(
    ("source", "expected"),
    [(None, "plan"), ("startup", "plan"), ("resume", "plan"), ("compact", "implementation")],
)
def test_a_session_that_starts_anew_has_ended_where_nobody_told(
    source: str | None, expected: str
) -> None:
    floor, _ = lent(SESSION)
    floor.reports("s", "session", kind="session_start", arguments={"source": source})
    assert floor.mode() == expected


@pytest.mark.parametrize("limit", [MINUTES, CALLS])
def test_a_session_that_starts_anew_keeps_what_has_another_end(limit: Limit) -> None:
    floor, _ = lent(limit)
    floor.reports("s", "session", kind="session_start", arguments={"source": "resume"})
    assert floor.mode() == "implementation"


def test_a_session_that_ends_ends_what_was_lent_to_it_for_good() -> None:
    floor, seq = lent(SESSION)
    floor.reports("s/a", "session", kind="session_end")
    assert floor.mode() == "implementation"
    floor.reports("s", "session", kind="session_end")
    assert [e.ref for e in floor.log if e.kind == "ended"] == [seq]
    floor.reports("s", "session", kind="session_start")
    assert floor.mode() == "plan"


def test_one_that_is_covered_ends_without_a_change_and_never_returns() -> None:
    floor, seq = lent(MINUTES)
    above = floor.sets("mode", {"mode": "debug"})[-1]
    floor.waits(30)
    *_, ended = floor.call()
    assert (ended.ref, ended.direction, floor.mode()) == (seq, "neutral", "debug")
    floor.decides("revert", above.seq)
    assert floor.mode() == "plan"
    assert audit(floor.log) == []


def test_a_tightening_above_keeps_its_way_back_true_when_what_lies_beneath_ends() -> None:
    floor, _ = lent(MINUTES)
    floor.sets("mode", {"mode": "debug"}, "t")
    floor.failing("make", 3)
    assert floor.mode() == "plan"
    floor.waits(30)
    floor.call("look")
    assert audit(floor.log) == []


def test_a_limit_is_void_where_its_end_would_free_a_call() -> None:
    floor, seq = lent(MINUTES, mode="debug")
    first = next(entry for entry in floor.log if entry.kind == "applied")
    floor.decides("revert", first.seq)  # beneath debug lies implementation now
    floor.waits(30)
    *_, notice = floor.call()
    assert (notice.kind, notice.action, notice.ref) == ("applied", "notice", seq)
    assert "void" in summary(notice)
    assert floor.mode() == "debug"
    assert len(floor.call()) == 1
    assert not floor.session().limited


def test_the_end_of_a_sessions_loosening_frees_none_of_its_agents() -> None:
    floor = Floor(configured(start_mode="plan"))
    floor.sets("mode", {"mode": "implementation"}, "s/a")
    floor.sets("mode", {"mode": "debug"}, limit=MINUTES)
    floor.waits(30)
    floor.call()
    assert [e.action for e in floor.log if e.body.get("void")] == ["notice"]
    assert [mode.name for mode in floor.held("s/a").modes] == ["implementation", "debug"]


def test_for_all_sessions_only_minutes_and_only_over_something() -> None:
    floor = Floor(configured(start_mode="plan"))
    debug = {"mode": "debug"}
    for limit, words in ((CALLS, "minutes"), (SESSION, "minutes"), (MINUTES, "nothing is applied")):
        answer = floor.wishes("mode", debug, "*", actor=ANN, limit=limit)
        assert isinstance(answer, Unclear)
        assert words in answer.detail
    floor.sets("mode", {"mode": "plan"}, "*")
    floor.sets("mode", debug, "*", limit=MINUTES)
    assert floor.mode() == "debug"
    floor.waits(30)
    assert due(floor.book, "s", floor.at)
    floor.call()
    assert floor.mode() == "plan"


def test_what_would_free_calls_at_its_end_carries_no_limit() -> None:
    floor = Floor()
    answer = floor.wishes(
        "mode",
        {"mode": "test_development"},
        decide=True,
        expected_state=floor.state(),
        limit=MINUTES,
    )
    assert isinstance(answer, Unclear)
    assert "free" in answer.detail
    floor.proposes("mode", {"mode": "test_development"})
    refusal = floor.tries("approve", floor.open()[0], state=floor.state(), limit=MINUTES)
    assert isinstance(refusal, Refusal)
    assert refusal.why == "no_limit"


def test_what_tightens_carries_no_limit() -> None:
    floor = Floor()
    assert isinstance(floor.wishes("mode", {"mode": "plan"}, limit=MINUTES), Unclear)
    floor.wishes("mode", {"mode": "plan"})
    answer = floor.tries("apply", floor.open()[0], state=floor.state(), limit=MINUTES)
    assert isinstance(answer, Refusal)
    assert answer.why == "no_limit"


def test_a_proposal_that_tightens_by_now_is_applied_for_good() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    floor.wishes("mode", {"mode": "debug"}, limit=MINUTES)
    waits = floor.open()[0]
    floor.sets("mode", {"mode": "implementation"})
    applied = floor.decides("apply", waits)[-1]
    assert "limit" not in applied.body


def test_a_way_back_for_a_while_leaves_the_tightening_beneath() -> None:
    floor = Floor()
    tightening = floor.failing()[1]
    written = floor.decides("approve", floor.open()[0], limit=MINUTES)
    assert short(written) == ["approved mode neutral", "applied mode implementation loosen"]
    assert floor.mode() == "implementation"
    floor.waits(30)
    *_, ended, back = floor.call("look")
    assert (ended.kind, back.kind, back.ref) == ("ended", "proposed", tightening.seq)
    assert floor.mode() == "plan"
    assert audit(floor.log) == []


def test_a_way_back_for_a_while_is_the_persons_and_no_failure_loosened_it() -> None:
    floor = Floor()
    floor.failing()
    before = floor.session()
    applied = floor.decides("approve", floor.open()[0], limit=CALLS)[-1]
    assert summary(applied) == "plan -> implementation for 2 calls: by a person"
    assert floor.session().streams == before.streams
    floor.decides("revert", applied.seq)  # what was loosened; no rule was taken back by it
    assert (floor.session().streams, floor.session().taken_back) == (before.streams, Map())


def test_a_decision_may_shorten_what_was_proposed() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    floor.wishes("mode", {"mode": "debug"}, limit=MINUTES)
    applied = floor.decides("approve", floor.open()[0], limit=CALLS)[-1]
    assert applied.body["limit"] == {"calls": 2}
    assert "for 2 calls" in summary(applied)


def test_a_limit_is_void_where_its_end_would_free_a_call_of_an_agent_it_started() -> None:
    floor = Floor(configured(start_mode="debug"))
    floor.call("look", "s/c", parent_agent_id="a")
    floor.sets("mode", {"mode": "test_development"}, "s/c")
    applied = floor.sets("mode", {"mode": "implementation"}, "s/a", limit=MINUTES)[-1]
    tests = [{"path": "tests/a.py", "zone": "test"}]
    assert floor.asks("s/c", "1", targets=tests).verdict == "deny"
    floor.waits(30)
    assert floor.asks("s/c", "2", targets=tests).verdict == "deny"
    assert [e.ref for e in floor.log if e.body.get("void") == "limit"] == [applied.seq]


def test_a_limit_is_not_lost_in_an_open_proposal_without_it() -> None:
    floor = Floor()
    floor.failing()
    (back,) = floor.open()
    answer = floor.wishes("mode", {"mode": "implementation"}, actor=ANN, limit=MINUTES)
    assert answer == Unclear(
        detail=f"limit: {back} asks for the same without it; approve {back} with this one"
    )
    floor.sets("mode", {"mode": "implementation"}, limit=MINUTES)
    assert [running.limit for running in floor.session().limited.values()] == [MINUTES]


def test_a_limited_proposal_is_repeated_by_one_with_the_same_limit() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    assert len(floor.proposes("mode", {"mode": "debug"}, limit=MINUTES)) == 1
    assert floor.proposes("mode", {"mode": "debug"}, limit=MINUTES) == ()
    assert isinstance(floor.wishes("mode", {"mode": "debug"}, limit=CALLS), Unclear)
    assert len(floor.open()) == 1


def test_what_is_shown_says_how_much_is_left() -> None:
    floor, seq = lent(CALLS)
    floor.asks(call_id="1", targets=[{"path": "a.py", "zone": "project"}])
    shown: Any = session_view(floor.book, "s", floor.configuration)["restrictions"]
    assert shown["mode"]["seq"] == seq
    assert shown["mode"]["limit"] == {"calls": 2, "used": 1}
    floor, _ = lent(MINUTES)
    shown = session_view(floor.book, "s", floor.configuration)["restrictions"]
    assert shown["mode"]["limit"] == {"minutes": 30, "until": "2026-11-30T14:32:11.482Z"}
    assert floor.at == AT


@pytest.mark.parametrize(
    ("limit", "words"),
    [(SESSION, "until the session ends"), (MINUTES, "for 30 minutes"), (CALLS, "for 2 calls")],
)
def test_a_limit_in_words(limit: Limit, words: str) -> None:
    assert worded(limit) == words
