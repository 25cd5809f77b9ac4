"""Whether the success of a shell line says that the test run in it succeeded.

    proves(event, line, at)   the run is the member `at` of the line

A line can end before its run, skip it, send it to the background, put something else in its place,
or print a summary of its own. Such a line may tell of failures, and never of success: on a green
run the tests open again. What a script does that a line starts, no line shows.
"""

from __future__ import annotations

import re
from typing import Final

from app.classification.failing import passed_count
from app.classification.shell import Member, split
from app.classification.vocabulary import words
from app.domain.events import Event

_BACKGROUND: Final = "run_in_background"
_DIVERTS: Final = words("exit exec return trap alias unalias eval kill logout")
_DEFINES: Final = re.compile(r"^function\b|\(\s*\)")
_NO_EXECUTION: Final = re.compile(r"-\w*n|noexec")


def proves(event: Event, line: str, at: int) -> bool:
    """Whether the line runs its member `at` in any case, and waits for it."""
    members = split(line)
    before, behind = members[:at], members[at:]
    return not (
        event.arguments.get(_BACKGROUND)
        or any(member.joiner == "&" for member in behind)
        or (before and before[-1].joiner == "||")
        or any(map(_diverts, before))
        or passed_count(line)
    )


def _diverts(member: Member) -> bool:
    """Whether a command may end the line, or make another one of what follows."""
    program = member.words[0] if member.words else ""
    stops = program == "set" and any(map(_NO_EXECUTION.fullmatch, member.words[1:]))
    return program in _DIVERTS or stops or _DEFINES.search(member.text) is not None
