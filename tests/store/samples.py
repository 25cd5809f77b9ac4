"""Entries for the store's tests: one that is in order, and as many variants as wanted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from app.domain.entries import Entry
from app.store.reader import Reader

COLUMNS = ("seq", "at", "kind", "scope", "action", "direction", "ref", "actor", "dedup_key",
           "body", "hash")  # fmt: skip


def entry(seq: int, **changes: Any) -> Entry:
    """An observed tool call at place `seq`."""
    values: dict[str, Any] = {
        "at": "2026-11-30T14:02:11.482Z",
        "kind": "observed",
        "scope": "s-1",
        "action": "tool",
        "actor": "harness:custom",
        "body": {"tool": "Bash", "text": "naïve ☕"},
    }
    return Entry(seq=seq, **(values | changes))


def applied(seq: int, **changes: Any) -> Entry:
    """A machine's tightening of the mode."""
    values: dict[str, Any] = {
        "kind": "applied",
        "action": "mode",
        "direction": "tighten",
        "actor": "machine",
        "body": {"mode": "plan"},
    }
    return entry(seq, **(values | changes))


def reverted(seq: int, ref: int, **changes: Any) -> Entry:
    """A person taking an applied entry back."""
    values: dict[str, Any] = {
        "kind": "reverted",
        "action": "mode",
        "direction": "loosen",
        "actor": "human:ann",
        "ref": ref,
        "body": {"why": "I know"},
    }
    return entry(seq, **(values | changes))


def overrides(reader: Reader) -> dict[tuple[str, str], int]:
    """What the view says to any program that opens the file: scope and action, and their seq."""
    with closing(sqlite3.connect(reader._path)) as shell:
        rows = shell.execute("SELECT scope, action, seq FROM overrides").fetchall()
    found = {(scope, action): seq for scope, action, seq in rows}
    assert len(found) == len(rows)
    return found
