"""What a command prints where its output becomes part of another one, if that can be told."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from app.classification.shellcode.marks import HOLE, NEAR, PATTERN, STAR, unquoted
from app.classification.shellcode.reach import holds_closed, names_closed, reached
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.syntax import text_of

_CLOSED: Final = ("test", "guarded")
_DOCUMENT: Final = re.compile(r"cat <<-?'(\w+)'\n(.*?)\n?[\t]*\1", re.DOTALL)
_SAID: Final = re.compile(r"(?:echo|printf) ['\"]?([\w./~@+:,*? -]*)['\"]?")
_ROOT: Final = re.compile(r"git rev-parse --show-toplevel(?: 2> ?/dev/null)?")
_TEMPORARY: Final = re.compile(r"mktemp(?: -d| -q| /tmp/[\w.-]*X+)*")
_NUMBER: Final = re.compile(
    r"date(?: -u)?(?: ['\"]?\+[%\w:.+-]*['\"]?)?|nproc|id -u|seq [\d ]+"
    r"|git rev-parse(?: --short)? HEAD|wc -[lcw] ?<? ?\S*|uname(?: -\w)?|hostname"
)
# What prints names of files; without a folder among its words it lists the one it is in.
_LISTING: Final = re.compile(
    r"\b(?:find|ls|fd|fdfind|tree|rg|ag|ack|grep -\w*[rlRL]\w*"
    r"|git (?:ls-files|diff|status|grep|show|log))\b"
)
_PATHS: Final = re.compile(r"(?<!\S)(?![-!(])['\"]?([\w./~@+-]+)['\"]?(?=\s|$)")


def printed(node: Node, state: State) -> Words:
    """The values that `$(...)` may have."""
    text = text_of(node)
    text = (text[2:-1] if text.startswith("$(") else text[1:-1]).strip()
    document = _DOCUMENT.fullmatch(text)
    if document is not None:
        return (document[2],)
    said = _SAID.fullmatch(text)
    if said is not None:
        return (said[1],)
    if text == "pwd":
        return tuple(map(state.absolute, state.folders))
    if _ROOT.fullmatch(text) and state.place.root is not None:
        return (state.place.root,)
    if _TEMPORARY.fullmatch(text):
        return (f"/tmp/tmp.{STAR}",)
    if _NUMBER.fullmatch(text):
        return (STAR,)
    return (NEAR,) if prints_closed(text, state) else (HOLE,)


def prints_closed(text: str, state: State) -> bool:
    """Whether what a command prints may name tests or guarded paths."""
    words = text.split()
    if names_closed(words, state):
        return True
    patterns = [
        unquoted(word) for word in words if "*" in word or "?" in word or PATTERN.search(word)
    ]
    if any(target.zone in _CLOSED for target in reached(patterns, state).targets):
        return True
    if not _LISTING.search(text):
        return False
    named = [
        word for word in _PATHS.findall(text)[1:] if holds_closed((word,), state) or "/" in word
    ]
    return holds_closed(named or (".",), state)
