"""Whatever is handed over in whatever order: only what a person allowed, as often as allowed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from immutables import Map

from app.domain.configuration import Standing
from app.domain.entries import EVERYWHERE
from tests.domain.commands import Command, play
from tests.domain.floor import Floor, configured
from tests.domain.ledger import audit
from tests.domain.narrowing_oracle import frees

_scope = st.sampled_from(["s", "s", "s", "s/a"])
_name = st.sampled_from(["x", "y"])
_handing = st.one_of(
    st.tuples(st.just("hand"), _scope, st.sampled_from(["diagnosis", "plan"]), st.booleans()),
    st.tuples(st.just("leave"), _scope, st.sampled_from(["ok", "denied"])),
    st.tuples(st.just("prompt"), _scope, st.booleans()),
)
_other = st.one_of(
    st.tuples(st.just("edits"), _scope, _name),
    st.tuples(st.just("fail"), _scope, _name),
    st.tuples(st.just("clean"), _scope),
    st.tuples(
        st.just("set"),
        st.sampled_from(["s", "s/a", EVERYWHERE]),
        st.tuples(
            st.just("mode"),
            st.builds(lambda mode: {"mode": mode}, st.sampled_from(["implementation", "debug"])),
        ),
    ),
    st.tuples(st.sampled_from(["approve", "dismiss"]), st.integers(0, 3), st.booleans()),
    st.tuples(st.just("session_end"), st.just("s")),
)
# The stuck agent that hands over and is stuck again, with anything else in between.
_round = st.sampled_from(
    [
        [("clean", "s"), ("edits", "s", "x"), ("hand", "s", "diagnosis", True)],
        [("clean", "s"), ("fail", "s", "y"), ("hand", "s", "plan", True), ("prompt", "s", True)],
    ]
)
_between = st.lists(st.one_of(_handing, _other), max_size=3)
histories = st.lists(
    st.builds(lambda first, then: [*first, *then], _round, _between), min_size=1, max_size=8
).map(lambda rounds: [command for each in rounds for command in each])


def uses(floor: Floor) -> Counter[str]:
    found = (entry for entry in floor.log if entry.kind == "approved" and "artifact" in entry.body)
    return Counter(str(entry.body["standing"]) for entry in found)


@given(histories, st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_no_approval_is_used_more_often_than_it_may_be(history: list[Command], of: int) -> None:
    standing = Map({"diagnosis": Standing(uses=of), "plan": Standing(uses=of)})
    floor = Floor(configured(standing=standing))
    for command in history:
        play(floor, command)
        assert audit(floor.log) == []
    assert max(uses(floor).values(), default=0) <= of
    assert floor.session().used == Map(uses(floor))


@given(histories)
@settings(max_examples=40, deadline=None)
def test_without_an_approval_nothing_that_is_handed_over_changes_anything(
    history: list[Command],
) -> None:
    floor = Floor(configured(standing=Map()))
    for command in history:
        before = floor.book.head
        play(floor, command)
        if command[0] == "hand":
            assert [entry.action for entry in floor.log[before:]] == ["artifact"]
    assert not uses(floor)


@given(histories, st.sampled_from(["s", EVERYWHERE]))
@settings(max_examples=40, deadline=None)
def test_what_a_person_closed_stays_closed_whatever_is_handed_over(
    history: list[Command], scope: str
) -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"}, scope)
    (closed,) = floor.held().modes
    for command in history:
        if command[0] in ("hand", "leave", "prompt", "edits", "fail", "clean"):
            play(floor, command)
            assert not any(frees(closed, mode) for mode in floor.held().modes[-1:])
    assert not uses(floor)
