"""What agent and person are told by themselves: what changed, the way back, what is in force."""

from __future__ import annotations

from app.domain.bodies import value_body
from app.domain.entries import Entry
from app.domain.limits import Limit
from app.domain.modes import MODES
from app.domain.state import overrides_for
from app.domain.telling import LONGEST, reminder, to_agent, to_person
from tests.domain.floor import Floor


def fired(floor: Floor) -> list[Entry]:
    """What a session's third failure of one call leads to: another mode, and the way back."""
    return list(floor.failing("make", times=3))


def test_a_change_of_mode_is_told_with_what_it_leaves_and_the_way_back() -> None:
    entries = fired(Floor())
    applied, proposed = (next(e for e in entries if e.kind == k) for k in ("applied", "proposed"))
    agent, person = to_agent(entries), to_person(entries)
    assert agent is not None
    assert agent.startswith(f"[floorboss {applied.seq}] implementation -> plan: ")
    assert ", ".join(MODES["default"]["plan"].tools) in agent
    assert "nothing may be written. Hand over your plan, as text or as JSON with the parts" in agent
    assert ", ".join(MODES["default"]["plan"].output) in agent
    assert "```floorboss plan, or POST it to /controller/artifacts" in agent
    assert person is not None
    assert person.startswith(f"floorboss {applied.seq}: implementation -> plan: ")
    assert person.endswith(f"To take it back: floorboss approve {proposed.seq}")


def test_nothing_happened_is_nothing_told() -> None:
    assert (to_agent(()), to_person(()), reminder(())) == (None, None, None)


def test_a_persons_own_choice_is_told_to_the_agent_alone() -> None:
    debug = value_body(MODES["default"]["debug"])
    chosen = Entry(
        seq=3, at="", kind="applied", scope="s", action="mode", actor="human:ann",
        body={**debug, "was": "plan", "because": [{"rule": "person"}]},
    )  # fmt: skip
    assert str(to_agent([chosen])).startswith("[floorboss 3] plan -> debug: by a person.")
    assert to_person([chosen]) is None


def test_what_is_in_force_is_said_as_it_was_when_it_came() -> None:
    floor = Floor()
    entries = fired(floor)
    said = reminder(overrides_for(floor.book, "s", "mode"))
    changed = str(to_agent(entries))
    assert said == changed.replace("] ", "] still in force: ", 1)


def test_a_message_has_an_end() -> None:
    notice = Entry(
        seq=3, at="", kind="applied", scope="s", action="notice", actor="machine",
        body={"notice": "n" * 400},
    )  # fmt: skip
    told = str(to_agent([notice] * 9))
    assert len(told) <= LONGEST
    assert told.count("\n") == 2
    long = Entry(
        seq=3, at="", kind="applied", scope="s", action="notice", actor="machine",
        body={"notice": "n" * 9_000},
    )  # fmt: skip
    assert len(str(to_person([long]))) == LONGEST


def test_what_was_lent_is_told_when_it_is_over() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    limit = Limit(kind="calls", amount=1)
    lent = floor.sets("mode", {"mode": "implementation"}, limit=limit)[-1]
    floor.asks(call_id="1", targets=[{"path": "a.py", "zone": "project"}])
    ended = floor.log[-1]
    said = f"{lent.seq} is over: its 1 call is over. In force now: mode plan, posture yolo."
    assert to_agent(floor.log[-2:]) == f"[floorboss {ended.seq}] {said}"
    assert to_person(floor.log[-2:]) == f"floorboss {ended.seq}: {said}"
