"""find and xargs: commands that run others on names which only the file system knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from app.classification.shellcode.found import READS, unknown
from app.classification.shellcode.inner import Inner
from app.classification.shellcode.marks import HOLE, NEAR, STAR, UNSAID, shown, unquoted
from app.classification.shellcode.options import told_apart
from app.classification.shellcode.reach import holds_closed, names_closed, reached
from app.classification.shellcode.state import NOWHERE, After, Feed, State, Words, same
from app.classification.shellcode.substituted import prints_closed
from app.classification.shellcode.writing import writes

_RUNNING: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_ACTING: Final = _RUNNING | {"-delete"}
_PRINTING: Final = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_EITHER: Final = frozenset({"-o", "-or", "!", "-not", ","})
_XARGS_FLAGS: Final = frozenset("0rtpx") | {"null", "no-run-if-empty", "verbose"}
_XARGS_VALUED: Final = frozenset("nLIPdsE") | {"max-args", "max-procs", "delimiter", "replace"}


def find(words: Words, text: str, state: State, inner: Inner) -> After:
    """find reads, unless it deletes, runs something on what it finds, or prints into a file."""
    starts, rest = _starts(words[1:])
    found = _found(starts, rest, state) if _ACTING & set(rest) else ()
    if "-delete" in rest:
        state.findings.add(writes(reached(found, state), text))
    for at, word in enumerate(rest):
        if word in _PRINTING:
            state.findings.add(writes(reached(rest[at + 1 : at + 2], state), text))
        if word in _RUNNING:
            command = _command(rest[at + 1 :])
            there = _within_found(starts, state) if word.endswith("dir") else state
            unsaid = NEAR if names_closed(found, state) else HOLE
            inner.words(_on_each(command, found, unsaid), text, there)
    if not _ACTING & set(rest):
        state.findings.add(READS)
    return same(state)


def _on_each(command: Words, found: Words, unsaid: str) -> Words:
    """A command with all that is found in the place of `{}`; within a word one name is unsaid."""
    words: list[str] = []
    for part in command:
        if part == "{}":
            words.extend(found)
        else:
            words.append(part.replace("{}", found[0] if len(found) == 1 else unsaid))
    return tuple(words)


def _within_found(starts: Words, state: State) -> State:
    """The folders of what is found; where one may hold tests, nobody can tell which."""
    nowhere = holds_closed(starts, state)
    return state.moved((NOWHERE,) if nowhere else tuple(p for s in starts for p in state.named(s)))


def _starts(words: Words) -> tuple[Words, Words]:
    """The folders that are searched, and the expression."""
    at = 0
    while at < len(words) and words[at] in ("-H", "-L", "-P"):
        at += 1
    first = at
    while at < len(words) and not words[at].startswith(("-", "(", "!")):
        at += 1
    return words[first:at] or (".",), words[at:]


def _found(starts: Words, rest: Words, state: State) -> Words:
    """What may be found now, by its name where there is one; near where nobody can tell."""
    names = [rest[at + 1] for at, word in enumerate(rest[:-1]) if word == "-name"]
    plain = len(names) == 1 and "[" not in names[0] and not _EITHER & set(rest)
    name = unquoted(names[0]) if plain else STAR
    found: list[str] = []
    for path in (path for start in starts for path in state.named(start)):
        below = None if UNSAID.search(path) else state.disk.found(path, name)
        found.extend((NEAR,) if below is None else below)
    return tuple(found) or tuple(f"{start.rstrip('/')}/{shown(name)}" for start in starts)


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
    handed = (state.feed.text or "").split()
    return names_closed(handed, state) or any(
        prints_closed(command, state) for command in state.feed.commands
    )
