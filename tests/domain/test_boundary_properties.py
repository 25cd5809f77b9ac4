"""Whatever an agent, a person and time do, in any order: what the log alone must never allow.

    together     no scope may write a test and an implementation file at one moment; a crossing is
                 two moments
    machines     no entry that the machine wrote, applied or ended, frees any call of any scope
    attempts     no attempt that passed wrote both, and none wrote a test that a red run closed

Histories have attempts, ends, red and green runs, prompts, handovers, decisions, limits and time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from immutables import Map

from app.domain.boundary import closed
from app.domain.calls import Effect, Target
from app.domain.configuration import Configuration
from app.domain.crossing import open_tests
from app.domain.entries import EVERYWHERE, RESTRICTIONS, Entry
from app.domain.evolve import evolve
from app.domain.modes import EFFECTS, MODES, VERDICTS, ProfileName
from app.domain.policy import verdict
from app.domain.probes import grid
from app.domain.replacing import replace
from app.domain.restrictions import Call
from app.domain.state import Book, in_force
from tests.domain.commands import SCOPES, Command, histories, play
from tests.domain.floor import Floor, configured

TEST = Target(path="tests/x.py", zone="test")
SOURCE = Target(path="project/x.py", zone="project")
WRITING: tuple[Effect, ...] = ("write", "git_restore")
ALL = (*SCOPES, EVERYWHERE)
CALLS = tuple(
    call
    for call in grid()
    if call.tool_class in ("edit", "shell", "mcp", "test", "web", "subagent")
)


def writing(effect: Effect, *targets: Target, kind: Any = "mcp") -> Call:
    """A call by a tool that no mode bars: what it does and where alone decide."""
    return Call(tool="T", tool_class=kind, effects=(effect,), targets=targets)


def says(book: Book, scope: str, call: Call, configuration: Configuration) -> int:
    session = book.session(scope)
    tests = open_tests(red=closed(session), written=session.written)
    return VERDICTS.index(verdict(in_force(book, scope, configuration), call, tests))


def together(book: Book, configuration: Configuration) -> Iterator[str]:
    """Scopes in which both sides may be written now."""
    for scope, one, other in product(ALL, WRITING, WRITING):
        sides = (writing(one, TEST), writing(other, SOURCE))
        if not any(says(book, scope, call, configuration) for call in sides):
            yield f"{scope} may {one} tests and {other} implementation"
    for scope, effect in product(ALL, EFFECTS):
        both = writing(effect, TEST, SOURCE)
        if effect in WRITING and not says(book, scope, both, configuration):
            yield f"{scope} may {effect} both at once"


def freed(
    before: Book, entry: Entry, configuration: Configuration, calls: tuple[Call, ...] = CALLS
) -> Iterator[str]:
    """Calls that an entry frees, under all that is in force for any scope of its session."""
    after = evolve(before, entry)
    for scope in (s for s in ALL if EVERYWHERE in (s, entry.scope) or s[0] == entry.scope[0]):
        held, now = (in_force(book, scope, configuration) for book in (before, after))
        if held == now:
            continue
        for call in calls:
            if VERDICTS.index(verdict(now, call)) < VERDICTS.index(verdict(held, call)):
                yield f"{entry.seq} {entry.kind} frees {call} in {scope}"


def complaints(history: list[Command], configuration: Configuration) -> list[str]:
    """What is broken after any entry of a history."""
    floor, book, read = Floor(configuration), Book(), 0
    found: list[str] = []
    for command in history:
        play(floor, command)
        for entry in floor.log[read:]:
            if entry.actor == "machine" and entry.kind in ("applied", "ended"):
                found += freed(book, entry, configuration)
            book = evolve(book, entry)
            if entry.kind in ("applied", "reverted", "ended", "configured"):
                found += together(book, configuration)
            if entry.kind == "decided":
                found += passed(book, entry)
        read = len(floor.log)
        if found:
            break
    return found


def passed(book: Book, entry: Entry) -> Iterator[str]:
    """An attempt that was let through although it writes both sides, or a test that is closed."""
    zones = {target["zone"] for target in entry.body.get("targets") or ()}  # type: ignore[union-attr,index,call-overload]
    if entry.body["verdict"] != "none" or "test" not in zones:
        return
    session = book.session(entry.scope)
    paths = {target["path"] for target in entry.body["targets"]}  # type: ignore[union-attr,index,call-overload]
    if zones - {"test"}:
        yield f"{entry.seq} writes tests and implementation"
    if closed(session) and not paths <= session.written:
        yield f"{entry.seq} writes a closed test"


@settings(max_examples=settings().max_examples)
@given(histories, st.sampled_from(["default", "strict"]))
def test_no_history_opens_both_sides_and_no_machine_loosens(
    history: list[Command], profile: ProfileName
) -> None:
    assert complaints(history, configured(profile)) == []


@pytest.mark.parametrize("start", ["test_development", "debug", "plan"])
@given(histories)
@settings(max_examples=settings().max_examples // 5)
def test_wherever_a_session_starts(start: str, history: list[Command]) -> None:
    assert complaints(history, configured(start_mode=start)) == []


LAZY = settings(
    max_examples=2_000,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_a_mode_that_writes_both_sides_is_found() -> None:
    both = replace(MODES["default"]["implementation"], writes=("project", "test"))
    planted = configured(modes=Map({**MODES["default"], "implementation": both}))
    assert "may write both at once" in " ".join(complaints([("ask", "s", "x", "test")], planted))


def test_an_end_that_loosens_is_found() -> None:
    """As if the machine ended a restriction that nobody limited."""
    floor = Floor()
    floor.sets("mode", {"mode": "plan"})
    change = floor.log[-1]
    end = Entry(
        seq=len(floor.log) + 1, at=change.at, kind="ended", scope="s", action="mode",
        actor="machine", ref=change.seq, body={"why": "planted"},
    )  # fmt: skip
    assert list(freed(floor.book, end, floor.configuration))


def crosses(floor: Floor, entry: Entry) -> bool:
    return entry.kind == "applied" and entry.body.get("standing") == "boundary"


def ends(floor: Floor, entry: Entry) -> bool:
    over = entry.kind == "ended" and floor.entry(entry.ref or 1).kind == "applied"
    return over and entry.action in RESTRICTIONS


def tightens(floor: Floor, entry: Entry) -> bool:
    return entry.kind == "applied" and entry.actor == "machine" and entry.action in RESTRICTIONS


@pytest.mark.parametrize("does", [crosses, ends, tightens])
def test_what_is_generated_gives_the_sentences_something_to_judge(does: Any) -> None:
    def rich(history: list[Command]) -> bool:
        floor = Floor()
        for command in history:
            play(floor, command)
        return any(does(floor, entry) for entry in floor.log)

    assert find(histories, rich, settings=LAZY)
