"""Whatever is lost, repeated or out of order: no fault, and no success that nobody saw.

On the desk, over a log in memory; the route above it has its own tests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.hooks import DIALECTS, reply_to
from app.domain.entries import EVERYWHERE, RESTRICTIONS, Draft, Entry
from app.harness.claude_code.reading import PRE
from app.replay.memory import Memory
from app.service.desk import Desk
from app.service.hooks import receive_report
from tests.api.recordings import Payload, has_id, names, payloads
from tests.domain.floor import AT, configured

DIALECT = DIALECTS["claude-code"]
RECORDINGS = st.sampled_from(names()).map(payloads)
CONFIGURED = Draft(
    kind="configured",
    scope=EVERYWHERE,
    action="configuration",
    actor="human:ann",
    body={"digest": "c0ffee"},
)


class Listener:
    """A desk that hears hooks one after the other, each committed before the next."""

    def __init__(self) -> None:
        self.memory, self.entries = Memory(), list[Entry]()
        self.desk = Desk(self.memory, configured())
        self.desk.take(self.desk.begin(AT).append(CONFIGURED))
        self._commit()

    def hear(self, lines: Sequence[Payload]) -> Listener:
        for line in lines:
            report = DIALECT.read(line, "0" * 16)
            said = DIALECT.answer(report.hook, reply_to(receive_report(report, self.desk, AT)))
            json.dumps(said, ensure_ascii=False, allow_nan=False).encode()
            self._commit()
        return self

    def _commit(self) -> None:
        self.memory.append(self.desk.fresh)
        self.entries += self.desk.fresh
        self.desk.committed()

    def ends(self) -> list[tuple[Any, ...]]:
        """How calls ended, in order: id, outcome, and whether floorboss closed it by itself.

        Without those that nobody saw end.
        """
        bodies = [e.body for e in self.entries if e.kind == "observed" and e.action == "tool"]
        said = [(b.get("call_id"), b.get("outcome", "unknown"), "end" in b) for b in bodies]
        return [one for one in said if one[1] != "unknown"]

    def restrictions(self) -> list[tuple[str, str, str]]:
        """What is in force, in every scope."""
        return sorted(
            (scope, action, json.dumps([o.body.get("mode") or o.body.get("policy") for o in stack]))
            for session in self.desk.book.sessions.values()
            for (scope, action), stack in session.overrides.items()
            if action in RESTRICTIONS
        )


@st.composite
def mangled(draw: st.DrawFn) -> list[Payload]:
    """A recording of which lines are lost, repeated and out of order."""
    lines = draw(RECORDINGS)
    places = st.lists(st.integers(0, len(lines) - 1), max_size=2 * len(lines))
    return [lines[place] for place in draw(places)]


@st.composite
def shuffled(draw: st.DrawFn) -> list[Payload]:
    return draw(st.permutations(draw(RECORDINGS)))


@st.composite
def repeated(draw: st.DrawFn) -> tuple[list[Payload], list[Payload]]:
    """A prefix of a recording, and the same with lines repeated that have an id, anywhere later."""
    lines = draw(RECORDINGS)
    once = lines[: draw(st.integers(0, len(lines)))]
    twice = list(once)
    for line in draw(st.lists(st.sampled_from(lines), max_size=12)):
        if line in once and has_id(line):
            twice.insert(draw(st.integers(twice.index(line) + 1, len(twice))), line)
    return once, twice


def seen(lines: Sequence[Payload]) -> set[str]:
    """The calls whose success a hook told of."""
    return {str(x["tool_use_id"]) for x in lines if x["hook_event_name"] == "PostToolUse"}


def test_a_call_that_was_denied_and_ran_all_the_same_has_both_ends() -> None:
    lines = payloads("2.1.332/edit_storm")
    asked, ran = (next(x for x in lines if x["hook_event_name"] == n) for n in (PRE, "PostToolUse"))
    _, read, *failed = (x for x in lines if x["hook_event_name"] == "PostToolBatch")
    ends = Listener().hear([*failed, asked, read, ran]).ends()
    whose = asked["tool_use_id"]
    assert whose == ran["tool_use_id"]
    assert [rest for call, *rest in ends if call == whose] == [["blocked", True], ["ok", False]]


@given(mangled() | shuffled())
@settings(max_examples=80)
def test_nothing_succeeds_that_nobody_saw_and_no_call_ends_twice(lines: list[Payload]) -> None:
    ends = Listener().hear(lines).ends()
    assert {call for call, outcome, _ in ends if outcome == "ok"} <= seen(lines)
    # A call that was denied and closed may still be told to have run: both are what happened.
    assert set(Counter((call, closed) for call, _, closed in ends).values()) <= {1}


@given(repeated())
@settings(max_examples=80)
def test_what_is_repeated_changes_neither_restrictions_nor_ends(
    lines: tuple[list[Payload], list[Payload]],
) -> None:
    once, twice = (Listener().hear(some) for some in lines)
    assert twice.restrictions() == once.restrictions()
    # What is still open after the prefix, a repeated batch may close; told ends are the same.
    told = [[end for end in heard.ends() if not end[2]] for heard in (once, twice)]
    assert told[0] == told[1]


@given(mangled())
@settings(max_examples=40)
def test_a_session_folded_anew_is_the_one_that_was_kept(lines: list[Payload]) -> None:
    listener = Listener().hear(lines)
    again = Desk(listener.memory, configured())
    for name, session in listener.desk.book.sessions.items():
        assert again.load(name) == session
