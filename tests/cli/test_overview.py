"""What status shows, line by line."""

from __future__ import annotations

from typing import Any

import pytest

from app.cli.overview import overview


def session(**more: Any) -> dict[str, Any]:
    return {
        "scope": "s1",
        "ended": False,
        "mode": "implementation",
        "posture": "yolo",
        "also": [],
        "seqs": [],
        "proposals": [],
        "interventions": {"attempted": 0, "blocked": 0, "blocked_then_blocked": 0},
        "not_vouched_for": 0,
        "advisory": [],
        "signals": {},
        **more,
    }


@pytest.mark.parametrize(
    ("rule", "value", "threshold", "shown"),
    [
        ("repeated", 1, 3.0, []),
        ("repeated", 2, 3.0, ["  repeated 2 of 3"]),
        ("context", 0.4, 0.8, ["  context 0.4 of 0.8"]),
        ("edit_failures", 4, 4.0, ["  edit_failures 4 of 4"]),
        ("edit_failures", 5, 4.0, ["  edit_failures 5, past its threshold of 4"]),
        ("repeated", 9, None, []),  # the check is off
        ("success_rate", 1.0, 0.5, []),  # trips below its threshold: above it all is well
    ],
)
def test_a_counter_is_shown_from_half_way_on(
    rule: str, value: float, threshold: float | None, shown: list[str]
) -> None:
    view = session(signals={rule: {"value": value, "threshold": threshold}})
    assert list(overview([view], []))[2:] == shown


def test_a_standing_approval_that_is_used_up_is_shown() -> None:
    standing = {
        "boundary": {"used": 2, "of": 20},
        "diagnosis": {"used": 3, "of": 3},
        "plan": {"used": 0, "of": 0},  # the configuration has none
    }
    assert list(overview([session(standing=standing)], []))[2:] == [
        "  standing approval diagnosis is used up (3 of 3): a person decides now"
    ]


def test_blocks_and_rules_that_only_advise_are_shown() -> None:
    counted = {"attempted": 10, "blocked": 4, "blocked_then_blocked": 2}
    view = session(
        ended=True,
        interventions=counted,
        not_vouched_for=3,
        advisory=["repeated"],
        also=["plan"],
    )
    assert list(overview([view], []))[1:] == [
        "s1 (ended): mode implementation, posture yolo, also under plan",
        "  4 of 10 attempts blocked, 2 of a step blocked before",
        "  3 calls of unknown effect let pass, not vouched for",
        "  advisory only, as you took them back twice: repeated",
    ]


def test_agents_that_wait_for_an_answer_come_before_all_else() -> None:
    opened = {"seq": 84, "tool": "Write", "rule": "guarded", "further": 5, "notice": 85}
    view = session(escalations=[{**opened, "scope": "s1", "turn_ended": True}])
    proposal = ({"verb": "approve", "seq": 9, "scope": "s1"}, {"summary": "return"})
    assert list(overview([view], [proposal]))[:4] == [
        "An agent waits for an answer:",
        '  s1  84 "Write" was blocked by guarded again, 5 more calls blocked since; its turn was'
        " ended",
        "      it was told to say what it needs: answer it in its session",
        "      floorboss revert 85  when it is dealt with",
    ]


def test_escalations_are_counted_with_the_blocks() -> None:
    counted = {"attempted": 10, "blocked": 4, "blocked_then_blocked": 2, "escalations": 1}
    assert list(overview([session(interventions=counted)], []))[2:] == [
        "  4 of 10 attempts blocked, 2 of a step blocked before, 1 escalated"
    ]


def test_the_notice_that_closes_the_tests_is_shown() -> None:
    assert list(overview([session(tests_closed_by=7)], []))[2:] == [
        "  tests are closed by 7: floorboss show 7, floorboss revert 7"
    ]
    assert list(overview([session(tests_closed_by=None)], []))[2:] == []


def test_all_sessions_are_named_only_when_something_holds_for_them() -> None:
    assert list(overview([session(scope="*")], []))[1:] == ["No session was reported yet."]
    held = session(scope="*", mode="plan", seqs=[7])
    assert list(overview([held], []))[1:] == ["all sessions: mode plan, posture yolo, by 7"]


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"calls": 3, "used": 1}, "for 2 more of 3 calls"),
        ({"minutes": 5, "until": "2026-11-30T14:07:11Z"}, "until 2026-11-30T14:07:11Z"),
        ({"session": True}, "until the session ends"),
    ],
)
def test_what_holds_for_a_while_says_until_when(limit: dict[str, Any], said: str) -> None:
    held = session(seqs=[7], restrictions={"mode": {"seq": 7, "limit": limit}})
    assert list(overview([held], []))[2:] == [f"  7 holds {said}, then ends by itself"]


def test_of_one_session_it_is_not_said_that_nothing_waits_at_all() -> None:
    everywhere = session(scope="*")
    assert next(overview([session()], [])) == (
        "Nothing waits for a person in s1; `floorboss status` shows all."
    )
    assert next(overview([everywhere, session()], [])) == "Nothing waits for a person."


def test_what_is_in_force_says_what_it_did() -> None:
    because = {7: "implementation -> plan: same failing call 3 times", 9: "not here"}
    assert list(overview([session(mode="plan", seqs=[7, 8])], [], because))[1:] == [
        "s1: mode plan, posture yolo, by 7, 8",
        "  7 implementation -> plan: same failing call 3 times",
    ]


def test_an_agent_that_is_held_alone_is_shown_with_its_session() -> None:
    held = {"scope": "s1/helper", "mode": "plan", "posture": "yolo", "also": [], "seqs": [9]}
    assert list(overview([session(agents_held=[held])], [], {9: "a -> b"}))[1:] == [
        "s1: mode implementation, posture yolo",
        "  s1/helper: mode plan, posture yolo, by 9",
        "  9 a -> b",
    ]


def test_observing_says_what_would_have_been_enforced() -> None:
    counted = {"attempted": 10, "blocked": 0, "blocked_then_blocked": 0}
    stopped = {"deny": {"mode_shell": 5, "mode_tool": 2}, "ask": {"mode_shell": 1}}
    view = session(
        mode="plan",
        seqs=[7],
        enforcement="observe",
        interventions=counted,
        only_observed=stopped,
        agents_held=[{"scope": "s1/a", "mode": "plan", "posture": "ask", "also": [], "seqs": [9]}],
    )
    assert list(overview([view], [], {7: "implementation -> plan: 3 timeouts"}))[1:] == [
        "Only observing: nothing is denied.",
        'With enforcement = "enforce" in the settings, what stands below would hold.',
        "s1: would be held to mode plan, posture yolo, by 7",
        "  7 implementation -> plan: 3 timeouts",
        "  s1/a: would be held to mode plan, posture ask, by 9",
        "  7 of 10 calls would have been denied: 5 by mode_shell, 2 by mode_tool",
        "  1 of 10 calls would have been put to you: 1 by mode_shell",
    ]


def test_observing_says_so_too_where_there_was_nothing_to_stop() -> None:
    counted = {"attempted": 4, "blocked": 0, "blocked_then_blocked": 0}
    quiet = session(enforcement="observe", only_observed={"deny": {}, "ask": {}})
    assert list(overview([{**quiet, "interventions": counted}], []))[3:] == [
        "s1: would be held to mode implementation, posture yolo",
        "  none of 4 calls would have been stopped",
    ]
    assert list(overview([{**quiet, "scope": "*"}], []))[1:] == [
        "Only observing: nothing is denied.",
        "No session was reported yet.",
    ]
