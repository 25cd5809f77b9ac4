"""Wishes: what an agent asks for waits, what a person wants on purpose is decided at once."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.decisions import Refusal
from app.domain.proposals import ASKED, OPEN_PROPOSALS
from app.domain.proposing import Unclear
from tests.domain.floor import ANN, Floor, body, short
from tests.domain.ledger import audit

PLAN = {"mode": "plan"}


def test_a_wish_of_an_agent_waits_and_changes_nothing() -> None:
    floor = Floor()
    (proposed,) = floor.proposes("mode", PLAN)
    assert (proposed.kind, proposed.actor, proposed.direction) == (
        "proposed",
        "harness:test",
        "tighten",
    )
    assert body(proposed)["why"] == "because"
    assert body(proposed)["state"] == floor.state()
    assert floor.mode() == "implementation"


@pytest.mark.parametrize(
    ("mode", "written"),
    [
        ("plan", ["proposed mode plan tighten", "applied mode plan tighten"]),
        ("implementation", ["proposed mode implementation neutral",
                            "applied mode implementation neutral"]),
        ("test_development", ["proposed mode test_development loosen", "approved mode neutral",
                              "applied mode test_development loosen"]),
    ],
)  # fmt: skip
def test_a_person_proposes_and_decides_in_one_call(mode: str, written: list[str]) -> None:
    floor = Floor()
    entries = floor.sets("mode", {"mode": mode})
    assert short(entries) == written
    assert {entry.actor for entry in entries} == {ANN}
    assert floor.mode() == mode
    assert audit(floor.log) == []


def test_a_loosening_is_decided_only_for_the_state_that_was_seen() -> None:
    floor = Floor()
    before = floor.book
    wish: dict[str, Any] = {"actor": ANN, "decide": True}
    missing = floor.wishes("mode", {"mode": "test_development"}, **wish)
    stale = floor.wishes("mode", {"mode": "test_development"}, expected_state="0", **wish)
    assert isinstance(missing, Refusal)
    assert isinstance(stale, Refusal)
    assert (missing.why, stale.why) == ("state_missing", "state_changed")
    assert stale.seq == 0  # nothing was written that a refused entry could refer to
    assert floor.book == before


def test_a_tightening_needs_no_state() -> None:
    floor = Floor()
    answer = floor.wishes("mode", PLAN, actor=ANN, decide=True)
    assert isinstance(answer, tuple)
    assert floor.mode() == "plan"


def test_a_repeat_writes_nothing_and_names_the_open_one() -> None:
    floor = Floor()
    floor.wishes("mode", PLAN)
    (open_one,) = floor.open()
    assert floor.wishes("mode", PLAN) == ()
    assert floor.open() == [open_one]


def test_a_person_deciding_what_an_agent_asked_for_decides_the_open_one() -> None:
    floor = Floor()
    floor.wishes("mode", PLAN)
    (open_one,) = floor.open()
    entries = floor.sets("mode", PLAN)
    assert [(entry.kind, entry.ref) for entry in entries] == [("applied", open_one)]


def test_so_many_wait_in_a_scope_and_no_more() -> None:
    floor = Floor()
    floor.failing()
    for at in range(ASKED):
        assert floor.wishes("policy", {"shell_denials": [f"rm {at}"]}) != ()
    assert isinstance(floor.wishes("policy", {"shell_denials": ["one more"]}), Unclear)
    assert isinstance(floor.wishes("policy", {"shell_denials": ["elsewhere"]}, "s/a"), tuple)
    for _ in range(3):
        floor.call("rm", outcome="denied")
    for at in range(6):
        floor.call(f"look {at}")
    assert len(floor.open()) <= OPEN_PROPOSALS
    assert audit(floor.log) == []


def test_a_person_is_not_kept_from_tightening_by_what_waits() -> None:
    floor = Floor()
    for at in range(ASKED):
        floor.wishes("policy", {"shell_denials": [f"rm {at}"]})
    floor.sets("mode", PLAN)
    assert floor.mode() == "plan"


def test_freezing_all_sessions_judges_every_session() -> None:
    floor = Floor()
    floor.call("hello", "s/a")
    floor.sets("policy", {"posture": "read-only"}, "*")
    assert {floor.posture(scope) for scope in ("s", "s/a", "never seen")} == {"read-only"}


def test_a_policy_is_wished_by_its_differences_and_stored_whole() -> None:
    floor = Floor()
    floor.sets("policy", {"posture": "ask"})
    _, applied = floor.sets("policy", {"shell_denials": ["git push"]})
    assert body(applied)["policy"] == {
        "posture": "ask",
        "verdicts": {},
        "shell_denials": ["git push"],
        "write_paths": None,
    }


@pytest.mark.parametrize(
    ("action", "value", "says"),
    [
        ("mode", {"mode": "fast"}, "implementation"),
        ("mode", {}, "implementation"),
        ("mode", {"return": True}, "nothing is in force"),
        ("policy", {}, "posture"),
        ("policy", {"posture": "brave"}, "yolo"),
        ("policy", {"wings": 2}, "posture"),
        ("policy", {"verdicts": {"Bash": "allow"}}, "none"),
    ],
)
def test_a_wish_for_what_does_not_exist_is_told_what_does(
    action: Any, value: Any, says: str
) -> None:
    floor = Floor()
    answer = floor.wishes(action, value)
    assert isinstance(answer, Unclear)
    assert says in answer.detail


@pytest.mark.parametrize("scope", ["", "/a", "s/", "*/a", "s\n", "s/\u202ea", "x" * 129])
def test_a_scope_that_no_session_can_have_is_refused(scope: str) -> None:
    assert isinstance(Floor().wishes("mode", PLAN, scope), Unclear)


def test_a_return_is_that_of_the_newest_entry_or_refused() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "debug"})
    older = floor.log[-1].seq
    floor.sets("mode", PLAN)
    newest = floor.log[-1].seq
    assert isinstance(floor.wishes("mode", {"return": older}), Unclear)
    (proposed,) = floor.proposes("mode", {"return": newest})
    assert (proposed.ref, body(proposed)["mode"]) == (newest, "debug")
    assert short(floor.decides("approve", proposed.seq)) == [
        "approved mode neutral", "reverted mode loosen"
    ]  # fmt: skip
    assert floor.mode() == "debug"


def test_a_person_wanting_what_lies_beneath_takes_the_way_back() -> None:
    floor = Floor()
    _, applied, back = floor.failing()
    entries = floor.sets("mode", {"mode": "implementation"})
    assert [(entry.kind, entry.ref) for entry in entries] == [
        ("approved", back.seq), ("reverted", applied.seq)
    ]  # fmt: skip
