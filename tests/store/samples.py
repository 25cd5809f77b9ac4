"""Entries for the store's tests: one that is in order, and as many variants as wanted."""

from __future__ import annotations

from typing import Any

from app.domain.entries import Entry

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
