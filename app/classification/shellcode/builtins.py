"""Words of the shell that change what the line goes on with: folders, variables, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from app.classification.shellcode.found import unknown
from app.classification.shellcode.inner import Inner
from app.classification.shellcode.marks import HOLE, NEAR, PATTERN, UNSAID, literal
from app.classification.shellcode.options import told_apart
from app.classification.shellcode.reach import names_closed
from app.classification.shellcode.state import (
    NOWHERE,
    After,
    State,
    Words,
    either,
    same,
    with_arguments,
)
from app.classification.shellcode.substituted import prints_closed
from app.classification.shellcode.tables import SOURCED
from app.classification.shellcode.variables import is_harmless

_CD: Final = frozenset("LPe@qs")
_READ: Final = frozenset("rset")
_READ_VALUED: Final = frozenset("panNdiusO")
_GLOBBING: Final = frozenset({"dotglob", "extglob", "globstar", "nocaseglob"})
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)


def cd(words: Words, text: str, state: State, inner: Inner) -> After:
    """Behind `cd` the line goes on there; where it did not work, where it was."""
    there = state.moved(_led(words[1:], state))
    return After(ok=there, any=either(state, there))


def _led(words: Words, state: State) -> Words:
    told = told_apart(words, _CD, frozenset())
    if told is None or len(told.operands) > 1:
        return state.before if words == ("-",) else (NOWHERE,)
    if not told.operands:
        return state.value("HOME")
    folder = told.operands[0]
    if folder == "-":
        return state.before
    if UNSAID.search(folder):
        return (NOWHERE,)
    if not PATTERN.search(folder):
        return state.named(folder)
    found = [state.disk.matching(path) for path in state.named(folder)]
    return tuple(path for paths in found for path in paths or (NOWHERE,)) or (NOWHERE,)


def pushd(words: Words, text: str, state: State, inner: Inner) -> After:
    """As `cd`, and `popd` leads back."""
    after = cd(words, text, state, inner)
    stack = (*state.stack, state.folders)
    return After(ok=replace(after.ok, stack=stack), any=replace(after.any, stack=stack))


def popd(words: Words, text: str, state: State, inner: Inner) -> After:
    """Back to where `pushd` came from."""
    there = state.moved(state.stack[-1] if state.stack else (NOWHERE,))
    there = replace(there, stack=state.stack[:-1])
    return After(ok=there, any=replace(either(state, there), stack=there.stack))


def set_variable(name: str, values: Words, text: str, state: State) -> State:
    """The state behind an assignment; one that bends other commands is unknown."""
    if is_harmless(name, values, state):
        return state.assigned(name, values)
    closed = names_closed((word for value in values for word in value.split()), state)
    state.findings.add(unknown(text, closed=closed))
    return replace(state.assigned(name, values), bent=name)


def export(words: Words, text: str, state: State, inner: Inner) -> After:
    """`export`, `declare` and the like, as words of a command."""
    for word in words[1:]:
        found = _ASSIGNED.fullmatch(word)
        if found is not None:
            state = set_variable(found[1], (found[2],), text, state)
        elif UNSAID.search(word):
            state.findings.add(unknown(text, closed=NEAR in word))
    return same(state)


def unset(words: Words, text: str, state: State, inner: Inner) -> After:
    """Variables that are empty from here on."""
    for name in words[1:]:
        state = state.assigned(name, ("",)) if literal(name) else state
    return same(state)


def evaluate(words: Words, text: str, state: State, inner: Inner) -> After:
    """`eval` reads its words as a line once more."""
    line = " ".join(words[1:])
    if literal(line):
        return inner.text(line, state)
    state.findings.add(unknown(text, closed=True))
    return same(state)


def source(words: Words, text: str, state: State, inner: Inner) -> After:
    """Files that set up a shell are known; any other one may do anything."""
    named = words[1] if len(words) > 1 else ""
    if SOURCED.fullmatch(named):
        return same(state)
    handed = named.startswith(("/dev/", "/proc/"))
    state.findings.add(unknown(text, closed=handed or names_closed(words, state)))
    return same(state)


def alias(words: Words, text: str, state: State, inner: Inner) -> After:
    """A name that is given another meaning is nobody's from here on."""
    for word in words[1:]:
        name, given, meaning = word.partition("=")
        if given:
            near = names_closed(meaning.split(), state)
            state = replace(state, renamed=state.renamed.set(name, near))
    return same(state)


def trap(words: Words, text: str, state: State, inner: Inner) -> After:
    """What a trap runs is read where it is set."""
    rest = words[1:]
    if rest[:1] == ("--",):
        rest = rest[1:]
    if len(rest) > 1 and not literal(rest[0]):
        state.findings.add(unknown(text, closed=True))
    elif len(rest) > 1 and rest[0] not in ("", "-"):
        inner.text(rest[0], replace(state, folders=tuple(dict.fromkeys((*state.folders, NOWHERE)))))
    return same(state)


def read(words: Words, text: str, state: State, inner: Inner) -> After:
    """Variables that hold what comes down the pipe."""
    told = told_apart(words[1:], _READ, _READ_VALUED)
    if told is None:
        state.findings.add(unknown(text, closed=True))
        return same(state)
    names, arrays = told.operands or ("REPLY",), told.values(frozenset("a"))
    fed = (*state.feed.commands, state.feed.text or "")
    near = any(prints_closed(text, state) for text in fed)
    for name in (*names, *arrays):
        state = set_variable(name, (NEAR if near else HOLE,), text, state)
    return same(state)


def positional(words: Words, text: str, state: State, inner: Inner) -> After:
    """`set -e` and the like; `set --` gives the line its arguments."""
    if "--" in words:
        given = words[words.index("--") + 1 :]
        state = replace(state, variables=with_arguments(state.variables, given))
    return same(state)


def shopt(words: Words, text: str, state: State, inner: Inner) -> After:
    """Settings of the shell; one that makes patterns match more is a part nobody vouches for."""
    if _GLOBBING & set(words) and "-u" not in words:
        state.findings.add(unknown(text, closed=False))
        return same(replace(state, bent="shopt"))
    return same(state)


def rehash(words: Words, text: str, state: State, inner: Inner) -> After:
    """`hash -p` and `enable` give a name another program."""
    if words[1:] in ((), ("-r",), ("-a",)):
        return same(state)
    state.findings.add(unknown(text, closed=names_closed(words, state)))
    return same(replace(state, bent=words[0]))


def printf(words: Words, text: str, state: State, inner: Inner) -> After:
    """printf prints, or puts into a variable."""
    if words[1:2] == ("-v",) and len(words) > 2:
        near = names_closed(words[3:], state)
        state = set_variable(words[2], (NEAR if near else HOLE,), text, state)
    return same(state)


BUILTIN: Final[Mapping[str, Callable[[Words, str, State, Inner], After]]] = {
    ".": source,
    "alias": alias,
    "cd": cd,
    "chdir": cd,
    "declare": export,
    "enable": rehash,
    "eval": evaluate,
    "export": export,
    "hash": rehash,
    "local": export,
    "mapfile": read,
    "popd": popd,
    "printf": printf,
    "pushd": pushd,
    "read": read,
    "readarray": read,
    "readonly": export,
    "set": positional,
    "shopt": shopt,
    "source": source,
    "trap": trap,
    "typeset": export,
    "unset": unset,
}
