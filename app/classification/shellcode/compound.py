"""Compound statements: groups, tests, `if`, loops, `case`, functions, and assignments.

Where a statement may end in several ways, `either` knows what holds behind all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tree_sitter import Node

from app.classification.shellcode.assigning import assigned, declared, undeclared
from app.classification.shellcode.found import UnreadableError
from app.classification.shellcode.inner import Inner
from app.classification.shellcode.marks import HOLE, STAR
from app.classification.shellcode.redirections import TYPES
from app.classification.shellcode.state import NOWHERE, After, State, either, same
from app.classification.shellcode.syntax import first, grouped, text_of, within
from app.classification.shellcode.words import expanded

_COMMANDS: Final = frozenset(
    {"command", "list", "negated_command", "pipeline", "redirected_statement", "subshell"}
)
_THEN: Final = frozenset({"then"})
_ROUNDS: Final = 3


def _assignment(node: Node, state: State, inner: Inner) -> After:
    parts = [node] if node.type == "variable_assignment" else node.named_children
    for part in parts:
        inner.substituted([part], state)
        state = assigned(part, state, text_of(part))
    return same(state)


def _declaration(node: Node, state: State, inner: Inner) -> After:
    inner.substituted([node], state)
    return same(declared(node, state))


def _unset(node: Node, state: State, inner: Inner) -> After:
    inner.substituted([node], state)
    return same(undeclared(node, state))


def _subshell(node: Node, state: State, inner: Inner) -> After:
    inner.sequence(node.children, state.deeper())
    return same(state)


def _group(node: Node, state: State, inner: Inner) -> After:
    if node.children and node.children[0].type == "((":
        return _test(node, state, inner)
    after = inner.sequence(node.children, state.deeper())
    return After(*(replace(end, depth=state.depth, feed=state.feed) for end in after))


def _test(node: Node, state: State, inner: Inner) -> After:
    """`[ ... ]`, `[[ ... ]]` and `(( ... ))` change nothing but what is expanded in them."""
    if any(child.type in _COMMANDS for child in node.children):
        raise UnreadableError  # a bracket that tree-sitter has closed in the wrong place
    inner.substituted([node], state)
    return same(state)


def _if(node: Node, state: State, inner: Inner) -> After:
    ends: list[State] = []
    last = _branch(node, state.deeper(), ends, inner)
    joined = last if last is not None else ends[0]
    for end in ends:
        joined = either(joined, end)
    return same(replace(joined, depth=state.depth, feed=state.feed))


def _branch(node: Node, state: State, ends: list[State], inner: Inner) -> State | None:
    """The ends of an `if` and of all that follow it; what is left where none was taken."""
    children = node.children
    then = children.index(first(node, _THEN))
    condition = inner.sequence(children[:then], state)
    others = [at for at, c in enumerate(children) if c.type in ("elif_clause", "else_clause")]
    body = children[then + 1 : others[0] if others else len(children)]
    ends.append(inner.sequence(body, condition.ok).any)
    left: State | None = condition.any
    for at in others:
        if left is None:
            raise UnreadableError
        if children[at].type == "else_clause":
            ends.append(inner.sequence(children[at].children, left).any)
            left = None
        else:
            left = _branch(children[at], left, ends, inner)
    return left


def _while(node: Node, state: State, inner: Inner) -> After:
    body = node.child_by_field_name("body")
    if body is None:
        raise UnreadableError
    conditions = [child for child in node.children if child != body]

    def once(start: State) -> State:
        return inner.sequence(body.children, inner.sequence(conditions, start).ok).any

    return _looped(once, state)


def _for(node: Node, state: State, inner: Inner) -> After:
    body = node.child_by_field_name("body")
    name = node.child_by_field_name("variable")
    if body is None or name is None:
        raise UnreadableError
    given = [c for at, c in enumerate(node.children) if node.field_name_for_child(at) == "value"]
    inner.substituted(given, state)
    words = tuple(word for group in grouped(given) for word in expanded(group, state))
    values = words or state.value("@")

    def once(start: State) -> State:
        return inner.sequence(body.children, start.assigned(text_of(name), values)).any

    return _looped(once, state)


def _counted(node: Node, state: State, inner: Inner) -> After:
    """`for ((i = 0; ...))`: what it counts are numbers."""
    body = node.child_by_field_name("body")
    if body is None:
        raise UnreadableError
    inner.substituted((child for child in node.children if child != body), state)
    for name in within(node.children[:-1], frozenset({"variable_name"})):
        state = state.assigned(text_of(name), (STAR,))
    return _looped(lambda start: inner.sequence(body.children, start).any, state)


def _looped(once: Callable[[State], State], state: State) -> After:
    """A body that runs any number of times: until it teaches nothing new, or too much."""
    start = state.deeper()
    for _ in range(_ROUNDS):
        end = either(start, once(start))
        if end.variables == start.variables and end.folders == start.folders:
            break
        start = replace(end, feed=start.feed)
    else:
        for name in end.variables:
            if end.variables[name] != state.variables.get(name):
                end = end.assigned(name, (HOLE,))
        end = end if end.folders == state.folders else end.moved((*end.folders[:8], NOWHERE))
        end = either(end, once(end))
    return same(replace(end, depth=state.depth, feed=state.feed))


def _case(node: Node, state: State, inner: Inner) -> After:
    items = [child for child in node.children if child.type == "case_item"]
    inner.substituted((child for child in node.children if child not in items), state)
    joined = start = state.deeper()
    for item in items:
        at = next((at for at, child in enumerate(item.children) if child.type == ")"), 0)
        inner.substituted(item.children[:at], state)
        joined = either(joined, inner.sequence(item.children[at:], start).any)
    return same(replace(joined, depth=state.depth, feed=state.feed))


def _function(node: Node, state: State, inner: Inner) -> After:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        raise UnreadableError
    redirects = tuple(child for child in node.children if child.type in TYPES)
    said = text_of(name)
    state.findings.defined[said] = (body, inner.within(redirects, state))
    return same(replace(state, functions=state.functions.set(said, (body,))))


COMPOUND: Final[dict[str, Callable[[Node, State, Inner], After]]] = {
    "c_style_for_statement": _counted,
    "case_statement": _case,
    "compound_statement": _group,
    "declaration_command": _declaration,
    "for_statement": _for,
    "function_definition": _function,
    "if_statement": _if,
    "subshell": _subshell,
    "test_command": _test,
    "unset_command": _unset,
    "variable_assignment": _assignment,
    "variable_assignments": _assignment,
    "while_statement": _while,
}
