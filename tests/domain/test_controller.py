"""The reaction: what each rule leads to in each mode, for which scopes, and how often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.domain.modes import MODE_NAMES
from app.domain.policy import decide
from app.domain.probes import grid
from app.domain.restrictions import InForce
from app.domain.state import own_value
from docs.generate import transitions_page
from tests.domain.floor import Floor, body, causes, configured, short
from tests.domain.ledger import audit, value
from tests.domain.narrowing_oracle import may_narrow
from tests.domain.trips import TRIPS
from tests.domain.verdict_cases import cases


def in_mode(mode: str, **settings: Any) -> Floor:
    """A session that a person put into a mode."""
    floor = Floor(configured(**settings))
    if mode != "implementation":
        floor.sets("mode", {"mode": mode})
    return floor


@pytest.mark.parametrize("case", cases("transitions"))
def test_a_rule_leads_to_what_its_mode_lets_it(case: Any) -> None:
    floor = in_mode(case["given"]["mode"], profile=case["given"]["profile"])
    event, *followed = TRIPS[case["when"]["rule"]](floor, "s")
    assert short(followed) == case["then"], case["why"]
    assert all(e.ref == event.seq for e in followed if "return" not in e.body)
    assert audit(floor.log) == []


@pytest.mark.parametrize("mode", MODE_NAMES)
@pytest.mark.parametrize("posture", ["yolo", "auto", "ask", "read-only"])
@pytest.mark.parametrize("rule", ["repeated", "edit_failures", "denials"])
def test_a_change_is_automatic_exactly_when_it_narrows_and_closes_something(
    rule: str, mode: str, posture: str
) -> None:
    floor = in_mode(mode)
    if posture != "yolo":
        floor.sets("policy", {"posture": posture})
    before, book = floor.held(), floor.book
    _, *followed = TRIPS[rule](floor, "s")
    changes = [e for e in followed if e.kind == "applied" and e.action in ("mode", "policy")]
    for change in changes:
        own = own_value(book, "s", change.action, floor.configuration)
        assert own is not None
        assert may_narrow(own, value(change))
        assert stricter(before, floor.held())
    target = floor.configuration.modes["debug" if rule == "edit_failures" else "plan"]
    own_mode = floor.configuration.modes[mode]
    possible = may_narrow(own_mode, target) and stricter(before, _with(before, target))
    assert bool([e for e in changes if e.action == "mode"]) == possible


def stricter(before: InForce, after: InForce) -> bool:
    """Whether some call of the grid is told more strictly than before."""
    order = ("none", "ask", "deny")
    return any(
        order.index(decide(after, call).verdict) > order.index(decide(before, call).verdict)
        for call in grid()
    )


def _with(held: InForce, mode: Any) -> InForce:
    return InForce(modes=(mode,), policies=held.policies)


def test_denials_climb_the_ladder_by_steps_that_close_something() -> None:
    floor = in_mode("plan")
    postures = []
    for name in "abcd":
        for _ in range(3):
            floor.call(f"rm {name}", outcome="denied")
        for at in range(6):  # past the cooldown
            floor.call(f"look {name} {at}")
        postures.append(floor.posture())
    assert postures == ["ask", "read-only", "read-only", "read-only"]
    assert audit(floor.log) == []


def test_each_way_back_from_the_ladder_leads_one_step_up() -> None:
    floor = in_mode("plan")
    for name in "ab":
        for _ in range(3):
            floor.call(f"rm {name}", outcome="denied")
        for at in range(6):
            floor.call(f"look {name} {at}")
    assert floor.posture() == "read-only"
    for posture in ("ask", "yolo"):
        (back,) = floor.open()
        floor.decides("approve", back)
        assert floor.posture() == posture
    assert floor.open() == []


def test_a_restriction_of_an_agent_holds_for_those_it_started_and_nobody_else() -> None:
    floor = Floor()
    floor.call("hello", "s/child", parent_agent_id="a")
    floor.call("hello", "s/other")
    floor.failing("make", 3, "s/a")
    modes = {scope: floor.mode(scope) for scope in ("s", "s/a", "s/child", "s/other")}
    assert modes == {
        "s": "implementation",
        "s/a": "plan",
        "s/child": "plan",
        "s/other": "implementation",
    }


def test_a_second_agent_under_the_same_rule_restricts_the_session_too() -> None:
    floor = Floor()
    floor.failing("make", 3, "s/a")
    event, *followed = floor.failing("make", 3, "s/b")
    applied = [entry for entry in followed if entry.kind == "applied"]
    assert [(entry.scope, entry.action, entry.ref) for entry in applied] == [
        ("s/b", "mode", event.seq),
        ("s", "mode", event.seq),
    ]
    assert sorted(p.scope for p in floor.session().proposals.values()) == ["s", "s/a", "s/b"]
    assert floor.mode("s/c") == "plan"


def test_one_agent_twice_under_a_rule_is_no_second_agent() -> None:
    floor = Floor()
    for _ in range(2):
        floor.failing("make", 3, "s/a")
        floor.decides("approve", floor.open()[0])
        for at in range(6):
            floor.call(f"look {at}", "s/a")
    floor.failing("make", 3, "s/a")
    assert (floor.mode("s/a"), floor.mode("s")) == ("plan", "implementation")


def test_a_second_agent_under_another_rule_restricts_only_itself() -> None:
    floor = Floor()
    floor.failing("make", 3, "s/a")
    TRIPS["timeouts"](floor, "s/b")
    assert (floor.mode("s/b"), floor.mode("s")) == ("plan", "implementation")


def test_the_main_agent_restricts_the_session_and_with_it_every_agent() -> None:
    floor = Floor()
    floor.call("hello", "s/a")
    _, *followed = floor.failing()
    assert [entry.scope for entry in followed] == ["s", "s"]
    assert floor.mode("s/a") == "plan"


def test_the_successes_of_one_agent_do_not_reset_another() -> None:
    floor = Floor()
    for at in range(4):
        floor.call(
            f"edit {at}", "s/a", **{"class": "edit"}, outcome="error", failed=True, path="a.py",
            edit=f"a.py {at}",
        )  # fmt: skip
        floor.call(f"fine {at}", "s/b", **{"class": "edit"}, path="a.py", edit=f"a.py b {at}")
        floor.call(f"fine {at}", "s", **{"class": "edit"}, path="a.py", edit=f"a.py m {at}")
    applied = next(entry for entry in floor.log if entry.kind == "applied")
    assert (applied.scope, applied.body["mode"]) == ("s/a", "debug")
    (cause,) = causes(applied)
    assert (cause["rule"], cause["agent"]) == ("edit_failures", "a")
    assert floor.mode("s/b") == "implementation"


def test_a_check_fires_once_and_not_on_every_further_call() -> None:
    floor = Floor()
    floor.failing("make", 12)
    applied = [entry for entry in floor.log if entry.kind == "applied"]
    fired = [cause["rule"] for entry in applied for cause in causes(entry)]
    assert fired.count("repeated") == 1


def test_after_an_automatic_change_the_next_one_waits_and_then_comes() -> None:
    floor = Floor()
    TRIPS["edit_failures"](floor, "s")
    floor.failing("make", 3)
    assert floor.mode() == "debug"
    floor.failing("make", 4)
    assert floor.mode() == "plan"


def test_after_an_approved_return_the_same_counters_have_to_be_earned_in_full() -> None:
    floor = Floor()
    floor.failing("make", 3)
    floor.decides("approve", floor.open()[0])
    _, *followed = floor.failing("make", 2, error="E")
    assert (floor.mode(), followed) == ("implementation", [])
    floor.failing("make", 4, error="E")  # three are enough, and the last is past the cooldown
    assert floor.mode() == "plan"


def test_the_second_revert_by_a_person_makes_a_rule_advisory() -> None:
    floor = Floor()
    for _ in range(2):
        assert floor.mode() == "implementation"
        floor.failing("make", 3)
        floor.decides("revert", _applied(floor))
        for at in range(6):
            floor.call(f"look {at}")
    _, *followed = floor.failing("make", 3)
    assert short(followed) == ["applied notice neutral"]
    TRIPS["timeouts"](floor, "s")
    assert floor.mode() == "plan"  # another rule is none the wiser


def test_approved_returns_make_no_rule_advisory() -> None:
    floor = Floor()
    for _ in range(3):
        floor.failing("make", 3)
        assert floor.mode() == "plan"
        floor.decides("approve", floor.open()[0])
        for at in range(6):
            floor.call(f"look {at}")
    assert floor.session().taken_back.get("repeated", 0) == 0


def _applied(floor: Floor) -> int:
    return next(e.seq for e in reversed(floor.log) if e.kind == "applied" and e.action == "mode")


def test_a_full_context_that_a_person_took_back_is_not_said_again_at_once() -> None:
    floor = Floor()
    _, signal = TRIPS["context"](floor, "s")
    floor.decides("revert", signal.seq)
    assert len(TRIPS["context"](floor, "s")) == 1


def test_the_signal_ends_when_the_harness_compacts() -> None:
    floor = Floor()
    _, signal = TRIPS["context"](floor, "s")
    _, ended = floor.reports("s", "compaction", kind="compact")
    assert (ended.kind, ended.action, ended.ref) == ("ended", "compact", signal.seq)
    assert len(floor.reports("s", "compaction", kind="compact")) == 1


def test_a_streak_asks_for_one_step_up_and_never_beyond_the_ceiling() -> None:
    floor = Floor(configured(ceiling="auto"))
    floor.sets("policy", {"posture": "read-only"})
    asked = []
    for name in "abc":
        for at in range(30):
            floor.call(f"{name} {at}")
        if floor.open():
            (proposal,) = floor.open()
            asked.append(body(floor.entry(proposal))["policy"]["posture"])
            floor.decides("approve", proposal)
            floor.reports("s", "prompt", kind="prompt")
            floor.failing("oops", 1)  # the streak begins again
            for at in range(6):
                floor.call(f"rearm {name} {at}", **{"class": "talk"})
    assert asked == ["ask", "auto"]
    assert floor.posture() == "auto"


def test_a_check_that_is_off_says_nothing() -> None:
    floor = Floor(configured(thresholds={"repeated.failed": 0, "repeated.ok": 0}))
    floor.failing("make", 4)
    assert [entry.kind for entry in floor.log if entry.kind == "applied"] == []


def test_an_entry_explains_itself() -> None:
    floor = Floor()
    event, applied, back = floor.failing("make", 3)
    (cause,) = causes(applied)
    assert cause == {
        "rule": "repeated",
        "key": "same:make",
        "value": 3,
        "threshold": 3,
        "seqs": [2, 3, 4],
        "detail": "same failing call 3 times, nothing changed in between",
        "target": "plan",
    }
    assert applied.body["configuration"] == "c0ffee"
    assert applied.body["was"] == "implementation"
    assert (applied.ref, back.ref, back.body["return"]) == (event.seq, applied.seq, applied.seq)


def test_a_start_and_a_bill_trip_nothing_that_the_last_call_did_not() -> None:
    floor = Floor(configured(ceiling="ask"))
    TRIPS["streak"](floor, "s")
    floor.sets("policy", {"posture": "read-only"})
    assert len(floor.reports("s", "session", kind="session_start")) == 1


def test_the_page_of_transitions_is_the_one_made_from_the_tables() -> None:
    page = Path(__file__).parents[2] / "docs" / "transitions.md"
    assert page.read_text("utf-8") == transitions_page(), "run .venv/bin/python docs/generate.py"
