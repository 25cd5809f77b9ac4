"""Every query of the store, by name. `?` stands for the values, in the order the comment says."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, Select, or_, select

from app.domain.entries import EVERYWHERE
from app.store.schema import controls

_ROW: Final = "seq, at, kind, scope, action, direction, ref, actor, dedup_key, body, hash"

# A row's columns in their order. The triggers refuse whatever is not head + 1.
INSERT: Final = f"INSERT INTO controls ({_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

# The newest entry: where the chain goes on, and what a checkpoint says.
HEAD: Final = "SELECT seq, hash, at FROM controls ORDER BY seq DESC LIMIT 1"

# seq
ENTRY: Final = f"SELECT {_ROW} FROM controls WHERE seq = ?"

# dedup_key
FIND: Final = f"SELECT {_ROW} FROM controls WHERE dedup_key = ?"

# seq: what refers to it
REFERRING: Final = f"SELECT {_ROW} FROM controls WHERE ref = ? ORDER BY seq"

# session, after, session + "/", session + "0", after: the session and its agents, and no other
# session ("0" is the character after "/"). Two arms, so that each is one range of the index and the
# first, which has nearly all entries, needs no sorting. The plus keeps SQLite from walking the
# table in seq order for the second, which is mostly empty.
OF_SESSION: Final = f"""
SELECT {_ROW} FROM controls WHERE scope = ? AND seq > ?
UNION ALL
SELECT {_ROW} FROM controls WHERE scope >= ? AND scope < ? AND +seq > ?
ORDER BY seq"""

# session, session + "/", session + "0", how many: their entries, counted up to that many
COUNTED: Final = """
SELECT count(*) FROM (
    SELECT 1 FROM controls WHERE scope = ?
    UNION ALL
    SELECT 1 FROM controls WHERE scope >= ? AND scope < ?
    LIMIT ?)"""

# after, upto, how many: the next part of the chain
CHAIN: Final = f"SELECT {_ROW} FROM controls WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"

# Each scope with its newest entry. The recursion jumps from scope to scope in the index: its cost
# is the number of scopes, not of entries.
SCOPES: Final = """
WITH RECURSIVE scopes (scope) AS (
    SELECT min(scope) FROM controls
    UNION ALL
    SELECT (SELECT min(scope) FROM controls WHERE scope > scopes.scope)
    FROM scopes WHERE scope IS NOT NULL)
SELECT scope, (SELECT max(seq) FROM controls WHERE controls.scope = scopes.scope)
FROM scopes WHERE scope IS NOT NULL"""


def of_session(session: str, after: int) -> tuple[object, ...]:
    """The values of OF_SESSION; of `*` only its own entries, as no scope lies below it."""
    first, beyond = agents_range(session)
    return session, after, beyond if session == EVERYWHERE else first, beyond, after


def agents_range(session: str) -> tuple[str, str]:
    """The first scope of a session's agents, and the first one beyond them."""
    return f"{session}/", f"{session}0"


def within(scope: str, agents: bool) -> ColumnElement[bool]:
    """Entries of exactly this scope, or with `agents` of a session and its agents."""
    first, beyond = agents_range(scope)
    exactly = controls.c.scope == scope
    if not agents:
        return exactly
    return or_(exactly, (controls.c.scope >= first) & (controls.c.scope < beyond))


def page(
    conditions: list[ColumnElement[bool]], limit: int, newest_first: bool
) -> Select[tuple[object, ...]]:
    """Entries that meet all conditions, in seq order from either end."""
    order = controls.c.seq.desc() if newest_first else controls.c.seq.asc()
    return select(controls).where(*conditions).order_by(order).limit(limit)
