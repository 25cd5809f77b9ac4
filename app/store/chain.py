"""The hash chain: every entry's hash covers its content and the hash before it.

    hash = sha256( "floorboss chain 1" LF
                   seq        8 bytes, big endian
                   previous   32 bytes: the hash of the entry before, zeros before the first
                   at kind scope action direction ref actor dedup_key body
                              each: its length in bytes as 4 bytes, big endian, then its UTF-8
                              bytes as stored; a null is the length FF FF FF FF and nothing else;
                              ref is written in decimal digits )

Verifying hashes what is stored and never writes JSON again. A chain proves that nothing in it was
changed, not that nothing was cut off its end: compare the head with a checkpoint kept elsewhere.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from app.domain.entries import Entry

VERSION: Final = b"floorboss chain 1\n"
GENESIS: Final = "0" * 64  # the hash before the first entry
COLUMNS: Final = (
    "at", "kind", "scope", "action", "direction", "ref", "actor", "dedup_key", "body"
)  # fmt: skip
_NULL: Final = b"\xff\xff\xff\xff"
_HEAD: Final = struct.Struct(">Q32s")
_LENGTH: Final = struct.Struct(">I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Every entry fits the one before it. `head_seq` is 0 for an empty log."""

    count: int
    head_seq: int
    head_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The first place where the chain does not hold."""

    seq: int
    why: str


def link(previous_hash: str, entry: Entry, body: bytes) -> str:
    """The hash of `entry` stored with exactly these bytes as its body: 64 hex digits."""
    ref = None if entry.ref is None else b"%d" % entry.ref
    dedup_key = None if entry.dedup_key is None else entry.dedup_key.encode()
    fields = (
        entry.at.encode(), entry.kind.encode(), entry.scope.encode(), entry.action.encode(),
        entry.direction.encode(), ref, entry.actor.encode(), dedup_key, body,
    )  # fmt: skip
    return _digest(previous_hash, entry.seq, fields)


def verify(rows: Iterable[Sequence[object]]) -> Verified | Broken:
    """Check rows of (seq, COLUMNS, hash) in seq order from the first; texts come as bytearrays.

    A bytearray says the value is stored as text: bytes would also be what a blob comes as, and a
    single flipped bit turns one into the other without touching the content.
    """
    head, head_hash = 0, GENESIS
    for row in rows:
        match _follow(row, head, head_hash):
            case Broken() as broken:
                return broken
            case str() as head_hash:
                head += 1
    return Verified(count=head, head_seq=head, head_hash=head_hash)


def _follow(row: Sequence[object], head: int, head_hash: str) -> str | Broken:
    """The hash of the row after `head`, or why this row cannot be the one."""
    seq, *values, stored = row
    if seq != head + 1:
        return _stray(seq, head)
    try:
        fields = [_stored(name, value) for name, value in zip(COLUMNS, values, strict=True)]
    except TypeError as error:
        return Broken(seq=head + 1, why=str(error))
    expected = _digest(head_hash, head + 1, fields)
    if not isinstance(stored, bytearray) or stored != expected.encode():
        return Broken(seq=head + 1, why="its content and its hash do not belong together")
    return expected


def _digest(previous_hash: str, seq: int, fields: Iterable[bytes | None]) -> str:
    parts = [VERSION, _HEAD.pack(seq, bytes.fromhex(previous_hash))]
    for value in fields:
        parts.append(_NULL if value is None else _LENGTH.pack(len(value)))
        parts.append(value or b"")
    return sha256(b"".join(parts)).hexdigest()


def _stray(seq: object, head: int) -> Broken:
    if isinstance(seq, int) and seq <= head:
        return Broken(seq=seq, why="an entry stands before the first one")
    return Broken(seq=head + 1, why="the entry is missing")


def _stored(name: str, value: object) -> bytes | None:
    """The bytes that were hashed for one column."""
    match value:
        case None:
            return None
        case int() if name == "ref":
            return b"%d" % value
        case bytearray() if name != "ref":
            return bytes(value)
    raise TypeError(f"{name} does not have the type it was stored with")
