"""Standing approvals: a diagnosis and a plan lead back, as often as a person allowed."""

from __future__ import annotations

from typing import Any

import pytest
from immutables import Map

from app.domain.configuration import Standing
from app.domain.entries import Entry
from app.domain.evolve import evolve_session
from app.domain.standing import outlook
from app.domain.summaries import summary
from app.domain.telling import awaits, handed, reminder, to_agent, to_person
from app.domain.views import artifact_view, last_handoff, session_view
from tests.domain.floor import ANN, Floor, body, configured, short
from tests.domain.ledger import audit
from tests.domain.trips import edit_failures


def quiet(floor: Floor) -> None:
    """Calls enough for a cooldown to pass."""
    for at in range(6):
        floor.call(f"look {floor.book.head} {at}", **{"class": "read"})


def debugging(floor: Floor, scope: str = "s") -> tuple[Entry, Entry]:
    """Four failed edits of one file: debug mode, and its way back."""
    quiet(floor)
    *_, applied, back = edit_failures(floor, scope)
    assert short([applied, back]) == ["applied mode debug tighten",
                                      "proposed return mode implementation loosen"]  # fmt: skip
    return applied, back


def planning(floor: Floor, scope: str = "s") -> tuple[Entry, Entry]:
    quiet(floor)
    _, applied, back = floor.failing("make", 3, scope)
    return applied, back


def test_a_diagnosis_that_counts_leads_back_and_says_who_allowed_it() -> None:
    floor = Floor()
    applied, back = debugging(floor)
    artifact, approved, reverted = floor.hands()
    assert short([approved, reverted]) == ["approved mode neutral", "reverted mode loosen"]
    assert (approved.kind, approved.ref, approved.actor) == ("approved", back.seq, ANN)
    assert (reverted.kind, reverted.ref, reverted.actor) == ("reverted", applied.seq, ANN)
    said = {"standing": "diagnosis", "use": 1, "of": 3, "artifact": artifact.seq}
    held = {"mode": "implementation", "posture": "yolo", "also": []}
    assert body(approved) == {**said, "in_force": held}
    assert body(reverted) == {**said, "in_force": held, "approved": back.seq}
    assert (floor.mode(), floor.open(), audit(floor.log)) == ("implementation", [], [])
    assert summary(approved) == (
        'standing approval diagnosis, use 1 of 3, allowed by "ann",'
        f" for what {artifact.seq} handed over"
    )


def test_the_fourth_diagnosis_waits_for_a_person() -> None:
    floor = Floor()
    for use in (1, 2, 3):
        debugging(floor)
        _, approved, _ = floor.hands()
        assert body(approved)["use"] == use
    applied, back = debugging(floor)
    (artifact,) = floor.hands()
    assert (floor.mode(), floor.open()) == ("debug", [back.seq])
    shown = artifact_view(floor.book, "s", applied.seq, text=True)
    assert isinstance(shown, dict)
    assert (shown["seq"], shown["kind"], shown["text"]) == (
        artifact.seq, "diagnosis", "my diagnosis",
    )  # fmt: skip
    found = outlook(floor.book, artifact, floor.configuration)
    assert found is not None
    assert str(handed(artifact, found)).endswith(
        f"The way back waits for you, as the standing approval diagnosis is used up (3):"
        f" floorboss approve {back.seq}"
    )
    floor.decides("approve", back.seq)
    assert floor.mode() == "implementation"


def test_counters_behind_it_start_again_and_no_rule_becomes_advice() -> None:
    floor = Floor()
    for _ in range(3):
        debugging(floor)
        floor.hands()
    assert floor.session().taken_back == Map()
    debugging(floor)


def test_a_plan_waits_for_the_next_prompt_of_a_person() -> None:
    floor = Floor()
    for use in (1, 2, 3):
        _, back = planning(floor)
        (artifact,) = floor.hands("plan")
        assert floor.prompts(person=False)[1:] == ()
        assert floor.mode() == "plan"
        prompt, approved, reverted = floor.prompts()
        assert (body(approved)["standing"], body(approved)["use"]) == ("plan", use)
        assert (body(approved)["artifact"], body(approved)["prompted"]) == (
            artifact.seq, prompt.seq,
        )  # fmt: skip
        assert (approved.ref, reverted.kind, floor.mode()) == (
            back.seq, "reverted", "implementation",
        )  # fmt: skip
    planning(floor)
    floor.hands("plan")
    assert len(floor.prompts()) == 1
    assert (floor.mode(), audit(floor.log)) == ("plan", [])


