"""How a call in a Claude Code session file ended: one ordered table, the first match decides.

Neither wording nor fields are promised by anyone; the order is the one in which real files of
1.0.24 to 2.1.114 could be told apart. A rejection that 2.0.5 stores as the person's bare words
cannot be told from output and counts as an error: denials from files are a lower bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import (
    BY_HARNESS,
    ERROR,
    FOREIGN,
    Ending,
    of_result,
    of_text,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a file says about the end of one call."""

    tool: str
    text: str
    failed: bool  # the result block says is_error
    extra: Json = None  # toolUseResult: an object, or a string for errors and denials
    denial: str | None = None  # toolDenialKind, in newer files
    hooked: bool = False  # a PreToolUse hook was seen running for this call
    aside: bool = False  # it asked to run in the background


BY_PERSON: Final = Ending(outcome="denied", denied_by="person")
BY_HOOK: Final = Ending(outcome="blocked", denied_by="controller", rule=FOREIGN)

_TIMEOUT: Final = re.compile(r"(?:Exit code [0-9]+\s+)?Command timed out after ")
_EXIT_CODE: Final = re.compile(r"Exit code ([0-9]{1,10})\b")


def ending(result: Result) -> Ending:
    """How the call ended: by the fields of the line, then by its text as in the hooks."""
    if not result.failed or _field(result, "returnCodeInterpretation"):
        return of_result(result.extra, aside=result.aside)
    told = of_text(result.text)
    if told.outcome not in ("unknown", "error"):
        return told
    return next(found for holds, found in ENDINGS if holds(result))


def exit_code(result: Result) -> int | None:
    """The exit code that the text of a failed call begins with, since 2.0.37."""
    code = _EXIT_CODE.match(result.text) if result.failed else None
    return int(code[1]) if code else None


def _field(result: Result, name: str) -> Json:
    return result.extra.get(name) if isinstance(result.extra, dict) else None


def _bare_hook(result: Result) -> bool:
    """2.1.39 stores a hook's bare reason; all that is left to see is that a hook ran."""
    plain = not result.text.startswith(("Exit code", "<tool_use_error>"))
    return result.hooked and result.tool == "Bash" and plain


# What the text does not tell. A refusal tagged as the user's may be the harness's in headless mode;
# then its text has told so above.
ENDINGS: Final[tuple[tuple[Callable[[Result], bool], Ending], ...]] = (
    (lambda r: _field(r, "interrupted") is True, Ending(outcome="interrupted")),
    (lambda r: r.denial == "user-rejected", BY_PERSON),
    (lambda r: r.denial in ("permission-rule", "automode-blocked"), BY_HARNESS),
    (lambda r: r.extra == "User rejected tool use", BY_PERSON),
    (lambda r: bool(_TIMEOUT.match(r.text)), Ending(outcome="timeout")),
    (_bare_hook, BY_HOOK),
    (lambda _: True, ERROR),
)
