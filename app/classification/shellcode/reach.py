"""Which places a command's words reach: targets with their zones, and whether all of them are known.

reached(words, state)              the places that the words name
reached(words, state, deep=True)   with the tests and guarded paths that lie below them
names_closed(words, state)         whether a word that nobody can vouch for names such a path
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.classification.paths import Place, closed, targets
from app.classification.shellcode.found import TooMuchError
from app.classification.shellcode.marks import NEAR, PATTERN, UNSAID, shown
from app.classification.shellcode.state import NOWHERE, State
from app.classification.shellcode.tree import below, is_folder, matching, may_name
from app.domain.calls import Target

MOST_PATHS: Final = 150  # places of one command that are looked up
MOST_NAMES: Final = 200  # names of one command that are looked at
_NOT_FILES: Final = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty|zero|full|fd/\d+)|-")
_NAME: Final = re.compile(r"[^\s'\"=:,;<>|&()$`{}\[\]\x01\x02]+")
_URL: Final = re.compile(r"\b(?:https?|wss?|ssh|git)://[^\s'\"<>|&;()$`]*")
_MESSAGES: Final = frozenset(
    {"--body", "--comment", "--description", "--message", "--notes", "--reason", "--title"}
    | {"-b", "-m", "-t"}
)
_VALUED: Final = re.compile(
    r"-[A-Za-z]([^-=\s]\S*)|--(?:\S+-)?(?:dir|directory|out|output|dest|target|prefix|tree|path|file)"
    r"=(\S+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The places that words name; `unsure` where there may be others, `closed` among them."""

    targets: tuple[Target, ...] = ()
    unsure: bool = False
    closed: bool = False


def reached(words: Iterable[str], state: State, *, deep: bool = False) -> Reached:
    """The places that the words name, from every folder the line may be in."""
    found: dict[Target, None] = {}
    unsure = near = False
    for number, path in enumerate(p for word in words for p in state.named(word)):
        if number > MOST_PATHS:
            raise TooMuchError
        if _NOT_FILES.fullmatch(path.removeprefix("./")):
            continue
        paths = None if _behind_link(path, state) else _paths(path, state.place)
        if paths is None:
            unsure, near = True, near or _is_near(path, state)
            continue
        for each in paths:
            found.update(dict.fromkeys(targets((each,), state.place)))
            under = below(each, state.place) if deep and is_folder(each, state.place) else ()
            if under is None:
                unsure = near = True
            found.update(dict.fromkeys(targets([f"{each}/{p}" for p in under or ()], state.place)))
        if PATTERN.search(path) and may_name(path) and not _can_look(path, state.place):
            unsure = near = True
    return Reached(targets=tuple(found), unsure=unsure, closed=near)


def _behind_link(path: str, state: State) -> bool:
    """Whether a path leads through a link that the line makes itself."""
    return any(path.startswith(f"{link}/") or path == link for link in state.findings.links)


def _paths(path: str, place: Place) -> tuple[str, ...] | None:
    """The paths that a word names; None where nobody can tell. Without a match it names itself."""
    if UNSAID.search(path):
        return None
    if not PATTERN.search(path):
        return (path,)
    found = matching(path, place)
    if found is None or len(found) > MOST_PATHS:
        return None
    return found or (shown(path),)


def _is_near(path: str, state: State) -> bool:
    """Whether a place that cannot be told may be a closed one, as far as its text goes."""
    if not UNSAID.search(path) or _behind_link(path, state) or (NOWHERE in state.folders and path.startswith(NOWHERE)):
        return True
    return names_closed((path,), state)


def _can_look(path: str, place: Place) -> bool:
    """Whether the folder in which a pattern begins can be looked into."""
    folder = PATTERN.split(path, maxsplit=1)[0].rpartition("/")[0]
    return is_folder(folder or ("/" if path.startswith("/") else "."), place) and bool(
        path.startswith("/")
        or ((place.cwd or place.root) and Path(place.cwd or place.root or "").is_dir())
    )


def names_closed(words: Iterable[str], state: State) -> bool:
    """Whether the words name a test or guarded path; a bare word only where it stands alone."""
    said = tuple(words)
    if any(NEAR in word for word in said):
        return True
    names = dict.fromkeys(_names(said))
    if len(names) > MOST_NAMES:
        return True
    paths = (path for name in names for path in state.named(name) if not UNSAID.search(path))
    return any(closed(path, state.place) and _is_path(path, state.place) for path in paths)


def messages_aside(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without texts for people: what stands in a title or a message is no path."""
    pairs = zip(("", *words), words, strict=False)
    return tuple(word for before, word in pairs if not (before in _MESSAGES and " " in word))


def _names(words: tuple[str, ...]) -> Iterator[str]:
    """The names in the words: alone, behind an option, and whatever else looks like a path."""
    for word in words:
        glued = _VALUED.fullmatch(word)
        if glued:
            yield glued[1] or glued[2]
        alone = word.strip("()`;")
        text = _URL.sub("", word)
        for name in map(shown, _NAME.findall(text)):
            if name == alone or "/" in name or "." in name:
                yield name
        if UNSAID.search(text):  # what stands behind a text that nobody knows
            yield from filter(None, (part.lstrip("/") for part in UNSAID.split(text)[1:]))


def _is_path(path: str, place: Place) -> bool:
    """Whether a name is one; `test` is also what many programs are told to do."""
    start = place.cwd or place.root or ""
    return path != "test" or os.path.lexists(Path(start) / path)


def holds_closed(words: Iterable[str], state: State) -> bool:
    """Whether one of these folders holds tests or guarded paths, or nobody can tell."""
    paths = [path for word in words for path in state.named(word)]
    return any(
        UNSAID.search(path) is not None
        or (is_folder(path, state.place) and below(path, state.place) != ())
        for path in paths[:MOST_PATHS]
    )
