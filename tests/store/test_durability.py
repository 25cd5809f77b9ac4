"""What was acknowledged is there after the process was killed; what is damaged is not invented."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.store.chain import Verified
from app.store.log import Log
from app.store.reader import Reader
from tests.store.samples import entry

ROOT = Path(__file__).parents[2]
WRITE = """
import sys
from pathlib import Path
from app.store.log import Log
from tests.store.samples import entry
log = Log.open(Path(sys.argv[1]))
while True:
    (stored,) = log.commit((entry(log.head_seq + 1),))
    print(stored.seq, stored.hash, flush=True)
"""


@pytest.mark.parametrize("acknowledged", [1, 7, 40])
def test_every_acknowledged_entry_survives_kill_9(acknowledged: int, database: Path) -> None:
    command = [sys.executable, "-c", WRITE, str(database)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(acknowledged)]
        process.kill()
        lines += process.stdout.readlines()
    printed = [line.split() for line in lines if line.endswith("\n")]
    with closing(Log.open(database)) as log, closing(Reader(database)) as reader:
        assert isinstance(reader.verify(), Verified)
        stored = [[str(e.seq), e.hash] for e in reader.page(newest_first=False, limit=100_000)]
        assert stored[: len(printed)] == printed
        log.commit((entry(log.head_seq + 1),))
        assert isinstance(reader.verify(), Verified)


def test_a_wal_that_lost_its_end_loses_only_what_stood_there(log: Log, tmp_path: Path) -> None:
    log.commit((entry(1), entry(2)))
    stored = log.commit((entry(3),))
    copy = tmp_path / "copy.db"
    source = Path(log.connection.exec_driver_sql("PRAGMA database_list").all()[0][2])
    copy.write_bytes(source.read_bytes())
    wal = source.with_name(source.name + "-wal").read_bytes()
    copy.with_name("copy.db-wal").write_bytes(wal[:-100])
    with closing(Log.open(copy)) as again, closing(Reader(copy)) as reader:
        assert again.head_seq == 2
        assert again.commit((entry(3),)) == stored
        assert reader.verify() == Verified(count=3, head_seq=3, head_hash=stored[0].hash)
