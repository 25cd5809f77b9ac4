"""From every revision to the newest: data kept, chain intact, guards in place."""

from __future__ import annotations

import importlib.util
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from app.store.chain import Verified
from app.store.errors import NewerDatabase
from app.store.guards import GUARDS
from app.store.log import Log
from app.store.migrate import migrations_folder, revision_of, revisions, upgrade
from app.store.reader import Reader
from tests.store.samples import applied, entry, overrides

FOLDER = migrations_folder()
KNOWN = revisions(FOLDER)
NEXT = '''"""A later revision."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("ALTER TABLE controls ADD COLUMN later TEXT")
    {then}
'''


def upto(folder: Path, revision: str) -> Path:
    """A copy of the migrations that ends at `revision`, as an older version shipped them."""
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "versions").glob("[0-9]*.py"):
        if path.name[:4] > revision:
            path.unlink()
    return folder


def with_next(folder: Path, then: str = "pass") -> Path:
    """A copy of the migrations with one more, as a newer version might ship them."""
    upto(folder, KNOWN[-1])
    (folder / "versions" / "0002_later.py").write_text(NEXT.format(then=then))
    return folder


def schema(database: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
        ).fetchall()


def fill(database: Path) -> Verified:
    """Two entries, written by whatever version the database is at."""
    with closing(Log.open(database)) as log, closing(Reader(database)) as reader:
        log.commit((entry(1), applied(2, ref=1)))
        verified = reader.verify()
    assert isinstance(verified, Verified)
    return verified


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "controls.db"


@pytest.mark.parametrize("revision", KNOWN)
def test_from_every_revision_to_the_newest_nothing_is_lost_and_every_guard_stands(
    revision: str, database: Path, tmp_path: Path
) -> None:
    upgrade(database, upto(tmp_path / "older", revision))
    assert revision_of(database) == revision
    before = fill(database)
    upgrade(database)
    assert revision_of(database) == KNOWN[-1]
    with closing(Reader(database)) as reader:
        assert reader.verify() == before
        assert [*overrides(reader).values()] == [2]
    assert dict(schema(database)).items() >= {n: s.strip() for n, s in GUARDS.items()}.items()
    with closing(sqlite3.connect(database)) as connection:
        for statement in (
            "UPDATE controls SET scope = 'x'",
            "DELETE FROM controls",
            "INSERT OR REPLACE INTO controls SELECT * FROM controls WHERE seq = 1",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)


def test_a_migration_that_rebuilds_the_table_gets_its_guards_back_in_the_same_transaction(
    database: Path, tmp_path: Path
) -> None:
    upgrade(database)
    before = fill(database)
    drops = "\n    ".join(f'op.execute("DROP TRIGGER {name}")' for name in GUARDS)
    upgrade(database, with_next(tmp_path / "newer", drops))
    assert dict(schema(database)).items() >= {n: s.strip() for n, s in GUARDS.items()}.items()
    with closing(Reader(database)) as reader:
        assert reader.verify() == before


def test_a_migration_that_fails_halfway_leaves_the_database_as_it_was(
    database: Path, tmp_path: Path
) -> None:
    upgrade(database)
    fill(database)
    before = schema(database)
    broken = with_next(tmp_path / "broken", 'op.execute("INSERT INTO nowhere VALUES (1)")')
    with pytest.raises(OperationalError, match="nowhere"):
        upgrade(database, broken)
    assert (schema(database), revision_of(database)) == (before, KNOWN[-1])
    upgrade(database)
    with closing(Log.open(database)) as log:
        assert log.head_seq == 2


def test_a_first_migration_that_fails_leaves_an_empty_database_behind_and_the_next_start_works(
    database: Path, tmp_path: Path
) -> None:
    broken = with_next(tmp_path / "broken", 'raise RuntimeError("planted")')
    with pytest.raises(RuntimeError, match="planted"):
        upgrade(database, broken)
    assert schema(database) == []
    assert isinstance(fill(database), Verified)


def test_a_newer_database_is_named_and_not_touched(database: Path, tmp_path: Path) -> None:
    upgrade(database, with_next(tmp_path / "newer"))
    before = database.read_bytes()
    with pytest.raises(NewerDatabase, match="revision 0002, this version knows up to 0001"):
        Log.open(database)
    assert database.read_bytes() == before


def test_a_second_start_changes_nothing(database: Path) -> None:
    upgrade(database)
    before = database.read_bytes()
    upgrade(database)
    assert database.read_bytes() == before


def test_each_file_s_first_four_characters_are_its_revision_and_they_form_one_line() -> None:
    previous = None
    for path in sorted((FOLDER / "versions").glob("[0-9]*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert (module.revision, module.down_revision) == (path.name[:4], previous)
        previous = module.revision
    assert previous == KNOWN[-1]
