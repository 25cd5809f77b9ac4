"""What an event is and what came of it: the reading that is stored beside it.

    read(event, does)   fills every field of a Reading that text can tell

An attempt has no result yet; what is read from results stays empty for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.classification.arguments import command_of, path_of, shortened
from app.classification.builds import build_of, tests_of
from app.classification.edits import edit_of, undoes
from app.classification.errno import forbidden
from app.classification.errors import error_of
from app.classification.identity import identity
from app.classification.marks import spelt_alike
from app.classification.outcomes import failed, timed_out
from app.classification.prompts import by_person
from app.classification.recognition import mutates, pace, patch_of
from app.classification.results import SHORT, read_over, result_digest
from app.classification.shellcode.found import Effects
from app.classification.testruns import recognise, run_of
from app.classification.tools import acts, is_drain, is_poll, last_part, tool_class
from app.domain.calls import ERRORS_OF, BuildRun, Pace, Reading, ToolClass
from app.domain.events import Event, Json
from app.domain.replacing import replace

MARKS = 5  # path and URL tokens of one call that a denial is counted by
_BLANK = Reading(tool_class="other", identity="")  # copied and filled, which is quicker than made
_TALK = Reading(tool_class="talk", identity="", effects=("talk",))
RANGE = 2_000  # lines a ranged read covers that names no limit
_TOKEN = re.compile(r"https?://[^\s'\"<>|;)]+|(?<![\w.])(?:~|\.{1,2})?/[\w.@%+~-][^\s'\"<>|;)]*")
_OURS = re.compile(r"\[floorboss \d+\]")


def read(event: Event, does: Effects) -> Reading:
    """The reading of one event; what a call does and where it writes is found by effects.py."""
    if event.kind == "prompt":
        return replace(_TALK, person=by_person(event))
    if event.kind not in ("tool", "attempt"):
        return _TALK
    named = tool_class(event.tool or "", event.arguments)
    line = command_of(event.arguments) if named == "shell" else None
    call = _call(event, does, class_of(named, line), line)
    return call if event.kind == "attempt" else _with_result(event, call, line)


def class_of(named: ToolClass, line: str | None) -> ToolClass:
    """The class of a call of a tool of this class: a shell line may be a test run or an edit."""
    if line is None:
        return named
    if patch_of(line) is not None:
        return "edit"
    return "shell" if recognise(line) is None else "test"


def _call(event: Event, does: Effects, cls: ToolClass, line: str | None) -> Reading:
    """What the call's tool and arguments say, before anything came of it."""
    tool, arguments = event.tool or "", event.arguments
    reading = replace(
        _BLANK,
        tool_class=cls,
        identity=identity(tool, cls, arguments),
        pace=_pace(event, cls, line),
        marks=_marks(event, line),
        effects=does.effects,
        targets=does.targets,
        part=does.part,
    )
    if cls in ("edit", "write"):
        return _edit(event, reading, line)
    lines = _lines(event) if cls == "read" else None
    return replace(
        reading,
        changes=mutates(line) if line is not None else acts(tool, arguments),
        path=_path(path_of(arguments)) if lines else None,
        lines=lines,
    )


def _edit(event: Event, reading: Reading, line: str | None) -> Reading:
    edit = edit_of(event.arguments, patch_of(line) if line is not None else None)
    if undoes(event.arguments):  # a change each time, so no digest to recognise it by
        return replace(reading, changes=True, path=_path(edit.path))
    place = _path(edit.path)
    return replace(reading, changes=True, path=place, edit=edit.edit, reverse=edit.reverse)


def _path(path: str | None) -> str | None:
    return None if path is None else shortened(path)


def _pace(event: Event, cls: ToolClass, line: str | None) -> Pace:
    if line is not None:
        return "work" if cls in ("test", "edit") else pace(line)
    tool = event.tool or ""
    if is_drain(tool):
        return "drain"
    return "poll" if is_poll(tool, event.arguments) else "work"


def _lines(event: Event) -> tuple[int, int] | None:
    """The first and last ten lines that a ranged read asks for."""
    offset, limit = _range(event.arguments)
    if not _number(offset) or path_of(event.arguments) is None:
        return None
    first = int(str(offset))
    count = int(str(limit)) if _number(limit) else RANGE
    return first // 10, (first + max(1, count) - 1) // 10


def _range(arguments: Mapping[str, Json]) -> tuple[Json, Json]:
    """Where a read begins and how many lines it takes, in either of the two ways to say it."""
    start, end = arguments.get("start_line"), arguments.get("end_line")
    if not _number(start):
        return arguments.get("offset"), arguments.get("limit")
    return start, int(str(end)) - int(str(start)) + 1 if _number(end) else None


def _number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9


def _marks(event: Event, line: str | None) -> tuple[str, ...]:
    """What a denial was about: the rule, and the first paths and addresses of the call."""
    if event.outcome != "denied":
        return ()
    values = [line] if line is not None else list(event.arguments.values())
    text = " ".join(value for value in values if isinstance(value, str))
    tokens = list(dict.fromkeys(map(spelt_alike, _TOKEN.findall(text))))[:MARKS]
    rule = [f"rule {event.rule}"] if event.rule else []
    return (*rule, *tokens)


def _with_result(event: Event, call: Reading, line: str | None) -> Reading:
    text, answer = read_over(event.result or "")
    run = run_of(event, line, text) if line is not None and call.tool_class == "test" else None
    build = _build(event, call, line, text, answer)
    fails = failed(event, call.tool_class, line, text, run)
    answered = event.result is not None
    return replace(
        call,
        digest=result_digest(_answering(event, line), answer) if answered else None,
        short=answered and len(answer) < SHORT,
        failed=fails,
        refused=fails and forbidden(text),
        timed_out=timed_out(event, line),
        changes=call.changes and event.outcome == "ok" and not fails,
        error=_error(call, answer, build) if fails or call.pace != "work" else None,
        test=run,
        build=build,
        ours=_ours(event),
    )


def _build(
    event: Event, call: Reading, line: str | None, text: str, answer: str
) -> BuildRun | None:
    """What a shell line built or checked, or which tests another tool ran."""
    if line is not None:
        return build_of(event, line, text, answer) if call.tool_class == "shell" else None
    return tests_of(event, text) if call.tool_class in ("mcp", "other") else None


def _answering(event: Event, line: str | None) -> str:
    return "shell" if line is not None else last_part(event.tool or "")


def _error(call: Reading, answer: str, build: BuildRun | None) -> str | None:
    """The error of a failed call, or the one that a call which waits or looks on was shown.

    That of a build is all of its errors, wherever they stand.
    """
    if call.tool_class not in ERRORS_OF:
        return None
    if build is not None and build.names and build.digest is not None:
        return build.digest
    return error_of(answer)


def _ours(event: Event) -> bool:
    """Whether a block was this controller's: by its own mark, or as the harness names it."""
    if event.outcome != "blocked":
        return False
    named = event.denied_by == "controller" and event.rule not in (None, "foreign_hook")
    return named or bool(_OURS.search(event.result or ""))
