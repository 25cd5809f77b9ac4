"""The way back: which proposals wait after what happened, and what they lead to."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.returns import beneath
from app.domain.transaction import Pending
from tests.domain.commands import play
from tests.domain.floor import AT, Floor, body, configured, short
from tests.domain.ledger import audit, value, waiting
from tests.domain.steps import Steps
from tests.domain.verdict_cases import cases


@pytest.mark.parametrize("case", cases("returns"))
def test_what_waits_is_what_its_case_says(case: Any) -> None:
    steps = Steps(Floor())
    steps.take(case["given"])
    floor = steps.floor
    waits = [[entry.action, _name(value(entry))] for entry in waiting(floor.log)]
    assert waits == case["then"], case["why"]
    assert sorted(e.seq for e in waiting(floor.log)) == floor.open()
    assert audit(floor.log) == []


def _name(found: Any) -> str:
    return str(getattr(found, "name", None) or found.posture)


def test_a_way_back_stands_in_the_transaction_of_its_tightening() -> None:
    floor = Floor()
    event, applied, back = floor.failing()
    assert (applied.seq, back.seq) == (event.seq + 1, event.seq + 2)
    assert (back.actor, back.ref, back.direction) == ("machine", applied.seq, "loosen")
    assert body(back)["because"] == body(applied)["because"]


def test_an_ended_proposal_says_why_and_what_is_in_force() -> None:
    floor = Floor()
    floor.failing()
    *_, ended = floor.reports("s", "session", kind="session_end")
    assert (ended.kind, ended.actor, ended.direction) == ("ended", "machine", "neutral")
    assert ended.body == {
        "why": "the session ended",
        "in_force": {"mode": "plan", "posture": "yolo", "also": []},
    }


def test_approving_a_way_back_zeroes_and_dismissing_it_does_not() -> None:
    for verb, count in (("approve", None), ("dismiss", 3)):
        floor = Floor()
        floor.failing("make", 3)
        floor.decides(verb, floor.open()[0])  # type: ignore[arg-type]
        repeat = floor.session().streams[""].repeats.get("make")
        assert (None if repeat is None else repeat.times) == count


def test_a_covered_tightening_says_why_its_way_back_is_void() -> None:
    floor = Floor()
    floor.failing()
    *_, ended = floor.sets("mode", {"mode": "debug"})
    assert body(ended)["why"] == "what it would take back is not in force"


def test_a_way_back_that_is_offered_again_latches_nothing() -> None:
    floor = Floor()
    floor.failing("make", 3)
    floor.decides("dismiss", floor.open()[0])
    for at in range(30):
        floor.call(f"look {at}")
    assert not [rule for rule, _ in floor.session().streams[""].latches if rule == "repeated"]
    floor.reports("s", "session", kind="session_start")
    assert len(floor.open()) == 1
    assert not [rule for rule, _ in floor.session().streams[""].latches if rule == "repeated"]


@pytest.mark.parametrize("source", ["compact", "resume", "startup", None])
def test_a_no_outlives_a_compaction_and_no_standing_approval_answers_what_is_not_offered(
    source: str | None,
) -> None:
    floor = Floor()
    play(floor, ("edits", "s", "x"))
    assert floor.mode() == "debug"
    floor.decides("dismiss", floor.open()[0])
    floor.reports("s", "session", kind="session_start", arguments={"source": source})
    again = source != "compact"
    assert len(floor.open()) == again
    floor.hands("diagnosis")
    assert floor.mode() == ("implementation" if again else "debug")


def test_a_new_start_mode_leads_the_way_back_there() -> None:
    floor = Floor()
    floor.failing()
    floor.configuration = configured(start_mode="debug")
    _, ended, back = floor.call("go on")
    assert short([ended, back]) == ["ended mode neutral", "proposed return mode debug loosen"]


def test_beneath_the_only_entry_lie_the_defaults() -> None:
    floor = Floor(configured(ceiling="ask"))
    floor.sets("mode", {"mode": "plan"})
    floor.sets("policy", {"posture": "read-only"})
    stacks = floor.session().overrides
    mode = beneath(stacks[("s", "mode")], "mode", floor.configuration)
    policy = beneath(stacks[("s", "policy")], "policy", floor.configuration)
    assert (mode, policy) == (
        floor.configuration.modes["implementation"],
        beneath((), "policy", floor.configuration),
    )
    assert getattr(policy, "posture", None) == "ask"


def test_a_transaction_is_forgotten_by_dropping_it() -> None:
    floor = Floor()
    pending = Pending(book=floor.book, at=AT)
    assert (pending.entries, pending.book) == ((), floor.book)
