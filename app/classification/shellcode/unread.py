"""A text that is not read: too long, or no shell text. What its names and signs give away."""

from __future__ import annotations

import re
from typing import Final

from app.classification.shellcode.found import Effects, unknown
from app.classification.shellcode.interpreting import runs_inline
from app.classification.shellcode.marks import ANY
from app.classification.shellcode.reach import names_closed
from app.classification.shellcode.state import State

_QUOTES: Final = re.compile(r"""['"\\]""")
# What could hide a name: expansions, patterns that touch one, names that come from elsewhere.
_HIDING: Final = re.compile(
    r"-exec|-delete|\bxargs\b|\beval\b|\{\S*,|[$`\x00-\x08]|[\w/.][*?\[{]|[*?\]}][\w/.]|<<|<\(|[?*+@!]\("
)
_MOST: Final = 2_000  # characters whose names are looked up


def unread(text: str, state: State) -> Effects:
    """Unknown; closed where it names or may hide a closed path, runs code inline, or is long."""
    bare = _QUOTES.sub("", text.replace("\\\n", ""))
    words = tuple(bare.split())
    near = (
        len(bare) > _MOST
        or _HIDING.search(text) is not None
        or (bool(words) and runs_inline(words, state))
        or names_closed(words, state)
    )
    return unknown(ANY.sub("", text), closed=near)
