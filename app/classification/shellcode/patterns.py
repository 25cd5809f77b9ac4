"""find and xargs: commands that run others on names which only the file system knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from app.classification.shellcode.found import READS, unknown
from app.classification.shellcode.inner import Inner
from app.classification.shellcode.marks import DEEP, HOLE, NEAR, STAR, unquoted
from app.classification.shellcode.options import told_apart
from app.classification.shellcode.reach import names_closed, reached
from app.classification.shellcode.state import After, Feed, State, Words, same
from app.classification.shellcode.substituted import prints_closed
from app.classification.shellcode.writing import writes

_RUNNING: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_PRINTING: Final = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_EITHER: Final = frozenset({"-o", "-or", "!", "-not", ","})
_XARGS_FLAGS: Final = frozenset("0rtpx") | {"null", "no-run-if-empty", "verbose"}
_XARGS_VALUED: Final = frozenset("nLIPdsE") | {"max-args", "max-procs", "delimiter", "replace"}


def find(words: Words, text: str, state: State, inner: Inner) -> After:
    """find reads, unless it deletes, runs something on what it finds, or prints into a file."""
    starts, rest = _starts(words[1:])
    found = _found(starts, rest)
    if "-delete" in rest:
        state.findings.add(writes(reached(found, state), text))
    for at, word in enumerate(rest):
        if word in _PRINTING:
            state.findings.add(writes(reached(rest[at + 1 : at + 2], state), text))
        if word in _RUNNING:
            command = _command(rest[at + 1 :])
            for name in found:
                inner.words(tuple(part.replace("{}", name) for part in command), text, state)
    state.findings.add(READS)
    return same(state)


def _starts(words: Words) -> tuple[Words, Words]:
    """The folders that are searched, and the expression."""
    at = 0
    while at < len(words) and words[at] in ("-H", "-L", "-P"):
        at += 1
    first = at
    while at < len(words) and not words[at].startswith(("-", "(", "!")):
        at += 1
    return words[first:at] or (".",), words[at:]


def _found(starts: Words, rest: Words) -> Words:
    """What may be found, as patterns: below each start, by its name where there is one."""
    names = [rest[at + 1] for at, word in enumerate(rest[:-1]) if word == "-name"]
    plain = len(names) == 1 and "[" not in names[0] and not _EITHER & set(rest)
    name = unquoted(names[0]) if plain else STAR
    return tuple(f"{start.rstrip('/') or '/'}/{DEEP}/{name}" for start in starts)


def _command(words: Words) -> Words:
    end = next((at for at, word in enumerate(words) if word in (";", "+")), len(words))
    return words[:end]


def xargs(words: Words, text: str, state: State, inner: Inner) -> After:
    """xargs runs a command on names that come down the pipe."""
    told = told_apart(words[1:], _XARGS_FLAGS, _XARGS_VALUED, leading=True)
    if told is None:
        closed = names_closed(words, state) or _hands_closed(state)
        state.findings.add(unknown(text, closed=closed))
        return same(state)
    name = NEAR if _hands_closed(state) else HOLE
    replaced = told.values(frozenset({"I", "replace"}))
    command = told.operands or ("echo",)
    if replaced:
        command = tuple(word.replace(replaced[0] or "{}", name) for word in command)
    else:
        command = (*command, name)
    inner.words(command, text, replace(state, feed=Feed()))
    return same(state)


def _hands_closed(state: State) -> bool:
    """Whether the names may be those of tests or guarded paths."""
    return any(prints_closed(command, state) for command in state.feed.commands)
