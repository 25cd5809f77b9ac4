"""Claude Code's settings file: our hooks put in and taken out, every other byte left alone.

    text, wanted hooks, the text from before  ->  text with them    (hooks: what we want there)
    text, the text from before                ->  text without them (edits: where it is put)

Nothing is parsed and written again: what is ours is inserted and cut by its place in the text
(places), so the order, unknown keys, spacing and line ends of a file survive, as do changes that
were made elsewhere in it meanwhile.
"""

from __future__ import annotations

from app.harness.claude_settings.edits import (
    Found,
    Unusable,
    blank,
    hooks_in,
    unusable,
    with_hooks,
    without_hooks,
)
from app.harness.claude_settings.hooks import (
    BLOCKS_SINCE,
    EVENTS,
    ROUTE,
    SESSION_START,
    TIMEOUT,
    TOKEN_VARIABLE,
    Handler,
    Target,
    hooks,
)

__all__ = (
    "BLOCKS_SINCE",
    "EVENTS",
    "ROUTE",
    "SESSION_START",
    "TIMEOUT",
    "TOKEN_VARIABLE",
    "Found",
    "Handler",
    "Target",
    "Unusable",
    "blank",
    "hooks",
    "hooks_in",
    "unusable",
    "with_hooks",
    "without_hooks",
)
