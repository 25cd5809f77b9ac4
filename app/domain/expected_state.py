"""The state a person decides on: what they saw is what changes, or nothing does."""

from __future__ import annotations

from hashlib import sha256

from app.domain.entries import RESTRICTIONS, Action
from app.domain.state import Book, Override, overrides_for


def state_of(book: Book, scope: str) -> str:
    """A digest, 16 hex digits, of the configured entry and of all that restricts `scope`.

    Restrictions are the `mode` and `policy` entries in force for the scope, the scopes above it and
    `*`, and in the scope itself what a revert would bring back. Notices, counters and the log's
    head are not part of it: a busy session can be approved.
    """
    configured = book.configured.seq if book.configured else 0
    parts = [f"configured:{configured}"]
    for action in RESTRICTIONS:
        for override in overrides_for(book, scope, action):
            parts.append(f"{override.scope}:{action}:{override.seq}")
        for override in _beneath(book, scope, action):
            parts.append(f"beneath:{action}:{override.seq}")
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _beneath(book: Book, scope: str, action: Action) -> tuple[Override, ...]:
    """What comes back in exactly this scope when its newest entry is taken back, if an entry is."""
    return book.session(scope).overrides.get((scope, action), ())[-2:-1]
