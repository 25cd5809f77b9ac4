"""Assignments: `a=b`, `a+=b`, `a=(b c)`, `export a=b`."""

from __future__ import annotations

from itertools import product

from tree_sitter import Node

from app.classification.shellcode.builtins import set_variable
from app.classification.shellcode.found import UnreadableError, unknown
from app.classification.shellcode.marks import HOLE, NEAR
from app.classification.shellcode.reach import names_closed
from app.classification.shellcode.state import VALUES, State, Words
from app.classification.shellcode.syntax import grouped, text_of
from app.classification.shellcode.words import expanded, value


def assigned(node: Node, state: State, text: str) -> State:
    """The state behind one assignment."""
    target, *_ = node.children
    name = text_of(target).partition("[")[0]
    values = _values(node, state)
    if target.type == "subscript" or (node.children[1].type == "+=" and _is_array(node)):
        values = (*state.value(name), *values)
    elif node.children[1].type == "+=":
        values = tuple(map("".join, product(state.value(name), values)))
    values = tuple(dict.fromkeys(values))
    if len(values) > VALUES:
        values = (NEAR if names_closed(values, state) else HOLE,)
    return set_variable(name, values, text, state)


def _is_array(node: Node) -> bool:
    return node.children[-1].type == "array"


def _values(node: Node, state: State) -> Words:
    given = tuple(node.children[2:])
    if not given:
        return ("",)
    if not _is_array(node):
        return value(given, state)
    items = [child for child in given[0].children if child.type not in ("(", ")", "comment")]
    return tuple(word for group in grouped(items) for word in expanded(group, state)) or ("",)


def declared(node: Node, state: State) -> State:
    """The state behind `export`, `local`, `declare` and the like."""
    names_others = any(
        child.type == "word" and text_of(child).startswith("-") and "n" in text_of(child)
        for child in node.children
    ) and text_of(node).startswith(("declare", "local", "typeset"))
    for child in node.named_children:
        if child.type == "variable_assignment":
            state = assigned(child, state, text_of(node))
            if names_others:
                state = state.assigned(text_of(child.children[0]), (HOLE,))
        elif child.type not in (
            "variable_name",
            "word",
            "comment",
            "number",
            "string",
            "raw_string",
        ):
            state.findings.add(unknown(text_of(node), closed=names_closed((text_of(node),), state)))
    return state


def undeclared(node: Node, state: State) -> State:
    """The state behind `unset`."""
    for child in node.named_children:
        if child.type == "variable_name":
            state = state.assigned(text_of(child), ("",))
        elif child.type not in ("word", "comment"):
            raise UnreadableError
    return state
