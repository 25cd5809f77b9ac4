"""Redirections: what a command's output is written to, and what its input is."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from app.classification.shellcode.documents import expands, is_quoted
from app.classification.shellcode.marks import HOLE, NEAR, UNSAID, shown
from app.classification.shellcode.reach import names_closed, reached
from app.classification.shellcode.state import Feed, State, Words
from app.classification.shellcode.syntax import first, grouped, text_of
from app.classification.shellcode.words import expanded, value
from app.classification.shellcode.writing import writes

TYPES: Final = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_OPERATORS: Final = frozenset({"<", ">", ">>", ">|", "&>", "&>>", ">&", "<&", "<&-", ">&-", "<>"})
_START: Final = frozenset({"heredoc_start"})
_WRITING: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})


def destinations(redirect: Node) -> tuple[tuple[Node, ...], ...]:
    """The words behind an operator: the file, and arguments that tree-sitter puts there."""
    words = [
        child
        for child in redirect.children
        if child.type not in _OPERATORS and child.type != "file_descriptor"
    ]
    return tuple(grouped(words))


def redirected(redirect: Node, state: State) -> Feed | None:
    """Finds what a redirection writes; what it hands to the command, if anything."""
    match redirect.type:
        case "heredoc_redirect":
            return Feed(text=_document(redirect))
        case "herestring_redirect":
            texts = value(tuple(redirect.children[1:]), state)
            if len(texts) == 1 and not UNSAID.search(texts[0]):
                return Feed(text=shown(texts[0]))
            return Feed(text=NEAR if names_closed(texts, state) else HOLE)
        case _:
            return _file(redirect, state)


def _file(redirect: Node, state: State) -> Feed | None:
    operator = first(redirect, _OPERATORS).type
    words = destinations(redirect)
    if not words or operator.endswith("-"):
        return None
    if operator == "<":
        return Feed(commands=(_source(words[0]),))
    if operator in _WRITING:
        _written(expanded(words[0], state), operator, redirect, state)
    return None


def _source(word: tuple[Node, ...]) -> str:
    text = "".join(map(text_of, word))
    return text[2:-1] if text.startswith("<(") else f"cat {text}"


def _written(words: Words, operator: str, redirect: Node, state: State) -> None:
    if operator == ">&" and all(word.isdigit() or word == "-" for word in words):
        return
    found = reached(words, state)
    state.findings.filled.update(found.targets)
    part = writes(found, text_of(redirect.parent or redirect).split("\n", 1)[0])
    if part.effects != ("read",):
        state.findings.add(part)


def _document(redirect: Node) -> str:
    """A document's text; unsaid where the shell puts something of its own into it."""
    start = first(redirect, _START)
    text = document_text(redirect)
    return HOLE if not is_quoted(text_of(start)) and expands(text) else text


def document_text(redirect: Node) -> str:
    """The text of a here-document as it stands."""
    children = redirect.children
    end = next((child for child in children if child.type == "heredoc_end"), None)
    start = first(redirect, _START)
    if end is None:
        return HOLE
    source = (redirect.text or b"")[: end.start_byte - redirect.start_byte]
    return source[start.end_byte - redirect.start_byte :].decode().partition("\n")[2]
