"""The effect of a shell line: what each of its commands does, and where it writes.

    line_effects(line, place, folder)   effects, targets with their zones, the unvouched part
    commands_of(line)                   its simple commands, for a policy's denials

The line is parsed (syntax.py), its statements are walked with what is known at each of them
(walk.py, state.py), and each simple command is looked up in the tables (simple.py). What cannot be
told is unknown, and closed where a test or a guarded path may be behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.classification.paths import Place
from app.classification.shell import split
from app.classification.shellcode.disk import Disk
from app.classification.shellcode.documents import cut
from app.classification.shellcode.found import (
    Effects,
    Findings,
    TooMuchError,
    UnreadableError,
    together,
    unknown,
)
from app.classification.shellcode.marks import ANY, shown
from app.classification.shellcode.state import State
from app.classification.shellcode.unread import unread
from app.classification.shellcode.walk import read_text, read_uncalled
from app.classification.shellcode.wrapping import wrapped

LONGEST: Final = 16_000  # characters of a line that is parsed
TEXT: Final = 200_000  # characters of a line whose quoted documents are cut to make it shorter
_CONTINUED: Final = re.compile(r"(?<=[^\s\\])\\\n(?=[^\s])")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_HALVES: Final = re.compile("[\ud800-\udfff]")  # of characters: no shell is handed one
_QUOTING: Final = re.compile(r"['\"#]|<<")


def line_effects(line: str, place: Place, folder: str = "") -> Effects:
    """The effects of all parts of a line, its known targets, and the first unvouched part."""
    return together(_found(line, place, folder).parts)


def commands_of(line: str) -> tuple[str, ...]:
    """The simple commands of a line without assignments and wrappers, for a policy's denials."""
    found = _found(line, Place(root=None, cwd=None), "")
    guessed = _guessed(line) if found.broken_off else ()
    return tuple(dict.fromkeys((*map(shown, found.commands), *guessed)))


def _guessed(line: str) -> Iterator[str]:
    """The commands of a line that cannot be read to its end, as they look."""
    for member in split(line[:TEXT]):
        words = tuple(member.text.strip("({! )").split())
        while words:
            behind = wrapped(words)
            if behind is None and not _ASSIGNMENT.match(words[0]):
                break
            words = behind.words if behind else words[1:]
        if words:
            yield " ".join(words)


def _found(line: str, place: Place, folder: str) -> Findings:
    """What is found in a line; where it cannot be read to its end, that is a part, too."""
    findings = Findings()
    state = _at_first(place, folder, findings)
    text = _readable(line)
    try:
        if text is None:
            raise UnreadableError
        read_text(text, state)
        read_uncalled(state)
    except TooMuchError:
        findings.break_off(unknown(line, closed=True))
    except (UnreadableError, RecursionError):
        findings.break_off(_unread(line, _at_first(place, folder, findings)))
    return findings


def _at_first(place: Place, folder: str, findings: Findings) -> State:
    return State(disk=Disk(place), findings=findings, folders=(folder,))


def _unread(line: str, state: State) -> Effects:
    """What a line that is not read comes to; what names too much may name anything."""
    try:
        return unread(line, state)
    except TooMuchError:
        return unknown(line, closed=True)


def _readable(line: str) -> str | None:
    """The line as it is parsed; None where it is too long, or holds our own signs."""
    if ANY.search(line) or _HALVES.search(line):
        return None
    if len(line) > LONGEST:
        line = cut(line) if len(line) <= TEXT else line
    if _CONTINUED.search(line):
        if _QUOTING.search(line):
            return None
        line = line.replace("\\\n", "")
    return line if len(line) <= LONGEST else None
