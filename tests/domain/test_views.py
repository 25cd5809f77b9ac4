"""How sessions and entries are shown: derived from the log, texts left out."""

from __future__ import annotations

import json
from typing import Any

from app.domain.differences import difference, difference_view
from app.domain.modes import MODES
from app.domain.restrictions import InForce
from app.domain.views import (
    entry_view,
    in_force_view,
    last_handoff,
    overrides_of,
    session_row,
    session_view,
)
from tests.domain.floor import Floor, body, configured

DEFAULT = MODES["default"]


def view(floor: Floor, scope: str = "s") -> dict[str, Any]:
    return dict(session_view(floor.book, scope, floor.configuration))


def test_an_entry_is_shown_the_same_everywhere() -> None:
    floor = Floor()
    _, applied, _ = floor.failing()
    shown = entry_view(applied, text=True)
    assert list(shown) == [
        "seq", "at", "kind", "scope", "action", "direction", "ref", "actor", "summary", "body",
        "hash",
    ]  # fmt: skip
    assert shown["body"] == applied.body
    assert shown["summary"] == (
        "implementation -> plan: same failing call 3 times, nothing changed in between"
    )


def test_a_session_shows_what_restricts_it_and_what_waits() -> None:
    floor = Floor()
    _, applied, back = floor.failing()
    shown = view(floor)
    assert (shown["mode"], shown["posture"], shown["also"]) == ("plan", "yolo", [])
    assert shown["restrictions"] == {
        "mode": {"seq": applied.seq, "actor": "machine", "direction": "tighten"}
    }
    assert shown["proposals"] == [
        {
            "seq": back.seq,
            "scope": "s",
            "action": "mode",
            "direction": "loosen",
            "returns": applied.seq,
            "artifact": None,
            "verb": "approve",
            "state": floor.state(),
            "difference": difference_view(
                difference(
                    InForce(modes=(DEFAULT["plan"],)), InForce(modes=(DEFAULT["implementation"],))
                )
            ),
        }
    ]
    assert shown["signals"]["repeated"] == {"value": 3, "threshold": 3}
    assert shown["seqs"] == [applied.seq]


def test_a_proposal_shows_the_verb_that_is_right_now() -> None:
    floor = Floor()
    floor.proposes("mode", {"mode": "debug"})
    assert view(floor)["proposals"][0]["verb"] == "apply"
    floor.sets("mode", {"mode": "plan"})
    (shown,) = view(floor)["proposals"]
    assert (shown["verb"], shown["direction"]) == ("approve", "loosen")
    floor.decides(shown["verb"], shown["seq"])


def test_the_state_that_is_shown_is_the_one_to_decide_on() -> None:
    floor = Floor()
    floor.failing()
    (shown,) = view(floor)["proposals"]
    assert isinstance(floor.tries(shown["verb"], shown["seq"], state=shown["state"]), tuple)


def test_the_modes_of_wider_scopes_stand_beside_the_narrowest() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "review"}, "*")
    floor.failing("make", 3, "s/a")
    floor.sets("mode", {"mode": "debug"}, "s")
    held = in_force_view(floor.book, "s/a", floor.configuration)
    assert (held["mode"], held["also"]) == ("debug", ["review"])
    floor.sets("mode", {"mode": "plan"}, "s/a")
    held = in_force_view(floor.book, "s/a", floor.configuration)
    assert (held["mode"], held["also"]) == ("plan", ["debug", "review"])


def test_interventions_are_counted_over_all_agents() -> None:
    floor = Floor()
    floor.sets("policy", {"posture": "read-only"})
    for scope in ("s", "s/a", "s/a"):
        floor.asks(scope, targets=[{"path": "a", "zone": "project"}])
    shown: Any = session_row(floor.book, floor.session(), floor.configuration)["interventions"]
    assert shown == {
        "attempted": 3,
        "blocked": 3,
        "rate": 1.0,
        "blocked_then_blocked": 1,
        "steps_after_first_terminal_block": 0,
        "escalations": 1,
    }


def test_calls_that_nobody_vouched_for_are_counted_once_each() -> None:
    floor = Floor()
    for call, effect in (("1", "unknown"), ("2", "read"), ("1", "unknown"), ("3", "unknown")):
        floor.asks("s", effects=[effect], call_id=call)
    shown = session_row(floor.book, floor.session(), floor.configuration)
    assert shown["not_vouched_for"] == 2


def test_what_only_observing_let_pass_is_counted_by_rule_and_once_each() -> None:
    floor = Floor(configured(enforcement="observe"))
    floor.sets("mode", {"mode": "plan"})
    for scope, call in (("s", "1"), ("s/a", "2"), ("s", "1")):
        floor.asks(scope, call_id=call, targets=[{"path": "a", "zone": "project"}])
    floor.asks(call_id="3", effects=["read"], **{"class": "read"})
    floor.sets("policy", {"posture": "read-only"})
    floor.asks(call_id="1", targets=[{"path": "a", "zone": "project"}])
    shown = session_row(floor.book, floor.session(), floor.configuration)
    assert shown["only_observed"] == {"deny": {"mode_tool": 2}, "ask": {}}
    counted: Any = shown["interventions"]
    assert (counted["attempted"], counted["blocked"]) == (3, 0)
    assert floor.folded() == floor.book


def test_agents_that_are_held_alone_stand_with_their_session() -> None:
    floor = Floor()
    _, applied, _ = floor.failing(scope="s/a")
    assert view(floor)["agents_held"] == [
        {"scope": "s/a", "mode": "plan", "posture": "yolo", "also": [], "seqs": [applied.seq]}
    ]
    floor.decides("revert", applied.seq)
    assert view(floor)["agents_held"] == []


def test_a_rule_that_became_advisory_is_shown() -> None:
    floor = Floor()
    for _ in range(2):
        *_, applied, _ = floor.failing()
        floor.decides("revert", applied.seq)
        for at in range(6):
            floor.call(f"look {at}")
    assert view(floor)["advisory"] == ["repeated"]


def test_the_overrides_of_a_scope_are_its_own() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"}, "*")
    floor.failing("make", 3, "s/a")
    floor.sets("policy", {"posture": "ask"}, "s")
    assert [o.action for o in overrides_of(floor.book, "s")] == ["policy"]
    assert [o.action for o in overrides_of(floor.book, "*")] == ["mode"]
    assert overrides_of(floor.book, "t") == ()


def test_the_handoff_is_that_of_the_newest_mode() -> None:
    floor = Floor()
    assert last_handoff(floor.book, "s") is None
    _, applied, _ = floor.failing()
    assert last_handoff(floor.book, "s") == body(applied)["handoff"]


def test_no_view_holds_a_text_of_the_agent() -> None:
    floor = Floor()
    for _ in range(3):
        floor.failing("make", 1, arguments={"command": "Canary"}, result="Canary")
    shown = [view(floor), session_row(floor.book, floor.session(), floor.configuration)]
    assert "Canary" not in json.dumps(shown)
