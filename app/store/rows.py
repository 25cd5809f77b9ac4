"""Between an entry and its row. A body is written once, here, and kept as those exact bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from app.domain.entries import Entry

Row: TypeAlias = tuple[Any, ...]  # the columns of `controls` in their order


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


_ENCODER: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
)


def body_text(body: Mapping[str, Any]) -> str:
    """A body as compact JSON; raises ValueError or TypeError for what JSON cannot say."""
    return _ENCODER.encode(body)


def row_of(entry: Entry, body: str, digest: str) -> Row:
    """The row that `entry` is stored as."""
    return (
        entry.seq, entry.at, entry.kind, entry.scope, entry.action, entry.direction,
        entry.ref, entry.actor, entry.dedup_key, body, digest,
    )  # fmt: skip


def entry_of(row: Sequence[Any]) -> Entry:
    """The entry that a row holds; raises ValueError where its body is not JSON."""
    seq, at, kind, scope, action, direction, ref, actor, dedup_key, body, digest = row
    return Entry(
        seq=seq, at=at, kind=kind, scope=scope, action=action, direction=direction,
        ref=ref, actor=actor, dedup_key=dedup_key, body=json.loads(body), hash=digest,
    )  # fmt: skip
