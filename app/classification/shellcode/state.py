"""What is known at one point of a line: the folders it may be in, its variables and functions.

Where a line may have gone two ways, `either` knows what holds on both: all folders, all values.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from immutables import Map
from tree_sitter import Node

from app.classification.paths import Place
from app.classification.shellcode.disk import Disk
from app.classification.shellcode.found import Findings, TooMuchError
from app.classification.shellcode.marks import HOLE, STAR, UNSAID

Words = tuple[str, ...]
FOLDERS: Final = 16  # places that `cd` may have led to
VALUES: Final = 24  # values that a variable may have
LONGEST: Final = 4_096  # characters of one
DEEPEST: Final = 40  # compound commands, functions and texts within each other
NESTED: Final = 4  # texts that are shell text again: `bash -c`, `eval`, `$(...)` in a document
NOWHERE: Final = HOLE  # the folder that nobody can tell
_NUMBERS: Final = frozenset(
    {"#", "?", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What a command reads: a text that stands in the line, or what other commands print."""

    text: str | None = None
    commands: Words = ()  # the commands that print it

    @property
    def is_piped(self) -> bool:
        """Whether anything at all is handed to the command."""
        return self.text is not None or bool(self.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is known before one command of a line."""

    disk: Disk
    findings: Findings
    folders: Words = ("",)
    before: Words = (NOWHERE,)  # where `cd -` leads
    stack: tuple[Words, ...] = ()  # where `popd` leads
    variables: Map[str, Words] = field(default_factory=Map)
    functions: Map[str, tuple[Node, ...]] = field(default_factory=Map)
    renamed: Map[str, bool] = field(default_factory=Map)  # aliases; True: to something closed
    bent: str | None = None  # the setting by which no command is what its name says
    feed: Feed = Feed()
    depth: int = 0
    nested: int = 0

    @property
    def place(self) -> Place:
        """Where the session works."""
        return self.disk.place

    def value(self, name: str) -> Words:
        """The values a variable may have, as they stand before splitting."""
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return (self.place.home,)
        if name == "PWD":
            return tuple(map(self.absolute, self.folders))
        if name == "PATH":
            return (f"{HOLE}PATH",)  # to be told from any other text that nobody knows
        return (STAR,) if name in _NUMBERS else (HOLE,)

    def absolute(self, folder: str) -> str:
        """A folder as an absolute path, where that can be told."""
        start = self.place.cwd or self.place.root
        if folder == NOWHERE or (start is None and not folder.startswith("/")):
            return HOLE
        return os.path.normpath(folder if start is None else Path(start) / folder)

    def named(self, path: str) -> Words:
        """A path as it is meant from each folder the line may be in."""
        return (path,) if path.startswith("/") else tuple(_in(f, path) for f in self.folders)

    def assigned(self, name: str, values: Words) -> State:
        """The state in which a variable has one of these values."""
        if len(values) > VALUES or any(len(value) > LONGEST for value in values):
            values = (HOLE,)
        return replace(self, variables=self.variables.set(name, values))

    def moved(self, folders: Words) -> State:
        """The state in one of these folders."""
        if len(folders) > FOLDERS:
            raise TooMuchError
        unique = tuple(dict.fromkeys(folders))
        variables = self.variables.delete("PWD") if "PWD" in self.variables else self.variables
        return replace(self, folders=unique, before=self.folders, variables=variables)

    def deeper(self) -> State:
        """The state within a compound command; raises TooMuchError where it is too deep."""
        if self.depth >= DEEPEST:
            raise TooMuchError
        return replace(self, depth=self.depth + 1)

    def fed(self, feed: Feed) -> State:
        """The state of a command that reads this."""
        return self if feed == self.feed else replace(self, feed=feed)


class After(NamedTuple):
    """What is known behind a command: where it has worked, and where it may not have."""

    ok: State
    any: State


def same(state: State) -> After:
    """Behind a command that changes nothing of what is known."""
    return After(ok=state, any=state)


def _in(folder: str, path: str) -> str:
    if folder == NOWHERE:
        return HOLE + path
    return f"{folder.rstrip('/') or '/'}/{path}".replace("//", "/") if folder else path


def either(one: State, other: State) -> State:
    """What is known where the line may have gone one way or the other."""
    if one is other:
        return one
    folders = tuple(dict.fromkeys((*one.folders, *other.folders)))
    if len(folders) > FOLDERS:
        raise TooMuchError
    return replace(
        one,
        folders=folders,
        before=one.before if one.before == other.before else (NOWHERE,),
        stack=one.stack if one.stack == other.stack else (),
        variables=_values(one, other),
        functions=_functions(one.functions, other.functions),
        renamed=_renamed(one.renamed, other.renamed),
        bent=one.bent or other.bent,
    )


def _values(one: State, other: State) -> Map[str, Words]:
    if one.variables is other.variables:
        return one.variables
    names = {*one.variables, *other.variables}
    both = {n: tuple(dict.fromkeys((*one.value(n), *other.value(n)))) for n in names}
    return Map({n: values if len(values) <= VALUES else (HOLE,) for n, values in both.items()})


def _functions(
    one: Map[str, tuple[Node, ...]], other: Map[str, tuple[Node, ...]]
) -> Map[str, tuple[Node, ...]]:
    if one is other:
        return one
    names = {*one, *other}
    return Map({n: tuple(dict.fromkeys((*one.get(n, ()), *other.get(n, ())))) for n in names})


def _renamed(one: Map[str, bool], other: Map[str, bool]) -> Map[str, bool]:
    names = {*one, *other}
    return (
        one if one is other else Map({n: one.get(n, False) or other.get(n, False) for n in names})
    )


def with_arguments(variables: Map[str, Words], arguments: Words, first: int = 1) -> Map[str, Words]:
    """The variables of a function or a text with these arguments, from `$1` or `$0` on."""
    moves = any(UNSAID.search(argument) for argument in arguments)
    for number, argument in enumerate(arguments[: 10 - first], start=first):
        variables = variables.set(str(number), arguments[:VALUES] if moves else (argument,))
    return variables.set("@", arguments[1 - first :] or ("",))
