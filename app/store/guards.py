"""The triggers that keep `controls` append-only, whoever opens the file.

    UPDATE, DELETE     refused
    INSERT             only at head + 1, and never where INSERT OR REPLACE would have to delete a
                       row to make room: REPLACE fires no DELETE trigger, neither for the primary
                       key nor for a unique index, so each unique column is looked up first

They are re-asserted after every migration and at every start: a rebuilt table loses its triggers
without a word. Whoever owns the file can still drop them; the hash chain shows what was done then.
The triggers are SQLite's; another engine needs its own.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection

GUARDS: Final[dict[str, str]] = {
    "controls_no_update": """
CREATE TRIGGER controls_no_update BEFORE UPDATE ON controls
BEGIN SELECT RAISE(ABORT, 'controls is append-only: no UPDATE'); END""",
    "controls_no_delete": """
CREATE TRIGGER controls_no_delete BEFORE DELETE ON controls
BEGIN SELECT RAISE(ABORT, 'controls is append-only: no DELETE'); END""",
    "controls_only_at_head": """
CREATE TRIGGER controls_only_at_head BEFORE INSERT ON controls
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM controls)
BEGIN SELECT RAISE(ABORT, 'controls is append-only: seq must be head + 1'); END""",
    "controls_no_second_dedup_key": """
CREATE TRIGGER controls_no_second_dedup_key BEFORE INSERT ON controls
WHEN EXISTS (SELECT 1 FROM controls WHERE dedup_key = NEW.dedup_key)
BEGIN SELECT RAISE(ABORT, 'controls is append-only: dedup_key exists'); END""",
    "controls_no_second_revert": """
CREATE TRIGGER controls_no_second_revert BEFORE INSERT ON controls
WHEN NEW.kind = 'reverted'
    AND EXISTS (SELECT 1 FROM controls WHERE kind = 'reverted' AND ref = NEW.ref)
BEGIN SELECT RAISE(ABORT, 'controls is append-only: already reverted'); END""",
}

# every trigger on the table, so that a foreign one is noticed and removed too
_PRESENT: Final = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"


def intact(connection: Connection) -> bool:
    """Whether `controls` has exactly the guards of this version, word for word."""
    present = connection.exec_driver_sql(_PRESENT, ("controls",)).all()
    return {row.name: row.sql for row in present} == {n: s.strip() for n, s in GUARDS.items()}


def assert_guards(connection: Connection) -> None:
    """Put the guards in place if they are not; the caller's transaction makes it one step."""
    if intact(connection):
        return
    for name, _ in connection.exec_driver_sql(_PRESENT, ("controls",)).all():
        quoted = str(name).replace('"', '""')
        connection.exec_driver_sql(f'DROP TRIGGER "{quoted}"')
    for sql in GUARDS.values():
        connection.exec_driver_sql(sql.strip())
