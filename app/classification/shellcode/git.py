"""git: options before the subcommand, and the files that a subcommand names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple

from app.classification.shellcode.options import told_apart
from app.classification.shellcode.reach import Reached, reached
from app.classification.shellcode.state import State, Words
from app.classification.shellcode.tables import SETTINGS

_PLAIN: Final = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})
_NAMING: Final = frozenset({"checkout", "restore", "rm", "mv", "stash", "reset", "clean"})
_FLAGS: Final[dict[str, frozenset[str]]] = {
    "checkout": frozenset({"f", "q", "p", "force", "quiet", "ours", "theirs"}),
    "clean": frozenset({"f", "d", "q", "n", "force", "quiet", "dry-run"}),
    "mv": frozenset({"f", "k", "n", "v", "force", "verbose"}),
    "reset": frozenset({"q", "quiet"}),
    "restore": frozenset({"q", "S", "W", "p", "staged", "worktree", "quiet", "ours", "theirs"}),
    "rm": frozenset({"f", "r", "q", "n", "force", "cached", "quiet", "ignore-unmatch"}),
    "stash": frozenset({"u", "q", "k", "include-untracked", "quiet", "keep-index"}),
}
_VALUED: Final[dict[str, frozenset[str]]] = {
    "restore": frozenset({"s", "source"}),
    "stash": frozenset({"m", "message"}),
}


# What git itself looks up in its history, whatever lies in the folder now.
_OPEN_ENDED: Final = re.compile(r"^:|[*?\[\x03\x04]")


class Plain(NamedTuple):
    """A git command without the options before its subcommand, and where it works."""

    words: Words
    state: State
    bent: bool = False  # by a setting or another folder of git's own


def plain(words: Words, state: State) -> Plain:
    """The command as `git SUBCOMMAND ...`; `-C` is followed like `cd`."""
    bent = False
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        option, _, value = rest[0].partition("=")
        if option in _PLAIN or (option in ("--git-dir", "--work-tree") and value == ".git"):
            rest = rest[1:]
        elif option == "-C" and len(rest) > 1:
            state = replace(state, folders=state.named(rest[1]))
            rest = rest[2:]
        elif option == "-c" and len(rest) > 1:
            bent = bent or not SETTINGS.fullmatch(rest[1])
            rest = rest[2:]
        elif option in ("--version", "--help") and len(rest) == 1:
            break
        else:
            bent = True
            rest = rest[2:] if option in _TAKING and "=" not in rest[0] else rest[1:]
    return Plain(("git", *rest), state, bent)


_TAKING: Final = frozenset(
    {"--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
)


def restored(words: Words, state: State) -> Reached:
    """The files a git command names, where it names files and nothing else; else none."""
    subcommand, rest = words[1], words[2:]
    if subcommand not in _NAMING:
        return Reached()
    named = _named(subcommand, rest, state)
    if not named or any(_OPEN_ENDED.search(word) for word in named):
        return Reached()
    if any(state.disk.is_folder(path) for word in named for path in state.named(word)):
        return Reached()
    found = reached(named, state)
    return Reached() if found.unsure else found


def _named(subcommand: str, rest: Words, state: State) -> Words:
    if subcommand == "stash" and rest[:1] != ("push",):
        return ()
    told = told_apart(
        rest[1:] if subcommand == "stash" else rest,
        _FLAGS[subcommand],
        _VALUED.get(subcommand, frozenset()),
    )
    if told is None:
        return ()
    if "--" in rest:
        return rest[rest.index("--") + 1 :]
    if subcommand in ("rm", "mv", "restore", "clean"):
        return told.operands
    files = [word for word in told.operands if _is_file(word, state)]
    refs = len(told.operands) - len(files)
    return tuple(files) if files and refs <= _REFS[subcommand] else ()


def sets(words: Words) -> bool:
    """Whether a command sets what git itself reads, other than a name on commits."""
    named = words[1:2] == ("config",) and not set(words) & {"user.name", "user.email"}
    return words[1:2] == ("config",) and (named or "--global" in words or "--system" in words)


def created(words: Words, state: State) -> Reached | None:
    """The folder that `git clone`, `init` and `worktree add` make; None: another command."""
    subcommand, rest = words[1], words[2:]
    if words[1:3] == ("worktree", "add"):
        rest = words[3:]
    elif subcommand not in ("clone", "init"):
        return None
    told = told_apart(rest, *_CREATING[subcommand])
    if told is None or not told.operands:
        return None
    folder = told.operands[1 if subcommand == "clone" else 0 :][:1]
    return reached(folder or (_by_address(told.operands[0]),), state, deep=True)


def _by_address(address: str) -> str:
    return address.rstrip("/").removesuffix(".git").rpartition("/")[2] or address


_CREATING: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "clone": (
        frozenset("qvln") | {"quiet", "recursive", "recurse-submodules", "single-branch", "bare"},
        frozenset("bo") | {"depth", "branch", "origin", "filter"},
    ),
    "init": (frozenset("q") | {"quiet", "bare"}, frozenset("b") | {"initial-branch"}),
    "worktree": (frozenset("fqd") | {"force", "quiet", "detach", "track"}, frozenset("bB")),
}
_REFS: Final = {"checkout": 1, "reset": 1, "stash": 0}


def _is_file(word: str, state: State) -> bool:
    return all(state.disk.is_file(path) for path in state.named(word))
