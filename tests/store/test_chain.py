"""Whatever is changed behind the guards, `verify` names the first entry that is wrong."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from app.store.chain import GENESIS, Broken, Verified, link, verify
from app.store.log import Log
from app.store.reader import Reader
from tests.store.samples import applied, entry, reverted

Bypass = Callable[[str], None]


@pytest.fixture
def head(log: Log) -> str:
    """Five entries; each column that may be null is so in one of them and not in another."""
    entries = (
        entry(1),
        applied(2, ref=1),
        entry(3, dedup_key="k", scope="s-1/a"),
        reverted(4, 2),
        entry(5, dedup_key=""),
    )
    return log.commit(entries)[-1].hash


def test_an_untouched_log_verifies_up_to_its_head(head: str, reader: Reader) -> None:
    assert reader.verify() == Verified(count=5, head_seq=5, head_hash=head)


def test_an_empty_log_verifies(reader: Reader) -> None:
    assert reader.verify() == Verified(count=0, head_seq=0, head_hash=GENESIS)


def test_a_part_of_the_log_verifies_up_to_an_earlier_checkpoint(log: Log, reader: Reader) -> None:
    log.commit((entry(1), entry(2)))
    checkpoint = reader.checkpoint()
    log.commit((entry(3),))
    verified = reader.verify(upto=checkpoint.seq)
    assert verified == Verified(count=2, head_seq=2, head_hash=checkpoint.hash)


EDITS = {
    "at": "at = '2026-11-30T14:02:11.483Z'",
    "kind": "kind = 'decided'",
    "scope": "scope = 's-2'",
    "action": "action = 'prompt'",
    "direction": "direction = 'tighten'",
    "a null ref": "ref = 1",
    "actor": "actor = 'machine'",
    "another dedup_key": "dedup_key = 'l'",
    "an empty dedup_key for one": "dedup_key = ''",
    "a null dedup_key for one": "dedup_key = NULL",
    "body": "body = json_set(body, '$.tool', 'Read')",
    "a body that says the same": "body = body || ' '",
    "hash": f"hash = '{'0' * 64}'",
    "a hash in capitals": "hash = upper(hash)",
    "a character moved between columns": "scope = 's-1', action = '/atool'",
}


@pytest.mark.parametrize("name", EDITS)
def test_each_edited_column_is_found_at_its_seq(
    name: str, head: str, reader: Reader, bypass: Bypass
) -> None:
    bypass(f"UPDATE controls SET {EDITS[name]} WHERE seq = 3")
    assert reader.verify() == Broken(seq=3, why="its content and its hash do not belong together")


@pytest.mark.parametrize(
    ("seq", "edit"),
    [(2, "ref = NULL"), (1, "dedup_key = ''"), (5, "dedup_key = NULL")],
)
def test_null_and_empty_differ(
    seq: int, edit: str, head: str, reader: Reader, bypass: Bypass
) -> None:
    bypass(f"UPDATE controls SET {edit} WHERE seq = {seq}")
    assert reader.verify() == Broken(seq=seq, why="its content and its hash do not belong together")


MOVES = {
    "a removed entry": ("DELETE FROM controls WHERE seq = 2", 2, "missing"),
    "a removed first entry": ("DELETE FROM controls WHERE seq = 1", 1, "missing"),
    "an entry moved to the end": ("UPDATE controls SET seq = 9 WHERE seq = 3", 3, "missing"),
    "an entry below the first": ("UPDATE controls SET seq = -5 WHERE seq = 3", -5, "before"),
    "an entry at 0": ("UPDATE controls SET seq = 0 WHERE seq = 5", 0, "before"),
    "a doubled entry": (
        "INSERT INTO controls SELECT 6, at, kind, scope, action, direction, ref, actor, NULL,"
        " body, hash FROM controls WHERE seq = 5",
        6,
        "do not belong",
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_removed_moved_and_added_entries_are_found(
    name: str, head: str, reader: Reader, bypass: Bypass
) -> None:
    statement, seq, why = MOVES[name]
    bypass(statement)
    broken = reader.verify()
    assert isinstance(broken, Broken)
    assert broken.seq == seq
    assert why in broken.why


def test_two_swapped_entries_are_found(head: str, reader: Reader, bypass: Bypass) -> None:
    bypass("UPDATE controls SET seq = 99 WHERE seq = 3")
    bypass("UPDATE controls SET seq = 3 WHERE seq = 4")
    bypass("UPDATE controls SET seq = 4 WHERE seq = 99")
    assert reader.verify() == Broken(seq=3, why="its content and its hash do not belong together")


def test_a_cut_tail_is_found_only_by_a_checkpoint_kept_elsewhere(
    head: str, reader: Reader, bypass: Bypass
) -> None:
    kept = reader.checkpoint()
    bypass("DELETE FROM controls WHERE seq > 3")
    verified = reader.verify(upto=kept.seq)
    assert isinstance(verified, Verified)
    assert verified.head_seq == 3 != kept.seq


def test_any_single_changed_byte_of_a_stored_text_is_found(log: Log, database: Path) -> None:
    text = "a text that stands in the file exactly once"
    log.commit((entry(1), entry(2, body={"text": text}), entry(3)))
    log.close()
    image = database.read_bytes()
    start = image.index(text.encode())
    for offset in range(0, len(text), 5):
        for flip in (0x01, 0x80):  # 0x80: no longer UTF-8
            changed = bytearray(image)
            changed[start + offset] ^= flip
            database.write_bytes(changed)
            assert _verify(database) == Broken(
                seq=2, why="its content and its hash do not belong together"
            )


def test_a_text_turned_into_a_blob_is_found(log: Log, stranger: sqlite3.Connection) -> None:
    log.commit((entry(1),))
    (stored,) = stranger.execute("SELECT * FROM controls")
    row = tuple(bytearray(v.encode()) if isinstance(v, str) else v for v in stored)
    assert isinstance(verify([row]), Verified)
    row = (*row[:3], bytes(row[3]), *row[4:])
    assert verify([row]) == Broken(seq=1, why="scope does not have the type it was stored with")


def test_a_damaged_page_is_broken_and_no_traceback(log: Log, database: Path) -> None:
    for seq in range(1, 200):
        log.commit((entry(seq, body={"text": "x" * 500}),))
    log.close()
    image = bytearray(database.read_bytes())
    middle = image.index(b"x" * 500, len(image) // 2) // 4096 * 4096
    image[middle : middle + 100] = b"\xff" * 100
    database.write_bytes(image)
    broken = _verify(database)
    assert isinstance(broken, Broken)
    assert 1 < broken.seq < 200
    assert "damaged" in broken.why


def test_a_verifier_written_from_the_format_text_alone_agrees(
    head: str, stranger: sqlite3.Connection
) -> None:
    previous = bytes(32)
    for seq, *fields, stored in stranger.execute("SELECT * FROM controls ORDER BY seq"):
        content = b"floorboss chain 1\n" + seq.to_bytes(8, "big") + previous
        for field in fields:
            raw = b"" if field is None else str(field).encode()
            length = 0xFFFFFFFF if field is None else len(raw)
            content += length.to_bytes(4, "big") + raw
        previous = sha256(content).digest()
        assert stored == previous.hex()
    assert previous.hex() == head


def test_the_first_hash_never_changes_between_versions() -> None:
    first = entry(1, body={"tool": "Bash"})
    body = json.dumps({"tool": "Bash"}, separators=(",", ":")).encode()
    assert link(GENESIS, first, body) == PINNED
    assert link(GENESIS, replace(first, ref=0), body) != PINNED


PINNED = "3f5558c5dc2ac9965df99275bf74c9650bc0f061553439692bffbd8d83503a31"


def _verify(database: Path) -> Verified | Broken:
    reader = Reader(database)
    try:
        return reader.verify()
    finally:
        reader.close()
