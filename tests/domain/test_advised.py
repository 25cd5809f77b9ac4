"""What a model's answers come to: entries, in order, and what is in force afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.advice import Rejected
from app.domain.advised import unanswered
from app.domain.entries import Entry
from app.domain.outline import outline
from app.domain.restrictions import Policy
from app.domain.summaries import summary
from app.domain.telling import reminder
from app.domain.views import overrides_of
from tests.domain.floor import ANN, Floor, body, configured, short
from tests.domain.ledger import audit
from tests.domain.model import advice, answered, asked, came_to, tripped

ASK = {"action": "tighten_policy", "policy": {"posture": "ask"}}
READ_ONLY = {"action": "abort"}


@pytest.fixture
def floor() -> Floor:
    return Floor()


def sound(floor: Floor) -> bool:
    """Every sentence about the log holds, and the fold of the log is the book."""
    assert audit(floor.log) == []
    return floor.folded() == floor.book


def refused(entries: tuple[Entry, ...]) -> dict[str, Any]:
    """Why an answer led nowhere; its end follows."""
    first, last = entries
    assert [(e.kind, e.actor, e.ref) for e in entries] == [
        ("refused", "machine", last.ref),
        ("ended", "machine", last.ref),
    ]
    return body(first)


def test_a_call_is_an_entry_before_anything_is_sent(floor: Floor) -> None:
    trip = tripped(floor)
    question = asked(floor, trip)
    assert (question.kind, question.action, question.actor) == ("applied", "notice", "machine")
    assert question.ref == trip.ref
    assert body(question)["proposer"]["after"] == trip.seq
    assert summary(question) == 'model "watcher" is asked what to add, call 1 of 50 today'
    assert unanswered(floor.book, "s") == (question.seq,)


def test_noop_leaves_the_call_and_its_end(floor: Floor) -> None:
    question = asked(floor, tripped(floor))
    (end,) = answered(floor, question, {"action": "noop"})
    assert (end.kind, end.ref) == ("ended", question.seq)
    assert body(end)["proposer"] == {"answer": "noop", "came_to": []}
    assert body(end)["duration_ms"] == 12
    assert summary(end) == f"{question.seq} is over: the model answered noop"
    assert unanswered(floor.book, "s") == ()
    assert sound(floor)


def test_tighten_policy_holds_at_once_and_has_its_way_back(floor: Floor) -> None:
    change, end, back = advice(floor, ASK)
    assert short([change, end, back]) == [
        "applied policy ask tighten",
        "ended notice neutral",
        "proposed return policy yolo loosen",
    ]
    assert body(end)["proposer"]["came_to"] == [change.seq]
    assert floor.posture() == "ask"
    assert sound(floor)
    floor.decides("approve", back.seq)
    assert floor.posture() == "yolo"


def test_a_change_says_that_a_model_asked_for_it(floor: Floor) -> None:
    change, end, _ = advice(floor, {**ASK, "reason": "SPOKEN by the model"})
    said = f'model "watcher" answered tighten_policy when asked in {end.ref}'
    assert summary(change) == f"posture yolo -> ask: {said}"
    assert body(change)["because"] == [{"rule": "proposer", "detail": said}]
    assert body(change)["advice"] == {"reason": "SPOKEN by the model"}
    assert "SPOKEN" not in str(outline(change.body, change.actor))


def test_verdicts_and_denials_are_added_to_what_is_there(floor: Floor) -> None:
    own = {"verdicts": {"Write": "deny"}, "shell_denials": ["npm"]}
    floor.sets("policy", own)
    policy = {"verdicts": {"Bash": "ask"}, "shell_denials": ["npm", "pip"], "write_paths": []}
    advice(floor, {"action": "tighten_policy", "policy": policy})
    held = floor.held().policies[0]
    assert dict(held.verdicts) == {"Write": "deny", "Bash": "ask"}
    assert (held.shell_denials, held.write_paths) == (("npm", "pip"), ())
    assert sound(floor)


@pytest.mark.parametrize(
    ("held", "wanted"),
    [
        ({"posture": "read-only"}, {"posture": "ask"}),
        ({"posture": "ask"}, {"posture": "auto", "verdicts": {"Bash": "deny"}}),
        ({"verdicts": {"Write": "deny"}}, {"posture": "ask", "verdicts": {"Write": "ask"}}),
        ({"write_paths": []}, {"posture": "ask", "write_paths": ["src/"]}),
        ({"write_paths": ["src/"]}, {"posture": "ask", "write_paths": ["src/", "lib/"]}),
    ],
    ids=["posture", "a denial beside it", "a verdict", "paths where none were", "one path more"],
)
def test_a_loosening_dressed_as_tightening_is_refused(floor: Floor, held: Any, wanted: Any) -> None:
    floor.sets("policy", held)
    before = floor.held()
    said = refused(advice(floor, {"action": "tighten_policy", "policy": wanted}))
    assert (said["why"], said["attempted"], said["by"]) == ("freer", "tighten_policy", "proposer")
    assert floor.held().policies == before.policies
    assert sound(floor)


def test_what_would_have_become_freer_is_named(floor: Floor) -> None:
    floor.sets("policy", {"posture": "read-only"})
    said = refused(advice(floor, ASK))
    assert "deny -> ask" in said["detail"]
    assert said["freer"]["tools"]


def test_it_is_judged_by_what_is_in_force_when_the_model_answers(floor: Floor) -> None:
    question = asked(floor, tripped(floor))
    floor.sets("policy", {"posture": "read-only"})
    assert refused(answered(floor, question, ASK))["why"] == "freer"


def test_what_closes_no_call_is_refused(floor: Floor) -> None:
    floor.sets("policy", {"posture": "ask"}, "*")
    assert refused(advice(floor, ASK))["why"] == "changes_nothing"


def test_lists_that_grow_too_long_are_refused(floor: Floor) -> None:
    floor.sets("policy", {"shell_denials": [f"tool{n}" for n in range(40)]})
    policy = {"shell_denials": ["one more"]}
    said = refused(advice(floor, {"action": "tighten_policy", "policy": policy}))
    assert said["why"] == "fields"


def test_abort_leaves_the_session_nothing_but_reading(floor: Floor) -> None:
    advice(floor, READ_ONLY, "s/a")
    assert floor.posture("s") == floor.posture("s/b") == "read-only"
    assert sound(floor)
    said = refused(advice(floor, READ_ONLY))
    assert (said["why"], said["attempted"]) == ("changes_nothing", "abort")


def test_abort_frees_nothing_that_a_person_closed(floor: Floor) -> None:
    floor.sets("policy", {"verdicts": {"Read": "deny"}, "write_paths": []})
    advice(floor, READ_ONLY)
    held = floor.held().policies[0]
    assert (held.posture, dict(held.verdicts), held.write_paths) == (
        "read-only", {"Read": "deny"}, (),
    )  # fmt: skip


def test_after_two_reverts_by_a_person_it_only_advises(floor: Floor) -> None:
    trip = tripped(floor)
    for _ in range(2):
        change, *_ = answered(floor, asked(floor, trip), ASK)
        floor.decides("revert", change.seq)
    assert refused(answered(floor, asked(floor, trip), READ_ONLY))["why"] == "advisory"
    assert floor.posture() == "yolo"


def test_warn_user_is_a_notice_whose_text_is_data(floor: Floor) -> None:
    notice, _ = advice(floor, {"action": "warn_user", "text": "SPOKEN by the model"})
    assert (notice.kind, notice.action) == ("applied", "notice")
    assert body(notice)["advice"]["text"] == "SPOKEN by the model"
    assert summary(notice) == f"a model's warning for you: floorboss show {notice.seq}"
    assert sound(floor)


@pytest.mark.parametrize("kind", ["instruction", "skill"])
def test_a_text_for_a_person_is_named_after_its_entry(floor: Floor, kind: str) -> None:
    value = {"action": f"propose_{kind}", "title": "../../x", "text": "# SPOKEN"}
    notice, _ = advice(floor, value)
    assert body(notice)["proposer"]["file"] == f"{notice.seq}-{kind}"
    assert body(notice)["advice"] == {"title": "../../x", "text": "# SPOKEN"}
    assert "SPOKEN" not in summary(notice)
    assert "../" not in summary(notice)
    assert sound(floor)


def test_compact_waits_for_a_person_and_is_over_when_the_harness_compacts(floor: Floor) -> None:
    wish, _ = advice(floor, {"action": "compact"})
    assert (wish.kind, wish.action, wish.direction) == ("proposed", "compact", "neutral")
    (signal,) = floor.decides("apply", wish.seq)
    assert (signal.kind, signal.action, signal.actor) == ("applied", "compact", ANN)
    assert summary(signal) == "a model proposes to compact the context"
    _, end = floor.reports("s", "compaction", kind="compact")
    assert (end.kind, end.ref) == ("ended", signal.seq)
    assert sound(floor)


def test_a_compaction_ends_the_proposal_of_one(floor: Floor) -> None:
    wish, _ = advice(floor, {"action": "compact"})
    _, end = floor.reports("s", "compaction", kind="compact")
    assert (end.kind, end.ref) == ("ended", wish.seq)
    assert wish.seq not in floor.open()
    assert sound(floor)


def test_a_second_wish_to_compact_changes_nothing(floor: Floor) -> None:
    trip = tripped(floor)
    wish, _ = answered(floor, asked(floor, trip), {"action": "compact"})
    said = refused(answered(floor, asked(floor, trip), {"action": "compact"}))
    assert (said["why"], said["detail"]) == (
        "changes_nothing", f"{wish.seq} asks for a compaction already",
    )  # fmt: skip


def test_switch_model_waits_for_a_person(floor: Floor) -> None:
    wish, _ = advice(floor, {"action": "switch_model", "model": "large"})
    assert (wish.kind, wish.action) == ("proposed", "model")
    assert summary(wish).startswith('proposed model "large": model "watcher" answered')
    (chosen,) = floor.decides("apply", wish.seq)
    assert body(chosen)["model"] == "large"
    assert summary(chosen).startswith('model "large"')
    assert [o.action for o in overrides_of(floor.book, "s") if o.body.get("model")] == ["model"]
    assert sound(floor)


def test_another_model_takes_the_place_of_the_one_that_waits(floor: Floor) -> None:
    trip, small = tripped(floor), {"action": "switch_model", "model": "small"}
    first, _ = answered(floor, asked(floor, trip), {"action": "switch_model", "model": "large"})
    over, second, _ = answered(floor, asked(floor, trip), small)
    assert (over.kind, over.ref) == ("ended", first.seq)
    assert (second.kind, body(second)["model"]) == ("proposed", "small")
    assert refused(answered(floor, asked(floor, trip), small))["why"] == "changes_nothing"
    assert sound(floor)


def test_a_crowded_scope_takes_no_further_proposal(floor: Floor) -> None:
    question = asked(floor, tripped(floor))
    for tool in ("A", "B", "C", "D", "E", "F"):
        floor.proposes("policy", {"verdicts": {tool: "deny"}})
    assert refused(answered(floor, question, {"action": "compact"}))["why"] == "crowded"


def test_the_answer_to_an_ended_session_leads_nowhere(floor: Floor) -> None:
    question = asked(floor, tripped(floor))
    floor.reports("s", "session", kind="session_end")
    assert refused(answered(floor, question, READ_ONLY))["why"] == "session_ended"
    assert sound(floor)


def test_a_person_who_takes_the_call_back_wants_no_answer(floor: Floor) -> None:
    question = asked(floor, tripped(floor))
    floor.decides("revert", question.seq)
    (refusal,) = answered(floor, question, READ_ONLY)
    assert (refusal.kind, body(refusal)["why"]) == ("refused", "taken_back")
    assert floor.posture() == "yolo"
    assert sound(floor)


def test_what_went_wrong_is_as_visible_as_what_did_not(floor: Floor) -> None:
    question = asked(floor, tripped(floor))
    wrong = Rejected(why="timeout", detail="no answer within 20 seconds")
    refusal, end = came_to(floor, question, wrong)
    assert summary(refusal) == 'refused: ask by "proposer" (timeout)'
    assert summary(end) == f"{question.seq} is over: the model's answer led nowhere (timeout)"
    assert body(refusal)["answer"] == "{}"
    assert body(refusal)["duration_ms"] == 12
    assert sound(floor)


def test_the_main_agent_hears_of_a_tightening_that_no_event_brought(floor: Floor) -> None:
    change, *_ = advice(floor, ASK)
    assert floor.session().unheard == change.seq
    told = reminder(overrides_of(floor.book, "s"), change) or ""
    assert f"[floorboss {change.seq}] posture yolo -> ask" in told
    assert told.count("posture yolo -> ask") == 1
    floor.reports("s", "prompt", kind="prompt")
    assert floor.session().unheard is None


def test_a_warning_is_for_the_person_and_not_for_the_agent(floor: Floor) -> None:
    notice, _ = advice(floor, {"action": "warn_user", "text": "x"})
    assert reminder((), notice) is None


def test_observing_keeps_what_a_model_asked_for_and_denies_nothing() -> None:
    floor = Floor(configured(enforcement="observe"))
    advice(floor, ASK)
    assert floor.held().policies[0] == Policy(posture="ask")
    assert floor.asks("s").pending.last.body["verdict"] == "none"
