"""A line from its syntax tree: statement by statement, with what is known carried along.

read_text(text, state)       a whole text: the line itself, or one that a command runs
statement(node, state)       one statement, with its redirections
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from math import prod
from typing import Final

from tree_sitter import Node

from app.classification.shellcode.assigning import assigned
from app.classification.shellcode.compound import COMPOUND
from app.classification.shellcode.documents import is_quoted, run_within
from app.classification.shellcode.found import UnreadableError
from app.classification.shellcode.inner import Inner
from app.classification.shellcode.marks import HOLE, NEAR
from app.classification.shellcode.reach import names_closed
from app.classification.shellcode.redirections import (
    TYPES,
    destinations,
    document_text,
    redirected,
)
from app.classification.shellcode.simple import run
from app.classification.shellcode.state import (
    NESTED,
    After,
    Feed,
    State,
    Words,
    either,
    same,
)
from app.classification.shellcode.syntax import first, grouped, parse, text_of, within
from app.classification.shellcode.unread import unread
from app.classification.shellcode.words import alternatives

Redirects = tuple[Node, ...]
_RUN: Final = frozenset({"command_substitution", "process_substitution"})
_SKIPPED: Final = frozenset({"comment", "heredoc_body", "heredoc_end"})
_START: Final = frozenset({"heredoc_start"})
_OPERATORS: Final = frozenset({"&&", "||"})
VARIANTS: Final = 24  # of one command, by the values of its variables


def read_text(text: str, state: State) -> After:
    """A text as the shell reads it; one that nobody can read is unknown."""
    if state.nested > NESTED:
        state.findings.break_off(unread(text, state))
        return same(state)
    root = parse(text)
    if root is None:
        state.findings.break_off(unread(text, state))
        return same(state)
    inside = replace(state, nested=state.nested + 1)
    after = _sequence(root.children, inside)
    return After(*(replace(end, nested=state.nested) for end in after))


def _run(words: Words, text: str, state: State) -> After:
    return run(words, text, state, INNER)


def statement(node: Node, state: State, redirects: Redirects = ()) -> After:
    """One statement; the redirections around it are its own, or its last part's."""
    match node.type:
        case "command":
            return _command(node, state, redirects)
        case "list":
            return _list(node, state, redirects)
        case "pipeline":
            return _pipeline(node, state, redirects)
        case "redirected_statement":
            return _redirected(node, state, redirects)
        case "negated_command":
            after = statement(node.named_children[-1], state.deeper(), redirects)
            return same(replace(after.any, depth=state.depth))
        case _:
            return _compound(node, _with(redirects, state))


def _compound(node: Node, state: State) -> After:
    reader = COMPOUND.get(node.type)
    if reader is None:
        raise UnreadableError
    return reader(node, state, INNER)


def _with(redirects: Redirects, state: State) -> State:
    """The state within a compound command with these redirections."""
    for redirect in redirects:
        if len(destinations(redirect)) > 1 and redirect.type == "file_redirect":
            raise UnreadableError
        state = _fed(redirect, state)
    return state


def _fed(redirect: Node, state: State) -> State:
    _substituted(_looked_at(redirect), state)
    if redirect.type == "heredoc_redirect":
        _within_document(redirect, state)
        for child in (c for c in redirect.children if c.type == "file_redirect"):
            _fed(child, state)
    feed = redirected(redirect, state)
    return state if feed is None else state.fed(feed)


def _looked_at(redirect: Node) -> list[Node]:
    """What of a redirection the shell expands, further statements and documents left out."""
    if redirect.type != "heredoc_redirect":
        return [redirect]
    return []


def _within_document(redirect: Node, state: State) -> None:
    start = first(redirect, _START)
    if not is_quoted(text_of(start)):
        for text in run_within(document_text(redirect)):
            read_text(text, state.deeper())


def _substituted(nodes: Iterable[Node], state: State) -> None:
    """What `$(...)`, backquotes and `<(...)` run, wherever they stand in a word."""
    for node in within(nodes, _RUN):
        feed = Feed(commands=("",)) if text_of(node).startswith(">(") else Feed()
        _sequence(node.children, state.deeper().fed(feed))


def _sequence(nodes: Iterable[Node], state: State) -> After:
    """Statements one after the other; what stands before `&` runs beside the line."""
    before, after = state, same(state)
    for node in nodes:
        if node.type == "&":
            after = same(either(before, after.any))
        elif node.is_named and node.type not in _SKIPPED:
            before = after.any
            if node.type in TYPES:
                _with((node,), before)
            else:
                after = statement(node, before)
        elif node.is_missing:
            raise UnreadableError
    return after


def _list(node: Node, state: State, redirects: Redirects) -> After:
    """`a && b || c`, from the left; tree-sitter nests it, as deep as it is long."""
    parts: list[tuple[str, Node]] = []
    while node.type == "list":
        children = [child for child in node.children if child.type != "comment"]
        if len(children) != 3:
            raise UnreadableError
        left, operator, right = children
        parts.append((operator.type, right))
        node = left
    after = statement(node, state)
    for joiner, right in reversed(parts):
        last = redirects if right is parts[0][1] else ()
        after = _joined(after, joiner, right, last)
    return after


def _joined(after: After, operator: str, right: Node, redirects: Redirects) -> After:
    if operator not in _OPERATORS:
        raise UnreadableError
    if operator == "&&":
        then = statement(right, after.ok, redirects)
        return After(ok=then.ok, any=either(after.any, then.any))
    then = statement(right, after.any, redirects)
    return After(ok=either(after.ok, then.ok), any=either(after.any, then.any))


