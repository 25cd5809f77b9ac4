"""Write patterns read a second time, from gitignore's own description: as sets of paths.

    inside(patterns, path)        whether one of them covers a path relative to the root
    beyond(patterns, others)      a path that `patterns` cover and `others` do not, if there is one

`beyond` is exact: it walks both lists as automata, letter by letter, until they differ. A letter
that stands in no pattern speaks for all letters that do not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

ONE, MANY, FOLDERS = "one", "many", "folders"  # ?, *, and ** with its slash
BELOW = (-1, False)  # in a folder that is covered: so is all that follows
State = tuple[int, bool]  # the next token; whether we are within a folder that FOLDERS skips
States = frozenset[State]


@dataclass(frozen=True)
class Glob:
    """One pattern: what is read in turn; what lies below a match is covered with it."""

    tokens: tuple[str, ...]
    below: bool  # nothing else is
    alone: bool  # what lies below is not: `src/*` says the files of one folder


@lru_cache(maxsize=4096)
def glob(pattern: str) -> Glob:
    """A pattern without negation, classes or escapes."""
    anchored, below = "/" in pattern.rstrip("/"), pattern.endswith("/")
    segments = pattern.strip("/").split("/")
    twice = [at for at in range(1, len(segments)) if segments[at - 1 : at + 1] == ["**", "**"]]
    segments = [segment for at, segment in enumerate(segments) if at not in twice]
    alone = segments[-1] == "*" and anchored and not below
    if segments[-1] == "**":  # everything inside; at the top, everything
        segments, below = (segments[:-1], True) if segments[:-1] else (["*"], below)
    if not anchored:
        segments = ["**", *segments]
    return Glob(tuple(_tokens(segments)), below, alone)


def _tokens(segments: Sequence[str]) -> Iterable[str]:
    for at, segment in enumerate(segments):
        if segment == "**":
            yield FOLDERS
            continue
        yield from (ONE if sign == "?" else MANY if sign == "*" else sign for sign in segment)
        if at + 1 < len(segments):
            yield "/"


def _free(one: Glob, states: Iterable[State]) -> States:
    """Also where one gets without reading anything: wildcards may stand for nothing."""
    found, left = set(states), list(states)
    while left:
        at, within = left.pop()
        if not within and 0 <= at < len(one.tokens) and one.tokens[at] in (MANY, FOLDERS):
            further = (at + 1, False)
            if further not in found:
                found.add(further)
                left.append(further)
    return frozenset(found)


def _next(one: Glob, state: State, sign: str) -> State | None:
    at, within = state
    if state == BELOW:
        return BELOW
    if within:
        return (at, sign != "/")
    if at == len(one.tokens):
        return BELOW if sign == "/" and not one.alone else None
    match one.tokens[at]:
        case "one":
            return None if sign == "/" else (at + 1, False)
        case "many":
            return None if sign == "/" else (at, False)
        case "folders":
            return None if sign == "/" else (at, True)
        case literal:
            return (at + 1, False) if sign == literal else None


def _step(one: Glob, states: States, sign: str) -> States:
    moved = (_next(one, state, sign) for state in states)
    return _free(one, [state for state in moved if state is not None])


def _covers(one: Glob, states: States) -> bool:
    return BELOW in states or (not one.below and (len(one.tokens), False) in states)


def inside(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the patterns covers a path, or a folder that it lies in."""
    for one in map(glob, patterns):
        states = _free(one, [(0, False)])
        for sign in path:
            states = _step(one, states, sign)
        if _covers(one, states):
            return True
    return False


@lru_cache(maxsize=4096)
def beyond(patterns: tuple[str, ...], others: tuple[str, ...]) -> str | None:
    """The shortest path that `patterns` cover and `others` do not."""
    globs = [glob(pattern) for pattern in (*patterns, *others)]
    letters = sorted({sign for one in globs for sign in one.tokens if len(sign) == 1} | {"/"})
    fresh = next(chr(code) for code in range(ord("a"), 0x110000) if chr(code) not in letters)
    start = tuple(_free(one, [(0, False)]) for one in globs)
    seen, left = {(start, True)}, deque([(start, True, "")])
    while left:
        states, opened, path = left.popleft()
        for sign in (fresh, *letters):
            if sign == "/" and opened:  # no folder without a name
                continue
            moved = tuple(_step(*pair, sign) for pair in zip(globs, states, strict=True))
            if (moved, sign == "/") in seen or not any(moved[: len(patterns)]):
                continue
            seen.add((moved, sign == "/"))
            covered = [_covers(*pair) for pair in zip(globs, moved, strict=True)]
            if sign != "/" and any(covered[: len(patterns)]) and not any(covered[len(patterns) :]):
                return path + sign
            left.append((moved, sign == "/", path + sign))
    return None
