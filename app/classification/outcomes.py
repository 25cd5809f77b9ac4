"""Whether a call failed: exit codes that are answers do not, hidden failures do.

    failed(event, cls, line, text, run)

docs/detection.md 1.5 says what these lists are for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from app.classification.recognition import command, working
from app.classification.remembering import remembered
from app.classification.shell import Member, split
from app.classification.vocabulary import folded, holds, words
from app.domain.calls import TestRun, ToolClass
from app.domain.events import Event

_SAID_CODE = re.compile(r"^(?:Exit code:?|exit=|rc=)\s*(-?\d+)", re.MULTILINE)
_TIMED_OUT = 124  # what timeout(1) returns

# Exit codes that are answers, by program or by its first words (docs/detection.md 1.5).
_ANSWERS: Final[Mapping[str, tuple[int, ...]]] = {
    **dict.fromkeys(
        words(
            "grep egrep fgrep rg ag ack ugrep diff cmp test [ [[ which command type pgrep pidof"
            " lsof fuser expr ruff eslint flake8 pylint mypy pyright black prettier isort"
            " shellcheck rubocop stylelint golangci-lint biome find"
        ),
        (1,),
    ),
    "jq": (1, 4),
    "gh": (8,),
    "getent": (2,),
    "systemctl": (3, 4),
    "rsync": (24,),
    "git diff": (1,),
    "git grep": (1,),
    "git merge-base": (1,),
    "git check-ignore": (1,),
    "git config": (1,),
    "npm outdated": (1,),
    "pnpm outdated": (1,),
    "yarn outdated": (1,),
    "terraform plan": (2,),
    "cargo clippy": (101,),
}
_WAITING: Final = frozenset({7, 22, 28, 52, 56})  # curl, while a line waits for a server
_SIGPIPE = 141
_ONLOOKERS: Final = words(
    "cat tail head grep rg sed awk less find ls git journalctl echo printf jq cut sort wc diff gh"
    " kubectl docker curl"
)
_ERROR_TEXT = re.compile(
    r"^[ \t]*(?:error|fatal|exception|traceback)\b|: (?:error|fatal):|No such file|not found",
    re.IGNORECASE | re.MULTILINE,
)
_HARD_LINE = re.compile(
    r"^[ \t]*(?:\S+:\d+(?::\d+)?:?\s*)?(?:error|fatal)\b|error TS\d|error CS\d|error C9?\d"
    r"|error\[E\d|^[ \t]*\[ERROR\]|^npm (?:error|ERR!)|make(?:\[\d+\])?: \*\*\*|BUILD FAIL"
    r"|^Traceback|^FAILED\b",
    re.IGNORECASE | re.MULTILINE,
)
_TOLD = re.compile(
    r"<tool_use_error>|^\s*(?:error|exception)\b"
    r'|"is_error"\s*:\s*true|"success"\s*:\s*false|"ok"\s*:\s*false|"error"\s*:\s*(?:"[^"]|\{)',
    re.IGNORECASE,
)
_HARD_HINTS = ("error", "fatal", "npm err!", ": ***", "build fail", "traceback", "failed")
_TOLD_HINTS = ("error", "exception", '"success"', '"ok"')
_TOLD_WITHIN = 300  # characters at the start of an answer
_TELLING: Final = frozenset({"read", "search", "web", "subagent", "mcp", "other"})


def exit_code(event: Event) -> int | None:
    """The exit code a harness reported, as its own field or in the first lines of the text."""
    if event.exit_code is not None:
        return event.exit_code
    found = _SAID_CODE.search((event.result or "")[:_TOLD_WITHIN])
    return int(found.group(1)) if found else None


def failed(event: Event, cls: ToolClass, line: str | None, text: str, run: TestRun | None) -> bool:
    """Whether what came of a call counts as a failure; `line` is its command, if it has one."""
    if event.outcome == "timeout":
        return True
    if event.outcome == "error":
        return line is None or not answers(line, exit_code(event), text)
    if event.outcome != "ok" or run is not None:
        return run is not None and run.result == "red" and event.outcome == "ok"
    if line is None:
        return cls in _TELLING and _found(_TOLD, _TOLD_HINTS, text[:_TOLD_WITHIN])
    return _swallowed(line) and _found(_HARD_LINE, _HARD_HINTS, text)


def _found(pattern: re.Pattern[str], hints: tuple[str, ...], text: str) -> bool:
    """Whether a pattern is in a text; every match of it holds one of the hints."""
    return holds(folded(text), hints) and pattern.search(text) is not None


def answers(line: str, code: int | None, text: str) -> bool:
    """Whether an exit code is the answer of the command whose status the shell returned."""
    members = [member for member in split(line) if command(member)]
    deciding = _deciding(members, "pipefail" in line)
    if code is None:
        return not _ERROR_TEXT.search(text) and any(1 in _codes(m, line) for m in deciding)
    if code == _SIGPIPE:
        return "|" in line
    return any(code in _codes(member, line) for member in deciding)


def _deciding(members: Sequence[Member], pipefail: bool) -> list[Member]:
    """The members whose status a line may return: the last and those before `&&`, or `|`."""
    last = len(members) - 1
    passing = ("&&", "|") if pipefail else ("&&",)
    return [m for at, m in enumerate(members) if at == last or m.joiner in passing]


def _codes(member: Member, line: str) -> frozenset[int]:
    said = [word for word in command(member) if not word.startswith("-")]
    if not said:
        return frozenset()
    if said[0] == "curl":
        return _WAITING if re.search(r"\b(?:sleep|until|while|wait)\b", line) else frozenset()
    return frozenset(_ANSWERS.get(" ".join(said[:2]), ()) or _ANSWERS.get(said[0], ()))


@remembered
def _swallowed(line: str) -> bool:
    """Whether a line's status says nothing about the program it is about."""
    if looks_on(line):
        return False
    everything = split(line)
    piped = any(member.joiner == "|" for member in everything) and "pipefail" not in line
    hidden = any(
        command(after)[:1] in (("echo",), ("true",)) and before.joiner in (";", "||", "\n")
        for before, after in pairwise(everything)
    )
    return piped or hidden


@remembered
def looks_on(line: str) -> bool:
    """Whether the program a line is about only shows what others did, or there is none."""
    members = working(line)
    first = command(members[0]) if members else ()
    return not first or first[0] in _ONLOOKERS


def timed_out(event: Event, line: str | None) -> bool:
    """Whether the harness's clock ended a call, or timeout(1) did and said so by its exit code."""
    if event.outcome == "timeout":
        return True
    killed = event.outcome == "error" and exit_code(event) == _TIMED_OUT
    return killed and line is not None and re.search(r"\btimeout\s", line) is not None
