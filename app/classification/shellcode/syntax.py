"""The syntax tree of a shell text, by tree-sitter-bash; no tree where it cannot be trusted.

tree-sitter repairs what it cannot read and now and then cuts one word in two. A tree with a repair
is no tree here, and what touches in the text is put together again as one word (`grouped`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Container, Iterable, Iterator
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from app.classification.shellcode.found import UnreadableError
from app.classification.shellcode.marks import MASK

MOST_NODES: Final = 3_000
MOST_PIPES: Final = 200  # outside quotes; beyond, the parser's last step takes as long as it likes
_QUOTED: Final = re.compile(
    r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"|<<-?\s*'(\w+)'.*?\n\s*\1\n""", re.DOTALL
)
PATIENCE: Final = 0.006  # CPU seconds; thousands of `|` or `=(` take the parser quadratic time
# Characters of a text that is handed over at once: no shape of so few takes longer than PATIENCE,
# and what the binding reads piece by piece it never lets go of (its issue 464).
BRIEF: Final = 500
_MASK: Final = bytes((*range(128), *[MASK] * 128))
_BASH: Final = Language(tree_sitter_bash.language())


class _Source:
    """A text as the parser is handed it, and, once that is done, as its nodes say it.

    The scanner of tree-sitter-bash hands every character to C's `isalpha`, which reads beyond its
    table, and ends the process, for many that are no ASCII. So it sees a sign of the same length.
    """

    def __init__(self, text: str) -> None:
        self._text = text.encode()
        self._seen = self._text.translate(_MASK)

    def __call__(self, at: int, _: object) -> bytes:
        return self._seen[at:]

    def unmask(self) -> None:
        """From here on the text is what it is."""
        self._seen = self._text


def parse(text: str) -> Node | None:
    """The root of the tree; None where the text is no shell text, or takes too much to read."""
    if text.count("|") > MOST_PIPES and _QUOTED.sub("", text).count("|") > MOST_PIPES:
        return None
    if len(text) <= BRIEF and text.isascii():
        return _trusted(Parser(_BASH).parse(text.encode()))
    source = _Source(text)
    until = time.thread_time() + PATIENCE
    try:
        tree = Parser(_BASH).parse(source, progress_callback=lambda *_: time.thread_time() > until)
    except ValueError:  # how the parser says that it was told to stop
        return None
    source.unmask()
    return _trusted(tree)


def _trusted(tree: Tree) -> Node | None:
    root = tree.root_node
    return None if root.has_error or root.descendant_count > MOST_NODES else root


def text_of(node: Node) -> str:
    """The text a node covers."""
    return (node.text or b"").decode()


def first(node: Node, types: Container[str]) -> Node:
    """The first child of one of these types; raises UnreadableError where there is none."""
    for child in node.children:
        if child.type in types:
            return child
    raise UnreadableError


def grouped(nodes: Iterable[Node]) -> Iterator[tuple[Node, ...]]:
    """The nodes that touch each other, as one word each."""
    word: list[Node] = []
    for node in nodes:
        if word and node.start_byte != word[-1].end_byte:
            yield tuple(word)
            word = []
        word.append(node)
    if word:
        yield tuple(word)


def within(nodes: Iterable[Node], types: frozenset[str]) -> Iterator[Node]:
    """The topmost nodes of these types in or below the given ones, in the order of the text."""
    waiting = list(nodes)[::-1]
    while waiting:
        node = waiting.pop()
        if node.type in types:
            yield node
        else:
            waiting.extend(reversed(node.children))