def test_a_prompt_without_a_plan_leads_nowhere() -> None:
    floor = Floor()
    planning(floor)
    assert len(floor.prompts()) == 1
    floor.hands("diagnosis")
    assert len(floor.prompts()) == 1
    assert floor.mode() == "plan"


def test_a_plan_from_before_the_tightening_is_not_the_one_that_is_wanted() -> None:
    floor = Floor()
    floor.hands("plan")
    planning(floor)
    assert len(floor.prompts()) == 1


@pytest.mark.parametrize("outcome", ["denied", "blocked", "unknown", "cancelled", "interrupted"])
def test_a_plan_whose_call_nobody_let_through_is_void(outcome: str) -> None:
    floor = Floor()
    planning(floor)
    floor.hands("plan", call_id="t1")
    floor.call("exit", call_id="t1", outcome=outcome, **{"class": "talk"})
    assert len(floor.prompts()) == 1
    assert session_view(floor.book, "s", floor.configuration)["artifacts"] == []
    floor.hands("plan", call_id="t2")
    floor.call("exit", call_id="t2", outcome="ok", **{"class": "talk"})
    assert len(floor.prompts()) == 3


def by_a_person(floor: Floor) -> None:
    floor.sets("mode", {"mode": "debug"})


def also_everywhere(floor: Floor) -> None:
    debugging(floor)
    floor.sets("mode", {"mode": "plan"}, "*")


def over_another(floor: Floor) -> None:
    floor.sets("mode", {"mode": "test_development"})
    debugging_from(floor)


def debugging_from(floor: Floor) -> None:
    edit_failures(floor, "s")
    assert floor.mode() == "debug"


def dismissed(floor: Floor) -> None:
    _, back = debugging(floor)
    floor.decides("dismiss", back.seq)


def of_an_agent(floor: Floor) -> None:
    debugging(floor, "s/a")


def over(floor: Floor) -> None:
    debugging(floor)
    floor.reports("s", "session", kind="session_end")


@pytest.mark.parametrize(
    "before", [by_a_person, also_everywhere, over_another, dismissed, of_an_agent, over]
)
def test_an_artifact_leaves_what_only_a_person_can_answer(before: Any) -> None:
    floor = Floor()
    before(floor)
    modes = floor.held()
    assert len(floor.hands()) == 1
    assert floor.held() == modes


def test_what_does_not_count_changes_nothing() -> None:
    floor = Floor()
    debugging(floor)
    (artifact,) = floor.hands(valid=False, lacks="it names nothing")
    assert floor.mode() == "debug"
    assert str(reminder((), artifact)).endswith(
        f"[floorboss {artifact.seq}] your diagnosis does not count yet: it names nothing."
    )


@pytest.mark.parametrize("standing", [Map(), Map({"diagnosis": Standing(uses=0)})])
def test_without_a_configured_approval_an_artifact_changes_nothing(standing: Any) -> None:
    floor = Floor(configured(standing=standing))
    _, back = debugging(floor)
    (artifact,) = floor.hands()
    assert (floor.mode(), floor.open()) == ("debug", [back.seq])
    found = outlook(floor.book, artifact, floor.configuration)
    assert str(handed(artifact, found)).endswith(f"waits for you: floorboss approve {back.seq}")


def test_an_agent_answers_for_its_own_tightening() -> None:
    floor = Floor()
    debugging(floor, "s/a")
    assert len(floor.hands(scope="s/a")) == 3
    assert floor.mode("s/a") == "implementation"
    assert floor.session().unheard is None


