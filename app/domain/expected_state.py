"""The state a person decides on: what they saw is what changes, or nothing does."""

from __future__ import annotations

from hashlib import sha256

from app.domain.entries import RESTRICTIONS
from app.domain.state import Book, overrides_for


def state_of(book: Book, scope: str) -> str:
    """A digest, 16 hex digits, of the configured entry and of all that restricts `scope`.

    Restrictions are the `mode` and `policy` entries in force for the scope, the scopes above it and
    `*`. Notices, counters and the log's head are not part of it: a busy session can be approved.
    """
    configured = book.configured.seq if book.configured else 0
    parts = [f"configured:{configured}"]
    for action in RESTRICTIONS:
        for override in overrides_for(book, scope, action):
            parts.append(f"{override.scope}:{action}:{override.seq}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]