def _pipeline(node: Node, state: State, redirects: Redirects) -> After:
    parts = [child for child in node.children if child.is_named and child.type != "comment"]
    return _piped(parts, state, redirects, state.feed)


def _piped(parts: Sequence[Node], state: State, redirects: Redirects, feed: Feed) -> After:
    """Each part reads what those before it print; only the last may run in the line's own shell."""
    first, after = len(state.findings.commands), same(state)
    for part in parts:
        after = statement(part, state.fed(feed), redirects if part is parts[-1] else ())
        feed = Feed(commands=tuple(state.findings.commands[first:]) or ("",))
    return same(either(state, after.any.fed(state.feed)))


def _redirected(node: Node, state: State, redirects: Redirects) -> After:
    body = node.child_by_field_name("body")
    own = tuple(child for child in node.children if child.type in TYPES)
    if body is None:
        return same(_with((*own, *redirects), state))
    first = len(state.findings.commands)
    if body.type in ("variable_assignment", "variable_assignments"):
        after = statement(body, state)
        return same(_with((*own, *redirects), either(state, after.any)).fed(state.feed))
    after = statement(body, state, (*own, *redirects))
    for document in (redirect for redirect in own if redirect.type == "heredoc_redirect"):
        after = _behind_document(document, after, state, first)
    return after


def _behind_document(document: Node, after: After, state: State, first: int) -> After:
    """What follows a here-document on its first line stands within it in the tree."""
    operator = ""
    for child in document.children:
        if child.type == "pipeline":
            feed = Feed(commands=tuple(state.findings.commands[first:]))
            parts = [part for part in child.children if part.is_named]
            after = same(either(after.any, _piped(parts, after.any, (), feed).any))
        elif child.type in _OPERATORS:
            operator = child.type
        elif operator and child.is_named and child.type not in _SKIPPED:
            after, operator = _joined(after, operator, child, ()), ""
    return after


def _command(node: Node, state: State, redirects: Redirects) -> After:
    """A simple command: variables before it, words, redirections anywhere."""
    own = [child for child in node.children if child.type in TYPES]
    settings = [child for child in node.children if child.type == "variable_assignment"]
    if not any(child.type == "command_name" for child in node.children):
        settings = []
    words = [c for c in node.children if c not in own and c not in settings]
    words = _without_descriptor(words, (*own, *redirects))
    _substituted((*words, *settings), state)
    fed = state
    for redirect in (*own, *redirects):
        fed = _fed(redirect, fed)
    behind = [word for group in _arguments((*own, *redirects)) for word in group]
    behind = _without_descriptor(behind, (*own, *redirects))
    groups = [*grouped(words), *grouped(behind)]
    became = [alternatives(group, state) for group in groups]
    text = _shown(node)
    inside = fed
    for setting in settings:
        inside = assigned(setting, inside, text)
    ends = [run(words, text, inside, INNER) for words in _variants(became, state)]
    after = reduce(_one_or_other, ends)
    names = tuple(text_of(setting.children[0]) for setting in settings)
    return After(*(_without(end, names, inside, state) for end in after))


def _without_descriptor(words: list[Node], redirects: Redirects) -> list[Node]:
    """The words without a `{name}` that touches a redirection: it is no argument."""
    starts = {redirect.start_byte for redirect in redirects}
    return [w for w in words if w.end_byte not in starts or not text_of(w).startswith("{")]


def _shown(node: Node) -> str:
    """A command as a refusal shows it: with its redirections, without its documents."""
    around = node.parent
    if around is not None and around.type == "redirected_statement":
        return text_of(around).split("\n", 1)[0]
    return text_of(node)


def _variants(became: Sequence[tuple[Words, ...]], state: State) -> list[Words]:
    """The command, once for each value that its variables may have; too many are unsaid."""
    count = prod(map(len, became))
    if count > VARIANTS:
        became = [ways if len(ways) == 1 else (_unsaid(ways, state),) for ways in became]
    return [tuple(word for words in variant for word in words) for variant in product(*became)]


def _unsaid(ways: tuple[Words, ...], state: State) -> Words:
    near = names_closed((word for way in ways for word in way), state)
    return (NEAR if near else HOLE,)


def _one_or_other(one: After, other: After) -> After:
    return After(ok=either(one.ok, other.ok), any=either(one.any, other.any))


def _without(end: State, names: Words, inside: State, state: State) -> State:
    """Behind a command with variables of its own these are what they were, or what it made them."""
    for name in names:
        if end.value(name) == inside.value(name):
            end = replace(end.assigned(name, state.value(name)), bent=state.bent)
    return end.fed(state.feed)


def _arguments(redirects: Iterable[Node]) -> Iterable[tuple[Node, ...]]:
    """Arguments that stand behind a redirection, where tree-sitter puts them into it."""
    for redirect in redirects:
        if redirect.type == "file_redirect":
            yield from destinations(redirect)[1:]
        elif redirect.type == "heredoc_redirect":
            yield from grouped(
                c
                for at, c in enumerate(redirect.children)
                if redirect.field_name_for_child(at) == "argument"
            )
            yield from _arguments(c for c in redirect.children if c.type == "file_redirect")


def read_uncalled(state: State) -> None:
    """Functions that the line defines and does not call, as if somebody called them."""
    for name, (body, there) in tuple(state.findings.defined.items()):
        if name not in state.findings.called:
            statement(body, there)


INNER: Final = Inner(
    text=read_text,
    node=statement,
    words=_run,
    sequence=_sequence,
    substituted=_substituted,
    within=_with,
)
