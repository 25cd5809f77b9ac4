"""Where a test run of a line happened, and what steered it from outside its own words.

    whereabouts(event, runner, place)   empty: in the project root, and by nothing

A green run elsewhere, or of a runner that was told from outside which tests to leave out, says
nothing about a red one here. What cannot be told (`cd $X`) is kept as it is written: the same line
says the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from app.classification.arguments import command_of
from app.classification.paths import Place
from app.classification.shell import Member, split
from app.classification.testruns import Runner
from app.classification.vocabulary import words
from app.domain.events import Json

_MOVES: Final = words("cd pushd popd chdir")
_OPENING: Final = re.compile(r"^(?:[({!]+\s*|(?:then|do|else|if|while|until|time)\s+)+")
_UNSAID: Final = re.compile(r"[$`*?\[{~]")
# Options of a wrapper that put the runner elsewhere, and variables that runners take options from.
_STEERS: Final = re.compile(
    r"--(?:chdir|directory|project|prefix|cwd|workdir|root|rootdir|package)=.+"
    r"|(?:PYTEST_\w+|JEST_\w+|NODE_OPTIONS|NODE_PATH|PYTHONPATH|RUBYOPT|RUBYLIB|PERL5OPT|GOFLAGS"
    r"|PATH|SHELL|ENV|BASH_ENV|LD_PRELOAD|(?:GNU)?MAKEFLAGS|MFLAGS|TOX\w*|NOX\w*|(?:npm|NPM)_\w+"
    r"|VITEST_\w+|CARGO_\w+|MAVEN_\w+|GRADLE_\w+)=.+"
)
_FOLDER_OPTIONS: Final = words("-C --chdir --directory --project --prefix --cwd --workdir")
_CONTAINERS: Final = words("docker docker-compose podman ssh")


def whereabouts(arguments: Mapping[str, Json], runner: Runner, folder: str, place: Place) -> str:
    """The folder from the root, or absolute outside; then what steers the runner, as written.

    `folder` is the one that the tool was told to work in; empty: where the session does.
    """
    members = split(command_of(arguments))[: runner.place + 1]
    told = [folder, *(each for member in members[:-1] for each in _moved(member))]
    unsaid = [each for each in told if _UNSAID.search(each)]
    steering = [word for member in members for word in member.words if _STEERS.fullmatch(word)]
    steering += _put_elsewhere(members[-1].words) if members else []
    return " ".join([*filter(None, [_reached(told, place)]), *unsaid, *steering])


def _put_elsewhere(said: Sequence[str]) -> list[str]:
    """What of a command's own words puts the runner into another folder or another machine."""
    options = [f"{one} {two}" for one, two in pairwise(said) if one in _FOLDER_OPTIONS]
    return options + [word for word in said if word in _CONTAINERS]


def moves(arguments: Mapping[str, Json]) -> bool:
    """Whether a line may leave its session in another folder; cheap, and too often yes."""
    line = command_of(arguments)
    return "cd" in line or "pushd" in line or "popd" in line


def _moved(member: Member) -> Iterator[str]:
    """Where a command goes; `~` where it does not say, `-` and the like as they are written."""
    said = _OPENING.sub("", member.text).rstrip(") ").split()
    if not said or said[0] not in _MOVES:
        return
    operands = [word for word in said[1:] if not word.startswith("-") or word == "-"]
    where = operands[0].strip("'\"") if operands else "~"
    yield f"$({said[0]} {where})" if where == "-" or said[0] == "popd" else where


def _reached(told: list[str], place: Place) -> str:
    """The folder at the end, as far as it is said; from the root where it lies inside."""
    start = place.cwd or place.root
    known = [each for each in told if not _UNSAID.search(each)]
    if start is None:
        return os.path.normpath(Path(*known)) if any(known) else ""
    path = place.disk.real(os.path.normpath(Path(start, *known)))
    root = place.disk.real(os.path.normpath(place.root or start))
    return "" if path == root else path.removeprefix(f"{root.rstrip('/')}/")
