"""A session that goes on under another id keeps its restrictions; any other one starts free."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.entries import Action, Entry
from app.domain.limits import Limit
from app.domain.state import in_force
from app.domain.summaries import summary
from tests.domain.floor import Floor

ROOT = {"root": "/home/dev/project", "cwd": "/home/dev/project", "hooks": "claude_code"}


def floor_with_a_tightened_session() -> Floor:
    floor = Floor()
    floor.reports("old", "prompt", kind="prompt", **ROOT)
    floor.failing("make", times=4, scope="old")
    assert mode_of(floor, "old") == "plan"
    return floor


def mode_of(floor: Floor, scope: str) -> str:
    return in_force(floor.book, scope, floor.configuration).modes[0].name


def started(floor: Floor, source: str, scope: str, **more: Any) -> tuple[Entry, ...]:
    said = {"kind": "session_start", "arguments": {"source": source}, **ROOT, **more}
    return floor.reports(scope, "session", **said)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("fork", "plan"),
        ("resume", "plan"),
        ("compact", "plan"),
        ("startup", "implementation"),
        ("clear", "implementation"),
    ],
)
def test_a_start_that_is_none_keeps_what_the_older_session_had(source: str, expected: str) -> None:
    floor = floor_with_a_tightened_session()
    started(floor, source, "new")
    assert mode_of(floor, "new") == expected


def test_what_is_kept_says_where_it_comes_from_and_has_its_way_back() -> None:
    floor = floor_with_a_tightened_session()
    older = next(entry for entry in floor.log if entry.kind == "applied")
    _, applied, proposed = started(floor, "fork", "new")
    assert (applied.direction, applied.actor, applied.body["from"]) == (
        "tighten",
        "machine",
        older.seq,
    )
    assert summary(applied).startswith(
        f"implementation -> plan, kept from {older.seq} as the session goes on under another id: "
    )
    assert proposed.body["return"] == applied.seq
    floor.decides("approve", proposed.seq)
    assert (mode_of(floor, "new"), mode_of(floor, "old")) == ("implementation", "plan")


@pytest.mark.parametrize(
    "limit",
    [Limit(kind="calls", amount=5), Limit(kind="minutes", amount=5), Limit(kind="session")],
)
def test_what_was_lent_to_the_older_session_is_not_lent_to_the_new_one(limit: Limit) -> None:
    floor = floor_with_a_tightened_session()
    floor.decides("approve", floor.open("old")[0], limit=limit)
    *_, proposed = started(floor, "fork", "new")
    assert (mode_of(floor, "old"), mode_of(floor, "new")) == ("implementation", "plan")
    assert floor.open("new") == [proposed.seq]


def test_what_a_person_gave_the_older_session_for_good_is_beneath_nothing() -> None:
    floor = floor_with_a_tightened_session()
    floor.sets("mode", {"mode": "debug"}, "old")
    floor.sets("mode", {"mode": "implementation"}, "old", limit=Limit(kind="calls", amount=5))
    started(floor, "fork", "new")
    assert mode_of(floor, "new") == "debug"


@pytest.mark.parametrize("other", [{"root": "/elsewhere"}, {"hooks": "codex"}])
def test_another_folder_and_another_harness_are_no_older_session(other: dict[str, str]) -> None:
    floor = floor_with_a_tightened_session()
    started(floor, "fork", "new", **other)
    assert mode_of(floor, "new") == "implementation"


def test_a_session_that_has_to_hear_of_its_artifact_was_not_resumed() -> None:
    floor = floor_with_a_tightened_session()
    floor.hands("plan", "old", valid=False, lacks="it is empty", **ROOT)
    assert floor.session("old").unheard is not None
    floor.reports("new", "prompt", kind="prompt", **ROOT)
    assert mode_of(floor, "new") == "implementation"


def test_a_harness_that_starts_the_old_id_and_goes_on_with_a_new_one_is_followed() -> None:
    floor = floor_with_a_tightened_session()
    started(floor, "resume", "old")
    floor.reports("new", "prompt", kind="prompt", **ROOT)
    assert mode_of(floor, "new") == "plan"


def test_only_the_first_new_id_after_it_is_taken_for_the_same_session() -> None:
    floor = floor_with_a_tightened_session()
    started(floor, "resume", "old")
    floor.reports("new", "prompt", kind="prompt", **ROOT)
    floor.reports("newer", "prompt", kind="prompt", **ROOT)
    assert mode_of(floor, "newer") == "implementation"


def test_a_fork_that_was_heard_of_before_its_start_keeps_them_once() -> None:
    floor = floor_with_a_tightened_session()
    floor.reports("new", "session", kind="note", **ROOT)
    *_, proposed = started(floor, "fork", "new")
    assert mode_of(floor, "new") == "plan"
    floor.decides("approve", proposed.seq)
    started(floor, "fork", "new")
    assert mode_of(floor, "new") == "implementation"


@pytest.mark.parametrize("action", ["prompt", "tool"])
def test_a_new_id_beside_a_session_at_work_starts_free(action: Action) -> None:
    floor = floor_with_a_tightened_session()
    floor.reports("new", action, kind=action, **ROOT)
    assert mode_of(floor, "new") == "implementation"


def test_a_session_that_is_known_already_inherits_nothing() -> None:
    floor = Floor()
    floor.reports("new", "prompt", kind="prompt", **ROOT)
    floor.reports("old", "prompt", kind="prompt", **ROOT)
    floor.failing("make", times=4, scope="old")
    started(floor, "resume", "new")
    assert mode_of(floor, "new") == "implementation"


def test_what_is_no_stricter_is_not_kept() -> None:
    floor = Floor()
    floor.reports("old", "prompt", kind="prompt", **ROOT)
    assert [entry.kind for entry in started(floor, "fork", "new")] == ["observed"]
