"""The shape of the database as queries see it; `migrations/` creates it.

One table, `controls`, holds everything; the order of its columns is the order of a stored row
everywhere in this package. The view `overrides` is for whoever opens the file: floorboss folds.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Integer, MetaData, Table, Text

METADATA: Final = MetaData()

controls: Final = Table(
    "controls",
    METADATA,
    Column("seq", Integer, primary_key=True, autoincrement=False),  # head + 1, contiguous from 1
    Column("at", Text, nullable=False),  # UTC, RFC 3339 with milliseconds
    Column("kind", Text, nullable=False),
    Column("scope", Text, nullable=False),  # a session, session/agent, or *
    Column("action", Text, nullable=False),
    Column("direction", Text, nullable=False),
    Column("ref", Integer),  # an earlier seq
    Column("actor", Text, nullable=False),  # harness:<name>, machine or human:<name>
    Column("dedup_key", Text),  # unique where not null
    Column("body", Text, nullable=False),  # JSON, the exact bytes that are hashed
    Column("hash", Text, nullable=False),  # 64 hex digits, see chain.py
)
