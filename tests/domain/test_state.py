"""What judges a scope, and the digest of it that a person decides on."""

from __future__ import annotations

import pytest

from app.domain.configuration import Configuration
from app.domain.expected_state import state_of
from app.domain.restrictions import Policy
from app.domain.state import overrides_for, own_value, scopes_above, supposed
from tests.domain.floor import Floor, configured


def family(configuration: Configuration | None = None) -> Floor:
    """A session whose agent c was started by b, and b by a."""
    floor = Floor(configuration)
    floor.call("hello", "s/a")
    floor.call("hello", "s/b", parent_agent_id="a")
    floor.call("hello", "s/c", parent_agent_id="b")
    return floor


@pytest.mark.parametrize(
    ("scope", "levels"),
    [
        ("s/c", ["s/c", "s/b", "s/a", "s", "*"]),
        ("s/a", ["s/a", "s", "*"]),
        ("s/unknown", ["s/unknown", "s", "*"]),
        ("s", ["s", "*"]),
        ("*", ["*"]),
    ],
)
def test_a_scope_lies_in_those_that_started_it(scope: str, levels: list[str]) -> None:
    assert list(scopes_above(family().session(scope), scope)) == levels


def test_agents_that_claim_to_have_started_each_other_end_somewhere() -> None:
    floor = Floor()
    floor.call("hello", "s/a", parent_agent_id="b")
    floor.call("hello", "s/b", parent_agent_id="a")
    floor.call("hello", "s/x", parent_agent_id="x")
    assert list(scopes_above(floor.session(), "s/a")) == ["s/a", "s/b", "s", "*"]
    assert list(scopes_above(floor.session(), "s/x")) == ["s/x", "s", "*"]


def test_an_agents_first_parent_stays_its_parent() -> None:
    floor = family()
    floor.call("again", "s/c", parent_agent_id="elsewhere")
    assert list(scopes_above(floor.session(), "s/c"))[1] == "s/b"


def test_everything_that_holds_a_scope_judges_it_narrowest_first() -> None:
    floor = family()
    for scope, mode in (("*", "review"), ("s", "debug"), ("s/a", "plan")):
        floor.sets("mode", {"mode": mode}, scope)
    assert [mode.name for mode in floor.held("s/c").modes] == ["plan", "debug", "review"]
    assert [mode.name for mode in floor.held("t").modes] == ["review"]


def test_the_defaults_hold_only_where_nothing_was_applied() -> None:
    floor = Floor(configured(start_mode="debug", ceiling="ask"))
    held = floor.held("never seen")
    assert ([m.name for m in held.modes], held.policies) == (["debug"], (Policy(posture="ask"),))
    floor.sets("mode", {"mode": "plan"}, "*")
    assert [mode.name for mode in floor.held("never seen").modes] == ["plan"]


def test_a_claimed_parent_restricts_an_agent_and_never_frees_it() -> None:
    floor = family(configured(start_mode="review"))
    floor.sets("mode", {"mode": "implementation"}, "s/a")
    assert [mode.name for mode in floor.held("s/b").modes] == ["implementation", "review"]
    assert [mode.name for mode in floor.held("s/a").modes] == ["implementation"]


def test_what_a_scope_has_itself_is_its_newest_entry_or_the_default() -> None:
    floor = family()
    floor.sets("mode", {"mode": "plan"}, "s")
    own = own_value(floor.book, "s/a", "mode", floor.configuration)
    assert own == floor.configuration.modes["implementation"]
    assert own_value(floor.book, "s", "notice", floor.configuration) is None


def test_what_is_supposed_holds_in_the_supposition_only() -> None:
    floor = Floor()
    plan = floor.configuration.modes["plan"]
    moved = supposed(floor.book, "s", "mode", plan)
    assert [override.value for override in overrides_for(moved, "s", "mode")] == [plan]
    assert overrides_for(floor.book, "s", "mode") == ()


def test_a_state_is_of_what_restricts_and_of_the_configuration() -> None:
    floor = family()
    before = {scope: floor.state(scope) for scope in ("s", "s/a", "s/b", "t", "*")}
    floor.sets("mode", {"mode": "plan"}, "s/a")
    after = {scope: floor.state(scope) for scope in before}
    assert {s for s in before if before[s] != after[s]} == {"s/a", "s/b"}
    floor.sets("policy", {"posture": "ask"}, "*")
    assert all(floor.state(scope) != after[scope] for scope in before)
    last = floor.state()
    floor.writes("configured", "*", "configuration", "human:ann", {"digest": "new"})
    assert floor.state() != last


def test_a_state_is_the_same_in_a_folded_book() -> None:
    floor = family()
    floor.failing("make", 3, "s/a")
    assert state_of(floor.folded(), "s/c") == floor.state("s/c")


def test_calls_and_notices_leave_the_state_as_it_was() -> None:
    floor = Floor()
    before = floor.state()
    for at in range(3):
        floor.call(f"b{at}", outcome="blocked", rule="foreign_hook")
    floor.call("read", context_tokens=900, context_limit=1000)
    assert {e.action for e in floor.log if e.kind == "applied"} == {"notice", "compact"}
    assert floor.state() == before


def test_a_book_forgets_a_session_that_it_can_fold_again() -> None:
    floor = family()
    assert floor.book.without("s").session("s").last_seq == 0
    assert floor.book.without("unknown") == floor.book
