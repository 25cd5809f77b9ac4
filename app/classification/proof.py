"""Whether the success of a shell line says that the test run in it succeeded.

    proves(event, line, at, shown)   the run is the member `at` of the line

A line can end before its run, skip it, send it to the background, put something else in its place,
or print a summary of its own. Such a line may tell of failures, and never of success: on a green
run the tests open again. Where the line's exit status is another command's, all that is left is
the text, and then nothing in the line may make or cut any. What a script does that a line starts,
no line shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.classification.failing import passed_count
from app.classification.recognition import command
from app.classification.shell import Member, split
from app.classification.testwrapping import conditional
from app.classification.vocabulary import words
from app.domain.events import Event

_BACKGROUND: Final = "run_in_background"
_DIVERTS: Final = words(
    "exit exec return trap alias unalias eval kill logout hash enable builtin"
    " if then else elif do while until for case select ! function"
)
_DEFINES: Final = re.compile(r"^function\b|\(\s*\)|<<")
_NO_EXECUTION: Final = re.compile(r"-\w*n|noexec")
_ACTIVATES: Final = re.compile(r"(?:^|/)bin/activate$")
# Commands that print nothing in which a summary could be, and files that only show one.
_QUIET: Final = words(
    "cd pushd popd export unset set shopt source . true : sleep mkdir rm touch clear wait pwd date"
    " ls"
)
_SAYS: Final = words("echo printf exit")
_WHOLE: Final = words("tail cat tee less more")  # what they show has the end of the text
_LINES: Final = words("grep egrep rg head")  # these show some of its lines
_CUTS: Final = re.compile(
    r"-[a-zA-Z]*[orvcLlqZz]|--(?:only|invert|replace|count|files|quiet|null).*"
)
_ONE_LINE: Final = words("pytest cargo rspec dotnet")  # a summary tells of both in one line
_TELLS: Final = re.compile(r"pass|exampl|ran\b|run:|\\[0-9x]", re.IGNORECASE)
_EXPANDS: Final = re.compile(r"\$(?!\?|\{PIPESTATUS\[[0-9@]\]\}|(?:rc|code|status|ec|ret)\b)|`")
_KEEPS_STATUS: Final = re.compile(r"\w+=(?:\$\?|\$\{PIPESTATUS\[[0-9]\]\})")
_TO_FILE: Final = re.compile(r"(?<![0-9<>&-])(?:[1&]?>{1,2}\|?)\s*(?!&)(\S+)")
_MERGES: Final = re.compile(r"\d?>\s*(?:&\d|/dev/null)")
_SILENT: Final = re.compile(r"(?:^|\s)(?:-\w*q\w*q\w*|--no-summary)(?=\s|$)|\s-q\s.*-q\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a run's text has to stand for: its program, and whether its exit status is hidden."""

    program: str
    hidden: bool
    handed: bool = False  # another shell is handed the line in which it runs


def proves(event: Event, line: str, at: int, shown: Shown) -> bool:
    """Whether the line runs its member `at` in any case, waits for it, and tells how it ended."""
    members = split(line)
    before, behind = members[:at], members[at:]
    return not (
        event.arguments.get(_BACKGROUND)
        or shown.handed
        or conditional(members[at])
        or any(member.joiner == "&" for member in behind)
        or (before and before[-1].joiner == "||")
        or any(map(_diverts, before))
        or passed_count(line)
        or (shown.hidden and not _shows(event, before, behind, shown.program))
    )


def _diverts(member: Member) -> bool:
    """Whether a command may end the line, or make another one of what follows."""
    program = (member.words[0] if member.words else member.text.partition(" ")[0]).lstrip("(")
    program = program or "".join(member.words[1:2])
    stops = program == "set" and any(map(_NO_EXECUTION.fullmatch, member.words[1:]))
    reads = program in ("source", ".") and not any(map(_ACTIVATES.search, member.words[1:]))
    return program in _DIVERTS or stops or reads or _DEFINES.search(member.text) is not None


def _shows(event: Event, before: Sequence[Member], behind: Sequence[Member], program: str) -> bool:
    """Whether the text of a line whose status is another's has the summary of its run."""
    run, later = behind[0], behind[1:]
    end = 0
    joiner = run.joiner
    while joiner == "|" and end < len(later):
        joiner = later[end].joiner
        end += 1
    filters, rest = later[:end], later[end:]
    file = _file_of(run)
    if _SILENT.search(run.text) or (file is not None and filters):
        return False
    seen = rest if file is None else _without_view(rest, file, program)
    if seen is None:
        return False
    skippable = any(member.joiner == "&&" for member in before)
    untold = skippable and (seen or event.outcome != "ok")
    return (
        all(_passes_on(member, program) for member in filters)
        and all(map(_is_quiet, seen))
        and (not untold or all(map(_is_quiet, before)))
    )


def _file_of(run: Member) -> str | None:
    """The file into which a run prints instead; None: it prints where the line does."""
    found = _TO_FILE.search(_MERGES.sub(_only_descriptors, run.text))
    return None if found is None else found[1]


def _only_descriptors(found: re.Match[str]) -> str:
    """Of `2>&1` and `2>/dev/null` nothing is left; `> /dev/null` takes the text away."""
    text = found[0]
    return "" if "&" in text or text.startswith("2") else text


def _without_view(rest: Sequence[Member], file: str, program: str) -> Sequence[Member] | None:
    """What follows a run into a file, without the command that shows it; None: none does."""
    for at, member in enumerate(rest):
        said = command(member)
        if said[-1:] == (file,) and _passes_on(member, program):
            ends = member.joiner != "|"
            return (*rest[:at], *rest[at + 1 :]) if ends else None
    return None


def _passes_on(member: Member, program: str) -> bool:
    """Whether a command shows the summary it reads as it is, or not at all."""
    said = command(member)
    if not said or _TO_FILE.search(_MERGES.sub("", member.text)):
        return False
    if said[0] in _LINES:
        return program in _ONE_LINE and not any(map(_CUTS.fullmatch, said[1:]))
    return said[0] in _WHOLE


def _is_quiet(member: Member) -> bool:
    """Whether a command prints nothing that could be taken for a summary."""
    said = command(member)
    if not said:
        return _KEEPS_STATUS.fullmatch(member.text) is not None
    if said[0] in _SAYS:
        return not _TELLS.search(member.text) and not _EXPANDS.search(member.text)
    return said[0] in _QUIET and "$(" not in member.text and "`" not in member.text
