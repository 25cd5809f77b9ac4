"""What a person decides: the right verb, for the state they saw, once; else nothing changes."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.decisions import Refusal, refused
from tests.domain.floor import ANN, Floor, body, short
from tests.domain.ledger import audit
from tests.domain.steps import Steps, outcome
from tests.domain.verdict_cases import cases


@pytest.mark.parametrize("case", cases("decisions"))
def test_a_decision_does_what_its_case_says(case: Any) -> None:
    steps = Steps(Floor())
    steps.take(case["given"])
    floor, when, then = steps.floor, case["when"], case["then"]
    before, length = floor.book, len(floor.log)
    answer = floor.tries(when["verb"], steps.named(when["of"]), state=steps.state(when["state"]))
    expected = {key: then[key] for key in ("refused", "writes") if key in then}
    assert outcome(answer) == expected, case["why"]
    assert floor.mode() == then["mode"]
    assert audit(floor.log) == []
    if isinstance(answer, Refusal):
        assert (floor.book, len(floor.log)) == (before, length)
        assert then.get("says", "") in answer.detail


def test_a_person_is_told_the_state_to_decide_on_where_it_changed() -> None:
    floor = Floor()
    floor.failing()
    answer = floor.tries("approve", floor.open()[0], state="0123")
    assert isinstance(answer, Refusal)
    assert answer.state == floor.state()
    assert not isinstance(floor.tries("approve", floor.open()[0], state=answer.state), Refusal)


def test_of_two_decided_at_once_the_later_one_in_the_log_is_in_force() -> None:
    floor = Floor()
    older, newer = ("mode", {"mode": "plan"}), ("mode", {"mode": "debug"})
    floor.wishes(*older)
    floor.wishes(*newer)
    first, second = floor.open()
    floor.decides("apply", second)
    floor.decides("apply", first)
    assert floor.mode() == "plan"
    assert floor.folded() == floor.book


def test_reverting_the_newest_says_what_is_in_force_afterwards() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "debug"})
    newest = floor.sets("mode", {"mode": "review"})[-1]
    (reverted,) = floor.decides("revert", newest.seq, why="too narrow")
    assert reverted.body == {
        "why": "too narrow",
        "in_force": {"mode": "debug", "posture": "yolo", "also": []},
    }


@pytest.mark.parametrize("verb", ["approve", "dismiss"])
def test_every_decision_says_what_is_in_force_afterwards(verb: Any) -> None:
    floor = Floor()
    floor.failing()
    decided = floor.decides(verb, floor.open()[0])
    assert {body(entry)["in_force"]["mode"] for entry in decided} == {floor.mode()}


def test_approved_then_reverted_leaves_what_was_before_and_both_stand_in_the_log() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    before = floor.held()
    floor.wishes("mode", {"mode": "implementation"})
    applied = floor.decides("approve", floor.open()[0])[-1]
    assert floor.mode() == "implementation"
    floor.decides("revert", applied.seq)
    assert floor.held() == before
    assert short(floor.log)[-3:] == [
        "approved mode neutral",
        "applied mode implementation loosen",
        "reverted mode tighten",
    ]


def test_a_refused_decision_becomes_an_entry_of_the_machine_about_the_one_it_was_for() -> None:
    refusal = Refusal(why="wrong_verb", detail="7: no", scope="s", action="mode", seq=7)
    draft = refused(refusal, ANN, "apply")
    assert (draft.kind, draft.actor, draft.ref, draft.scope) == ("refused", "machine", 7, "s")
    assert draft.body == {"why": "wrong_verb", "detail": "7: no", "attempted": "apply", "by": ANN}


def test_a_refusal_about_nothing_in_the_log_refers_to_nothing() -> None:
    refusal = Refusal(why="unknown_seq", detail="", scope="*", action="notice", seq=0)
    assert refused(refusal, ANN, "apply").ref is None


def test_what_a_person_applied_can_be_told_from_what_they_approved() -> None:
    floor = Floor()
    floor.wishes("mode", {"mode": "debug"})
    proposal = floor.open()[0]
    (applied,) = floor.decides("apply", proposal)
    assert (applied.ref, applied.direction, applied.actor) == (proposal, "tighten", ANN)
    floor.wishes("mode", {"mode": "implementation"})
    approved, applied = floor.decides("approve", floor.open()[0])
    assert (applied.ref, applied.direction) == (approved.seq, "loosen")


def test_a_revert_is_bound_to_what_it_would_bring_back() -> None:
    floor = Floor()
    beneath = floor.sets("mode", {"mode": "debug"})[-1]
    newest = floor.sets("mode", {"mode": "plan"})[-1]
    seen = floor.state()
    floor.decides("revert", beneath.seq)
    answer = floor.tries("revert", newest.seq, state=seen)
    assert isinstance(answer, Refusal)
    assert answer.why == "state_changed"
    assert floor.mode() == "plan"
