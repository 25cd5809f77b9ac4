"""A key that the log has is never ruled out; one of a session that is known is, without a look."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.store.known_keys import KnownKeys
from app.store.log import Log
from tests.store.samples import entry

SESSIONS = st.sampled_from(("s", "t", "u"))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("learn"), SESSIONS),
        st.tuples(st.just("add"), SESSIONS, st.integers(0, 30)),
        st.tuples(st.just("ask"), SESSIONS, st.integers(0, 30)),
    ),
    max_size=60,
)


@given(steps=STEPS, most=st.integers(0, 60))
def test_no_key_that_was_stored_is_ever_ruled_out(steps: list[tuple], most: int) -> None:  # type: ignore[type-arg]
    known, stored = KnownKeys(most), defaultdict[str, set[str]](set)
    for what, session, *number in steps:
        key = f"event:{session}/{number}"
        if what == "learn":
            known.learn(session, stored[session])
        elif what == "add":
            stored[session].add(key)
            known.add((entry(1, scope=f"{session}/agent", dedup_key=key), entry(2)))
        elif key in stored[session]:
            assert not known.rules_out(session, key)


def test_only_a_known_session_rules_keys_out() -> None:
    known = KnownKeys()
    assert not known.rules_out("s", "k")
    known.learn("s", ("j",))
    assert known.rules_out("s", "k")
    assert not known.rules_out("s", "j")
    assert not known.rules_out("t", "k")


def test_the_session_written_to_longest_ago_is_let_go() -> None:
    known = KnownKeys(most=26)  # two sessions and a few keys
    known.learn("s", ("a",))
    known.learn("t", ("b",))
    known.add((entry(1, scope="s", dedup_key="c"),))
    known.learn("u", ())
    assert [name for name in "stu" if known.rules_out(name, "x")] == ["s", "u"]


def test_sessions_without_keys_are_let_go_as_well() -> None:
    known = KnownKeys(most=100)
    for number in range(1_000):
        known.learn(f"s-{number}", ())
    assert sum(known.rules_out(f"s-{number}", "x") for number in range(1_000)) < 100


def asked(log: Log, key: str) -> list[str]:
    """The statements that the database gets when a key of session `s` is looked for."""
    statements: list[str] = []
    log._driver.set_trace_callback(statements.append)
    log.find(key, "s")
    log._driver.set_trace_callback(None)
    return statements


def test_a_key_of_a_session_that_was_read_is_looked_for_only_where_it_can_be(log: Log) -> None:
    log.commit((entry(1, scope="s", dedup_key="k"),))
    assert asked(log, "new")
    list(log.entries_of("s"))
    assert asked(log, "new") == []
    (again,) = log.commit((entry(2, scope="s/a", dedup_key="new"),))
    assert log.find("new", "s") == again
    assert log.find("k", "s") is not None


def test_a_key_without_its_session_is_always_looked_for(log: Log) -> None:
    assert list(log.entries_of("s")) == []
    assert asked(log, "k") == []
    log.commit((entry(1, scope="t", dedup_key="k"),))
    assert log.find("k") is not None


def test_a_session_read_in_part_is_not_known(log: Log) -> None:
    log.commit(tuple(entry(seq, scope="s", dedup_key=f"k{seq}") for seq in (1, 2, 3)))
    next(log.entries_of("s"))
    list(log.entries_of("s", after=1))
    assert log.find("k1", "s") is not None
    assert asked(log, "new")


def test_a_session_that_grew_while_it_was_read_is_not_known(log: Log) -> None:
    log.commit((entry(1, scope="s", dedup_key="k1"),))
    reading = log.entries_of("s")
    next(reading)
    log.commit((entry(2, scope="s", dedup_key="k2"),))
    list(reading)
    assert log.find("k2", "s") is not None


@pytest.mark.parametrize("scope", ["s", "s/agent"])
def test_what_was_not_stored_can_be_stored_later(log: Log, scope: str) -> None:
    list(log.entries_of("s"))
    with pytest.raises(Exception, match="cannot follow"):
        log.commit((entry(5, scope=scope, dedup_key="k"),))
    assert log.find("k", "s") is None
    log.commit((entry(1, scope=scope, dedup_key="k"),))
    assert log.find("k", "s") is not None
