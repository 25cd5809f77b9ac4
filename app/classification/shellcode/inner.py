"""How a command that holds further commands has them read: text, or a body that was read before."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tree_sitter import Node

from app.classification.shellcode.state import After, State, Words


class Inner(NamedTuple):
    """The readers of what stands within a command; walk.py knows them, its parts are handed them."""

    text: Callable[[str, State], After]
    node: Callable[[Node, State], After]
    words: Callable[[Words, str, State], After]
