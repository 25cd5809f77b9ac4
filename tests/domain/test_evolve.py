"""The fold of entries: what each kind makes of a session, and what bounds it."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.boundary import TARGETS, WRITTEN
from app.domain.evolve import SIGNALS, evolve_all, value_of
from app.domain.restrictions import Policy
from app.domain.state import AGENTS, Book, newest
from app.domain.views import session_row
from tests.domain.floor import ANN, Floor


def notice(floor: Floor, **body: Any) -> int:
    return floor.writes("applied", "s", "notice", "machine", {"notice": "x", **body}).seq


def test_the_newest_notice_holds_and_an_older_one_again_when_it_is_taken_back() -> None:
    floor = Floor()
    first, second = notice(floor), notice(floor)
    assert _newest(floor) == second
    floor.decides("revert", second)
    assert _newest(floor) == first
    floor.decides("revert", first)
    assert _newest(floor) is None


def _newest(floor: Floor) -> int | None:
    override = newest(floor.session(), "s", "notice")
    return None if override is None else override.seq


def test_notices_do_not_fill_the_memory() -> None:
    floor = Floor()
    for _ in range(SIGNALS + 5):
        notice(floor)
    session = floor.session()
    assert len(session.overrides[("s", "notice")]) == SIGNALS
    assert len(session.applied) == SIGNALS
    assert _newest(floor) == floor.log[-1].seq


def test_red_targets_and_written_tests_do_not_fill_the_memory() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "test_development"})
    for at in range(TARGETS + 5):
        run = {"runner": "pytest", "target": f"pytest {at:04}", "result": "red"}
        floor.writes("observed", "s", "tool", "harness:x", {"test": run, "outcome": "error"})
    assert len(floor.session().reds) == TARGETS
    many = [{"path": f"tests/{at}", "zone": "test"} for at in range(WRITTEN)]
    said = {"outcome": "ok", "effects": ["write"], "targets": many}
    floor.writes("observed", "s", "tool", "harness:x", said)
    floor.writes("observed", "s", "tool", "harness:x", {**said, "targets": [
        {"path": "tests/one more", "zone": "test"}]})  # fmt: skip
    assert len(floor.session().written) == WRITTEN


def test_agents_that_fell_silent_do_not_fill_the_memory_and_stay_counted() -> None:
    floor = Floor()
    floor.call("main")
    floor.failing("make", 3, "s/first")
    floor.sets("policy", {"posture": "read-only"})
    floor.asks("s/first", targets=[{"path": "a", "zone": "project"}])
    before = session_row(floor.book, floor.session(), floor.configuration)["interventions"]
    for at in range(AGENTS):
        floor.writes("observed", f"s/{at}", "tool", "harness:x", {"outcome": "unknown"})
    session = floor.session()
    assert len(session.streams) == AGENTS + 1
    assert "first" not in session.streams
    assert session.streams[""].calls == 1  # the main agent is never forgotten
    after = session_row(floor.book, session, floor.configuration)["interventions"]
    assert (after, floor.mode("s/first")) == (before, "plan")
    floor.decides("revert", next(e.seq for e in floor.log if e.kind == "applied"))
    assert len(floor.session().streams) == AGENTS + 1
    assert floor.folded() == floor.book


def test_an_agent_that_is_heard_stays() -> None:
    floor = Floor()
    for at in range(AGENTS + 9):
        for scope in ("s/steady", f"s/{at}"):
            floor.writes("observed", scope, "tool", "harness:x", {"outcome": "ok"})
    assert floor.session().streams["steady"].calls == AGENTS + 9


def test_the_head_is_that_of_the_log_and_not_of_a_session() -> None:
    floor = Floor()
    floor.call("a", "t")
    floor.call("b", "s")
    book = evolve_all(Book(head=40), floor.log)
    assert book.head == 40
    assert floor.book.head == len(floor.log)


def test_the_first_hook_route_binds_a_session() -> None:
    floor = Floor()
    floor.call("a")
    assert floor.session().binding is None
    floor.call("b", hooks="claude-code")
    floor.call("c", hooks="codex")
    assert floor.session().binding == "claude-code"


def test_where_a_session_works_is_its_first_root_and_its_last_folder() -> None:
    floor = Floor()
    floor.call("a", cwd="/p/a", root="/p", permission_mode="default")
    floor.call("b", cwd="/p/b", root="/elsewhere")
    session = floor.session()
    assert (session.root, session.cwd, session.permission_mode) == ("/p", "/p/b", "default")


def test_a_session_ends_and_goes_on_with_its_restrictions() -> None:
    floor = Floor()
    floor.failing()
    floor.reports("s", "session", kind="session_end")
    assert floor.session().ended
    floor.reports("s", "usage", kind="usage", usage={"cost": 1.0})
    assert floor.session().ended
    floor.reports("s", "session", kind="session_start")
    assert (floor.session().ended, floor.mode()) == (False, "plan")


def test_the_counters_of_a_session_stay_its_own() -> None:
    floor = Floor()
    floor.failing("make", 2, "s")
    floor.failing("make", 2, "t")
    assert floor.mode("s") == floor.mode("t") == "implementation"


@pytest.mark.parametrize("kind", ["refused", "gap", "configured"])
def test_what_is_only_told_changes_nothing_else(kind: Any) -> None:
    floor = Floor()
    floor.failing()
    before = floor.session()
    floor.writes(kind, "s", "mode", "machine", {"why": "x", "return": 6, "because": [{"key": "x"}]})
    after = floor.session()
    assert (after.overrides, after.proposals, after.streams) == (
        before.overrides, before.proposals, before.streams
    )  # fmt: skip


def test_a_decision_about_nothing_changes_nothing() -> None:
    floor = Floor()
    floor.failing()
    before = floor.session()
    for kind in ("approved", "dismissed", "reverted", "ended"):
        floor.writes(kind, "s", "mode", ANN, {})
    after = floor.session()
    assert (after.overrides, after.proposals, after.streams) == (
        before.overrides, before.proposals, before.streams
    )  # fmt: skip


def test_an_applied_policy_is_read_back_whole() -> None:
    floor = Floor()
    written = {
        "posture": "ask", "verdicts": {"Bash": "deny"}, "shell_denials": ["rm"],
        "write_paths": ["src/"],
    }  # fmt: skip
    _, applied = floor.sets("policy", written)
    found = value_of(applied)
    assert isinstance(found, Policy)
    assert (found.posture, dict(found.verdicts), found.shell_denials, found.write_paths) == (
        "ask", {"Bash": "deny"}, ("rm",), ("src/",)
    )  # fmt: skip