def test_the_use_is_told_with_what_holds_and_the_way_to_take_it_back() -> None:
    floor = Floor()
    debugging(floor, "s")
    entries = floor.hands()
    approved = entries[1]
    told = (
        f'[floorboss {approved.seq}] standing approval diagnosis, use 1 of 3, allowed by "ann", for'
        f" what {entries[0].seq} handed over. In force now: mode implementation, posture yolo."
    )
    assert to_agent(entries) == told
    assert str(to_person(entries)).endswith(
        "To take it back: floorboss propose s --mode debug --reason WHY --decide"
    )
    assert floor.session().unheard == approved.seq
    assert reminder((), approved) == told
    floor.prompts()
    assert floor.session().unheard is None


def test_a_use_by_a_prompt_is_told_by_the_answer_to_it() -> None:
    floor = Floor()
    planning(floor)
    (artifact,) = floor.hands("plan")
    told = handed(artifact, outlook(floor.book, artifact, floor.configuration))
    assert str(told).endswith("Your next prompt uses the standing approval plan, use 1 of 3.")
    waits = awaits(artifact, outlook(floor.book, artifact, floor.configuration), None)
    assert waits == "The person's next prompt uses the standing approval plan, use 1 of 3."
    floor.prompts()
    assert floor.session().unheard is None


def test_the_next_handoff_names_what_was_handed_over_and_the_view_has_its_text() -> None:
    floor = Floor()
    debugging(floor)
    artifact = floor.hands(digest="d1")[0]
    applied, _ = planning(floor)
    assert body(applied)["handoff"]["artifacts"] == [{"seq": artifact.seq, "kind": "diagnosis"}]
    shown = {"seq": artifact.seq, "kind": "diagnosis", "valid": True, "length": 12, "digest": "d1"}
    view = session_view(floor.book, "s", floor.configuration)
    assert view["artifacts"] == [shown]
    assert view["standing"] == {
        "boundary": {"used": 0, "of": 30},
        "diagnosis": {"used": 1, "of": 3},
        "plan": {"used": 0, "of": 3},
    }
    handoff = last_handoff(floor.book, "s")
    assert isinstance(handoff, dict)
    assert handoff["artifacts"] == [{**shown, "text": "my diagnosis"}]
    assert handoff["rule"] == "repeated"


def test_a_handoff_stays_readable_when_its_mode_is_over() -> None:
    floor = Floor()
    applied, _ = debugging(floor)
    floor.hands()
    handoff = last_handoff(floor.book, "s")
    assert isinstance(handoff, dict)
    assert handoff["rule"] == body(applied)["handoff"]["rule"]


def test_only_the_newest_of_each_kind_is_kept() -> None:
    floor = Floor()
    for at in range(40):
        floor.hands("plan", f"s/{at}")
    floor.hands("plan", "s/39")
    kept = floor.session().artifacts
    assert len(kept) == 32
    assert kept["39", "plan"].seq == floor.book.head


@pytest.mark.parametrize(
    ("said", "looked"),
    [
        ({"class": "read"}, True),
        ({"class": "search"}, True),
        ({"class": "test", "outcome": "error"}, True),
        ({"class": "shell", "effects": ["read"]}, True),
        ({"class": "shell", "effects": ["read", "write"]}, False),
        ({"class": "shell"}, False),
        ({"class": "edit"}, False),
        ({"class": "read", "outcome": "denied"}, False),
        ({"class": "read", "outcome": "unknown"}, False),
    ],
)
def test_a_look_is_a_call_that_read_searched_or_tested(said: dict[str, Any], looked: bool) -> None:
    floor = Floor()
    (entry,) = floor.call("look", **said)
    stream = floor.session().streams[""]
    assert stream.looked == (entry.seq if looked else 0)


def test_a_late_artifact_does_not_resume_a_session() -> None:
    floor = Floor()
    floor.call()
    floor.reports("s", "session", kind="session_end")
    floor.hands()
    assert floor.session().ended


def test_an_older_entry_without_any_of_it_folds_to_nothing() -> None:
    floor = Floor()
    entry = floor.reports("s", "artifact", kind="artifact")[0]
    session = evolve_session(floor.book.session("t"), entry)
    ((_, artifact),) = session.artifacts.items()
    assert (artifact.kind, artifact.text, artifact.valid) == ("", "", False)
