"""How a command that holds further commands has them read: text, or a body that was read before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tree_sitter import Node

from app.classification.shellcode.state import After, State, Words


class Inner(NamedTuple):
    """The readers of what stands within a command: walk.py hands them to its parts."""

    text: Callable[[str, State], After]
    node: Callable[[Node, State], After]
    words: Callable[[Words, str, State], After]
    sequence: Callable[[Iterable[Node], State], After]
    substituted: Callable[[Iterable[Node], State], None]
    within: Callable[[tuple[Node, ...], State], State]
