"""What the table refuses to hold, and that queries and table agree on its shape."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest
from sqlalchemy import inspect

from app.domain.entries import KINDS, Action, Direction
from app.store.log import Log
from app.store.schema import controls
from tests.store.samples import COLUMNS

CASES = json.loads((Path(__file__).parents[1] / "cases" / "controls_checks.json").read_text())
VALID = {
    "seq": 2,
    "at": "2026-11-30T14:02:11.482Z",
    "kind": "observed",
    "scope": "s-1",
    "action": "tool",
    "direction": "neutral",
    "ref": None,
    "actor": "harness:custom",
    "dedup_key": None,
    "body": "{}",
    "hash": "0" * 64,
}
INSERT = f"INSERT INTO controls ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


@pytest.fixture
def second(stranger: sqlite3.Connection) -> sqlite3.Connection:
    stranger.execute(INSERT, tuple((VALID | {"seq": 1}).values()))
    return stranger


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_table_holds_exactly_what_the_cases_say(
    case: dict[str, Any], second: sqlite3.Connection
) -> None:
    values = tuple((VALID | case["given"]).values())
    if case["then"] is None:
        assert second.execute(INSERT, values).rowcount == 1
    else:
        with pytest.raises(sqlite3.IntegrityError, match=case["then"]):
            second.execute(INSERT, values)


def test_every_named_check_has_a_case(stranger: sqlite3.Connection) -> None:
    sql = stranger.execute("SELECT sql FROM sqlite_master WHERE name = 'controls'").fetchone()[0]
    named = set(re.findall(r"CONSTRAINT (\w+) CHECK", sql))
    # a seq below 1 meets the guard before the CHECK: test_the_check_on_seq_stands_alone
    assert named - {"controls_seq_from_1"} == {
        c["then"] for c in CASES if c["then"] and not c["then"].startswith("controls.")
    }
    assert len(named) == len(re.findall(r"\bCHECK\b", sql))


def test_the_check_on_seq_stands_alone(stranger: sqlite3.Connection) -> None:
    stranger.execute("DROP TRIGGER controls_only_at_head")
    with pytest.raises(sqlite3.IntegrityError, match="controls_seq_from_1"):
        stranger.execute(INSERT, tuple((VALID | {"seq": -5}).values()))


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [("ref", "one", "TEXT value in INTEGER"), ("scope", b"s", "BLOB value in TEXT")],
)
def test_the_table_is_strict(
    column: str, value: object, why: str, second: sqlite3.Connection
) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=f"cannot store {why}"):
        second.execute(INSERT, tuple((VALID | {column: value}).values()))


@pytest.mark.parametrize(
    ("constraint", "words"),
    [("kind", KINDS), ("action", get_args(Action)), ("direction", get_args(Direction))],
)
def test_the_lists_in_the_table_are_those_of_the_domain(
    constraint: str, words: tuple[str, ...], stranger: sqlite3.Connection
) -> None:
    sql = stranger.execute("SELECT sql FROM sqlite_master WHERE name = 'controls'").fetchone()[0]
    found = re.search(rf"controls_{constraint} CHECK \(([^)]*)\)", sql)
    assert found
    assert set(found[1].split(" OR ")) == {f"{constraint} = '{word}'" for word in words}


def test_queries_see_the_columns_that_the_database_has(log: Log) -> None:
    columns = inspect(log.connection).get_columns("controls")
    assert [c["name"] for c in columns] == [c.name for c in controls.columns]
    assert [str(c["type"]) for c in columns] == [str(c.type) for c in controls.columns]


@pytest.mark.parametrize("kind", ["applied", "ended"])
@pytest.mark.parametrize("action", ["mode", "policy"])
def test_no_way_by_which_a_machine_loosens_is_taken_and_one_check_is_what_refuses(
    kind: str, action: str, second: sqlite3.Connection
) -> None:
    loosens = {"kind": kind, "action": action, "actor": "machine", "direction": "loosen", "ref": 1}
    values = tuple((VALID | loosens).values())
    with pytest.raises(sqlite3.IntegrityError, match="controls_machine_never_loosens"):
        second.execute(INSERT, values)
    sql = second.execute("SELECT sql FROM sqlite_master WHERE name = 'controls'").fetchone()[0]
    without = re.sub(
        r",?\s*CONSTRAINT controls_machine_never_loosens CHECK \((?:[^()]|\([^()]*\))*\)", "", sql
    )
    assert len(without) < len(sql)
    with closing(sqlite3.connect(":memory:")) as hole:
        hole.execute(without)
        assert hole.execute(INSERT, values).rowcount == 1
