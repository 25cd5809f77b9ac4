"""The queries of every event look where the index says, however long the log is."""

from __future__ import annotations

import sqlite3

import pytest

from app.store import queries


@pytest.mark.parametrize("name", ["OF_SESSION", "COUNTED", "FIND", "REFERRING", "SCOPES"])
def test_no_query_of_an_event_walks_the_table(stranger: sqlite3.Connection, name: str) -> None:
    query: str = getattr(queries, name)
    values = ("s", 0, "s/", "s0", 0)[: query.count("?")]
    plan = [row[3] for row in stranger.execute(f"EXPLAIN QUERY PLAN {query}", values)]
    reads = [step for step in plan if " controls" in step]
    assert reads
    assert all("INDEX controls_" in step for step in reads), plan
