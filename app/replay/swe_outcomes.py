"""How a step of SWE-agent or mini-swe-agent ended: by its exit code, else by what was observed."""

from __future__ import annotations

import re
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import ERROR, Ending
from app.replay.lines import Fields, object_of, texts

GATE: Final = Ending(outcome="blocked", denied_by="harness", rule="edit_gate")
TIMEOUT: Final = Ending(outcome="timeout")

_RETURNED: Final = re.compile(r"<returncode>(-?[0-9]{1,10})</returncode>")
_DONE: Final = re.compile(r"///PROCESS-DONE:(-?[0-9]{1,10}):PROCESS-DONE///\s*$")
_GATE: Final = re.compile(
    r"Your proposed edit has introduced new syntax error|Your changes have NOT been applied"
)
_TIMEOUT: Final = re.compile(
    r"EXECUTION TIMED OUT\s*$|was cancelled because it took more than"
    r"|^(?:The last )?command .*timed out and has been killed",
    re.MULTILINE,
)
_REFUSED: Final = re.compile(r"^Operation '.*' is not supported by this environment")
_FAILED: Final = re.compile(r"^Traceback \(most recent call last\):|: command not found\s*$", re.M)


def ended(observation: Json, *, shell: bool) -> Fields:
    """The end of a step as an event tells it; `shell`: it was a line for a shell."""
    text, code = _read(observation)
    end = _ending(text, code, shell=shell)
    return {
        "outcome": end.outcome,
        "denied_by": end.denied_by,
        "rule": end.rule,
        "exit_code": code,
        "result": text,
    }


def _read(observation: Json) -> tuple[str, int | None]:
    """What was observed, and the exit code where there is one."""
    message = object_of(observation)
    text = texts(message.get("content")) if message else texts(observation)
    extra = object_of(message.get("extra"))
    returned = extra.get("returncode")
    if type(returned) is int:
        raw = extra.get("raw_output")
        return (raw if isinstance(raw, str) else text), returned
    found = _RETURNED.search(text) or _DONE.search(text)
    return (_output(text) if found else text), (int(found[1]) if found else None)


def _output(text: str) -> str:
    """What stands between the marks of an output; the whole text where there are none."""
    _, begins, rest = text.partition("<output>")
    inner, ends, _ = rest.rpartition("</output>")
    return inner.strip("\n") if begins and ends else text


def _ending(text: str, code: int | None, *, shell: bool) -> Ending:
    if _TIMEOUT.search(text):
        return TIMEOUT
    if code is not None:
        return Ending(outcome="ok") if code == 0 else ERROR
    if not shell and _GATE.search(text):
        return GATE
    if _REFUSED.match(text):
        return Ending(outcome="blocked", denied_by="harness")
    return ERROR if shell and _FAILED.search(text) else Ending(outcome="ok")
