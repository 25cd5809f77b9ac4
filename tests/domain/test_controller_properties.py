"""Whatever happens in whatever order: what the entries alone say holds, and so does the fold."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.entries import EVERYWHERE
from app.domain.evolve import evolve_all
from app.domain.modes import ProfileName
from app.domain.returns import settle
from app.domain.state import Book, newest
from tests.domain.commands import Command, histories, play
from tests.domain.floor import Floor, configured
from tests.domain.ledger import audit, overrides, waiting

profiles = st.sampled_from(["default", "strict"])


def played(history: list[Command], profile: ProfileName = "default", **changes: Any) -> Floor:
    floor = Floor(configured(profile, **changes))
    for command in history:
        play(floor, command)
    return floor


@given(histories, profiles)
@settings(max_examples=150)
def test_every_sentence_about_the_log_holds_after_every_command(
    history: list[Command], profile: ProfileName
) -> None:
    floor = Floor(configured(profile))
    for command in history:
        play(floor, command)
        assert audit(floor.log, profile=profile) == [], command


@given(histories, profiles)
@settings(max_examples=60)
def test_what_is_in_force_is_what_the_entries_say(
    history: list[Command], profile: ProfileName
) -> None:
    floor = played(history, profile)
    said = {place: entry.seq for place, entry in overrides(floor.log).items()}
    sessions = [floor.book.everywhere, *floor.book.sessions.values()]
    held = {
        place: stack[-1].seq for session in sessions for place, stack in session.overrides.items()
    }
    opened = {seq for session in sessions for seq in session.proposals}
    assert held == said
    assert opened == {entry.seq for entry in waiting(floor.log)}


@given(histories, st.integers(0, 200))
@settings(max_examples=60)
def test_a_prefix_and_the_rest_fold_to_what_all_fold_to(history: list[Command], cut: int) -> None:
    floor = played(history)
    first = evolve_all(Book(), floor.log[:cut])
    assert evolve_all(first, floor.log[cut:]) == floor.folded() == floor.book


@given(histories)
@settings(max_examples=40)
def test_a_session_that_was_forgotten_and_folded_again_is_the_one_that_was_kept(
    history: list[Command],
) -> None:
    floor = played(history)
    for name, kept in floor.book.sessions.items():
        again = evolve_all(floor.book.without(name), [e for e in floor.log if e.session == name])
        assert again.sessions[name] == kept


@given(histories, profiles)
@settings(max_examples=40)
def test_nothing_is_left_to_settle(history: list[Command], profile: ProfileName) -> None:
    floor = played(history, profile)
    for scope in ("s", "t", EVERYWHERE):
        assert settle(floor.book, scope, floor.configuration) == ()


@given(histories, st.sampled_from(["plan", "debug"]), st.sampled_from(["auto", "ask"]))
@settings(max_examples=40)
def test_the_log_is_sound_where_sessions_start_restricted(
    history: list[Command], mode: str, ceiling: Any
) -> None:
    floor = played(history, start_mode=mode, ceiling=ceiling)
    assert audit(floor.log, (mode, ceiling)) == []


@given(histories)
@settings(max_examples=30)
def test_a_machine_writes_nothing_for_all_sessions(history: list[Command]) -> None:
    floor = played(history)
    by_machine = [e for e in floor.log if e.scope == EVERYWHERE and e.actor == "machine"]
    assert {entry.kind for entry in by_machine} <= {"ended"}
    assert newest(floor.book.everywhere, EVERYWHERE, "notice") is None
