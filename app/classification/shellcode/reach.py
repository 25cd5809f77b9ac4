"""Which places a command's words reach: targets with their zones, and whether all are known.

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

from app.classification.paths import Place, holds_root
from app.classification.shellcode.disk import Disk
from app.classification.shellcode.found import TooMuchError
from app.classification.shellcode.marks import HOLE, NEAR, PATTERN, UNSAID, shown
from app.classification.shellcode.state import NOWHERE, State
from app.classification.shellcode.tree import may_be_folder, may_name
from app.domain.calls import Target

MOST_PATHS: Final = 100  # places of one command that are looked up
MOST_NAMES: Final = 200  # names of one command that are looked at
_NOT_FILES: Final = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty|zero|full|fd/\d+)")
_NAME: Final = re.compile(r"[^\s'\"=:,;<>|&()$`{}\[\]\x01\x02]+")
_URL: Final = re.compile(r"\b(?:https?|wss?|ssh|git)://[^\s'\"<>|&;()$`]*")
_UP: Final = re.compile(r"^(?:\.{0,2}/)+")
_MESSAGES: Final = frozenset(
    {"--body", "--comment", "--description", "--message", "--notes", "--reason", "--title"}
    | {"-b", "-m", "-t"}
)
_VALUED: Final = re.compile(
    r"-[A-Za-z]([^-=\s]\S*)|--(?:\S+-|tmp)?(?:dir|directory|out|output|dest|target|prefix|tree|path|file)"
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
        paths = None if _behind_link(path, state) else _paths(path, state.disk)
        if paths is None:
            unsure, near = True, near or _is_near(path, state)
            continue
        for each in paths:
            found.update(dict.fromkeys(state.disk.targets(each)))
            under = state.disk.below(each) if deep and state.disk.is_folder(each) else ()
            if under is None:
                unsure = near = True
            for name in under or ():
                found.update(dict.fromkeys(state.disk.targets(f"{each}/{name}")))
        if PATTERN.search(path) and may_name(path) and not _can_look(path, state):
            unsure = near = True
    return Reached(targets=tuple(found), unsure=unsure, closed=near)


def _behind_link(path: str, state: State) -> bool:
    """Whether a path leads through a link that the line makes itself."""
    return any(path.startswith(f"{link}/") or path == link for link in state.findings.links)


def _paths(path: str, disk: Disk) -> tuple[str, ...] | None:
    """The paths that a word names; None where nobody can tell. Without a match it names itself."""
    if UNSAID.search(path):
        return None
    if not PATTERN.search(path):
        return (path,)
    found = disk.matching(path)
    if found is None or len(found) > MOST_PATHS:
        return None
    return found or (shown(path),)


def _is_near(path: str, state: State) -> bool:
    """Whether a place that cannot be told may be a closed one, as far as its text goes."""
    if (
        not UNSAID.search(path)
        or _behind_link(path, state)
        or (NOWHERE in state.folders and path.startswith(NOWHERE))
    ):
        return True
    return names_closed((path,), state)


def _can_look(path: str, state: State) -> bool:
    """Whether the folder in which a pattern begins can be looked into."""
    folder = PATTERN.split(path, maxsplit=1)[0].rpartition("/")[0]
    start = state.absolute(folder or ("/" if path.startswith("/") else ""))
    return start != HOLE and state.disk.is_folder(start)


def globbed(words: Iterable[str], state: State) -> tuple[str, ...]:
    """The words with what the file system has for each pattern in its place."""
    return tuple(path for word in words for path in _globbed(word, state))


def _globbed(word: str, state: State) -> tuple[str, ...]:
    if not PATTERN.search(word) or UNSAID.search(word):
        return (word,)
    found = [(path, state.disk.matching(path)) for path in state.named(word)]
    if any(paths is None for _, paths in found):
        return (NEAR,)
    if not any(paths for _, paths in found):
        return (word,)
    unmatched = [path if UNSAID.search(path) else shown(path) for path, paths in found if not paths]
    matched = [_placed(path, state) for _, paths in found for path in paths or ()]
    return (*matched, *unmatched)


def _placed(path: str, state: State) -> str:
    """A path as an absolute one, in which `..` stays: behind a link it leads elsewhere."""
    if ".." not in path:
        return state.absolute(path)
    return path if path.startswith("/") else f"{state.absolute('')}/{path}"


def names_closed(words: Iterable[str], state: State) -> bool:
    """Whether the words name a test or guarded path; a bare word only where it stands alone."""
    said = tuple(words)
    if any(NEAR in word or may_be_folder(word) for word in said):
        return True
    names = dict.fromkeys(_names(said))
    if len(names) > MOST_NAMES:
        return True
    paths = (path for name in names for path in state.named(name) if not UNSAID.search(path))
    return any(_is_closed(path, state) and _is_path(path, state.place) for path in paths)


def _is_closed(path: str, state: State) -> bool:
    """As `paths.closed`, looked up once for the line."""
    return any(
        target.zone in ("test", "guarded") and not holds_root(target.path, state.place)
        for target in state.disk.targets(path)
    )


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
            yield from filter(None, (_UP.sub("", part) for part in UNSAID.split(text)[1:]))


def _is_path(path: str, place: Place) -> bool:
    """Whether a name is one; `test` is also what many programs are told to do."""
    start = place.cwd or place.root or ""
    return path != "test" or (place.disk.seen and os.path.lexists(Path(start) / path))


def holds_closed(words: Iterable[str], state: State) -> bool:
    """Whether one of these folders holds tests or guarded paths, or nobody can tell."""
    paths = [path for word in words for path in state.named(word)]
    return any(
        UNSAID.search(path) is not None
        or (state.disk.is_folder(path) and state.disk.below(path) != ())
        for path in paths[:MOST_PATHS]
    )
