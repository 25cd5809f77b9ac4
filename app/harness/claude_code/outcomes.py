"""How a call in Claude Code's hooks ended.

    of_result(response)   PostToolUse: it ran
    of_error(payload)     PostToolUseFailure: it ran and failed
    of_text(text)         an item of PostToolBatch, where nothing else was heard of its end

A batch repeats the text that the model is shown and has no mark of failure, so its text says how a
call ended only where the call did not run; it never makes a success. The table holds for 2.1.197 to
2.1.332, and its first match decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.events import DeniedBy, Json, Outcome

FOREIGN: Final = "foreign_hook"
OUTAGE: Final = "hook_outage"  # a hook that had to answer did not
LOOKED_AT: Final = 2_000  # characters at the start of a text in which a refusal would show


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """An outcome; who said no, where somebody did; by which rule; the exit code, if one was told.

    A refusal by the harness has no rule: what a denial was about is counted by the paths of its
    call, as it is in session files.
    """

    outcome: Outcome = "unknown"
    denied_by: DeniedBy | None = None
    rule: str | None = None
    exit_code: int | None = None


BY_HARNESS: Final = Ending(outcome="denied", denied_by="harness")
UNKNOWN: Final = Ending()
ERROR: Final = Ending(outcome="error")

_OURS: Final = re.compile(
    r"(?:PreToolUse:[^\n]{0,300}? hook error: (?:\[[^\n\]]{1,300}\]: )?)?"
    r"\[floorboss (?:[0-9]+|-)\] ?([^\n]*)"
)
# What our own reasons say, by rule (app/domain/reasons.py); names in them are quoted, so that none
# of these words can come from an agent's path outside the quotes.
_REASONS: Final[tuple[tuple[str, str], ...]] = (
    ("the soft rule", "soft"),
    ("holds settings that no mode may write", "guarded"),
    ("has no use for the tool", "mode_tool"),
    ("is closed: a test run is red", "boundary"),
    ("is closed since notice", "boundary"),
    ("is outside what may be written", "mode_write"),
    ("commands that start with", "shell_denial"),
    ("the policy", "tool_verdict"),
    ("posture ", "posture"),
    ("mode ", "mode_shell"),
)
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_TEXTS: Final[tuple[tuple[re.Pattern[str], Ending], ...]] = tuple(
    (re.compile(pattern, re.DOTALL), ending)
    for pattern, ending in (
        (
            r"PreToolUse:[^\n]{0,300}? hook error: [^\n]{0,600}?"
            r'(?:blocking because onFailure is "block"|: timed out;)',
            Ending(outcome="blocked", rule=OUTAGE),
        ),
        (
            r"PreToolUse:[^\n]{0,300}? hook error: ",
            Ending(outcome="blocked", denied_by="controller", rule=FOREIGN),
        ),
        (r"Permission to use .{0,1500}? has been denied", BY_HARNESS),
        (r"Permission for this action was denied by the Claude Code auto mode", BY_HARNESS),
        (r"Auto mode is unavailable: ", BY_HARNESS),
        (r"Claude requested permissions? to ", BY_HARNESS),
        (
            r"This (?:Bash )?command (?:requires approval|contains multiple operations\.)",
            BY_HARNESS,
        ),
        (r"[^\n]{1,1000}? needs approval\. ", BY_HARNESS),
        (r"Cannot write to .{0,1500}? while in plan mode", BY_HARNESS),
        (r"[^\n]{1,1000}? was blocked\. For security, Claude Code may only ", BY_HARNESS),
        (r"<tool_use_error>File is in a directory that is denied", BY_HARNESS),
        (r"<tool_use_error>Sibling tool call errored", Ending(outcome="cancelled")),
        (r"<tool_use_error>", ERROR),
        (
            r"The user doesn't want to (?:proceed with this tool use|take this action right now)",
            Ending(outcome="denied", denied_by="person"),
        ),
    )
)
_TIMEOUT: Final = re.compile(r"(?:Exit code [0-9]+\s+)?Command timed out after ")
_EXIT_CODE: Final = re.compile(r"Exit code ([0-9]{1,10})\b")


def of_result(response: Json, *, aside: bool = False) -> Ending:
    """The end of a call that ran: well, or interrupted, or moved aside when its time was up.

    `aside`: the call asked to run in the background.
    """
    said = response if isinstance(response, dict) else {}
    if said.get("interrupted") is True:
        return Ending(outcome="interrupted")
    if isinstance(said.get("timedOutAfterMs"), int):
        return Ending(outcome="timeout")
    if said.get("backgroundedByUser") is True:
        return UNKNOWN  # it still runs
    if isinstance(said.get("backgroundTaskId"), str) and not aside:
        return Ending(outcome="timeout")  # 2.1.197 does not say how long it waited
    if said.get("is_error") is True or said.get("isError") is True:
        return ERROR
    return Ending(outcome="ok")


def runs_aside(arguments: Json) -> bool:
    """Whether a call asks to run in the background."""
    return isinstance(arguments, dict) and arguments.get("run_in_background") is True


def of_error(payload: Mapping[str, Json]) -> Ending:
    """The end of a call that ran and failed."""
    text = payload.get("error")
    text = text if isinstance(text, str) else ""
    found = _EXIT_CODE.match(text)
    code = int(found[1]) if found else None
    if payload.get("is_interrupt") is True:
        return Ending(outcome="interrupted", exit_code=code)
    if _TIMEOUT.match(text):
        return Ending(outcome="timeout", exit_code=code)
    return Ending(outcome="error", exit_code=code)


def of_text(text: str) -> Ending:
    """The end of a call that is known from its batch alone; `unknown` where the text says nothing.

    A text that begins with our mark is our refusal, and its words tell by which rule.
    """
    start = text[:LOOKED_AT]
    ours = _OURS.match(start)
    if ours:
        return Ending(outcome="blocked", denied_by="controller", rule=_rule(ours[1]))
    return next((ending for shape, ending in _TEXTS if shape.match(start)), UNKNOWN)


def _rule(reason: str) -> str | None:
    said = _QUOTED.sub("", reason)
    return next((rule for words, rule in _REASONS if words in said), None)
