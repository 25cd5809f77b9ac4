"""How a call in a Codex rollout ended: by the exit code that its output carries, else by its text.

The output of a call has had four shapes so far:

    JSON in a string   {"output": ..., "metadata": {"exit_code": N, "duration_seconds": F}}
    a head and text    Wall time: F seconds / Process exited with code N / Output:
    parts              [{"type": "input_text", "text": ...}], or one of them
    plain text         refusals, time-outs and faults of the harness itself

Only the last has nothing but words. "failed in sandbox" is mostly an ordinary non-zero exit, so it
is an error and no denial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from app.domain.events import Json
from app.harness.claude_code.outcomes import BY_HARNESS, ERROR, FOREIGN, UNKNOWN, Ending, of_text
from app.replay.lines import Fields, amount, object_of, taken, texts

BY_PERSON: Final = Ending(outcome="denied", denied_by="person")
BY_HOOK: Final = Ending(outcome="blocked", denied_by="controller", rule=FOREIGN)
OK: Final = Ending(outcome="ok")
OURS: Final = "[floorboss "
HEAD: Final = 400  # characters within which the harness's own head of an output ends

_EXITED: Final = re.compile(r"^Process exited with code (-?[0-9]{1,10})$", re.MULTILINE)
_RUNNING: Final = re.compile(r"^Process running with session ID ", re.MULTILINE)
_WALL: Final = re.compile(r"^Wall time: ([0-9]{1,9}(?:\.[0-9]+)?) seconds$", re.MULTILINE)
_SANDBOX: Final = re.compile(
    r"failed in sandbox \S+ with execution error: .*exit code: ([0-9]{1,10})"
)
_HOOK: Final = "Command blocked by PreToolUse hook: "

# What the harness says in place of an output, by how the text begins; the first match decides.
REFUSALS: Final[tuple[tuple[str, Ending], ...]] = (
    ("exec command rejected by user", BY_PERSON),
    ("patch rejected by user", BY_PERSON),
    ("approval policy is Never; reject command", BY_HARNESS),
    ("patch rejected: writing outside of the project", BY_HARNESS),
    ("aborted by user after", Ending(outcome="interrupted")),
    ("command timed out", Ending(outcome="timeout")),
    ("patch rejected:", ERROR),
    ("tool call error:", ERROR),
    ("execution error:", ERROR),
    ("error: ", ERROR),
    ("unsupported call:", ERROR),
    ("failed to parse function arguments", ERROR),
    ("apply_patch verification failed", ERROR),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What an output says: text as the model saw it, and what stood in fields beside it."""

    text: str
    exit_code: int | None = None
    seconds: float | None = None
    success: bool | None = None


def ended(output: Json, noted: Fields) -> Fields:
    """The end of a call as an event tells it; `noted`: what lines before its output said of it."""
    read = _read(output)
    end = _ending(read)
    if end.outcome in ("ok", "error") and noted.get("outcome") is not None:
        return {"result": read.text, "duration_ms": _milliseconds(read)} | noted
    return {
        "outcome": end.outcome,
        "denied_by": end.denied_by,
        "rule": end.rule,
        "exit_code": read.exit_code if end.exit_code is None else end.exit_code,
        "result": read.text,
        "duration_ms": noted.get("duration_ms") or _milliseconds(read),
    }


def duration(value: Json) -> int | None:
    """Milliseconds of a duration as `{secs, nanos}`."""
    match value:
        case {"secs": int(secs), "nanos": int(nanos)} if secs >= 0 and nanos >= 0:
            return secs * 1000 + nanos // 1_000_000
        case _:
            return None


def _ending(read: Output) -> Ending:
    for beginning, ending in REFUSALS:
        if read.text.startswith(beginning):
            return ending
    if read.text.startswith(_HOOK):
        ours = read.text.removeprefix(_HOOK)
        return of_text(ours) if ours.startswith(OURS) else BY_HOOK
    if read.exit_code is not None:
        return OK if read.exit_code == 0 else ERROR
    sandbox = _SANDBOX.match(read.text)
    if sandbox:
        return Ending(outcome="error", exit_code=int(sandbox[1]))
    if _RUNNING.search(_head(read.text)):
        return UNKNOWN
    return ERROR if read.success is False else OK


def _read(output: Json) -> Output:
    match output:
        case str() if output.startswith('{"'):
            return _parsed(output)
        case {"output": str(text), "metadata": dict(metadata)}:
            return _with(text, metadata)
        case {"content": content, **more}:
            return Output(text=texts(content), success=more.get("success") is not False)
        case _:
            return _headed(texts(output))


def _parsed(text: str) -> Output:
    match taken(text.encode("utf-8", "replace")):
        case {"output": str(inner), "metadata": dict(metadata)}:
            return _with(inner, metadata)
        case _:
            return Output(text=text)


def _with(text: str, metadata: Fields) -> Output:
    code, seconds = metadata.get("exit_code"), metadata.get("duration_seconds")
    return Output(
        text=text,
        exit_code=code if type(code) is int else None,
        seconds=amount(seconds),
    )


def _headed(text: str) -> Output:
    """A text whose first lines are the harness's own, before the program's output."""
    head = _head(text)
    exited, wall = _EXITED.search(head), _WALL.search(head)
    return Output(
        text=text.partition("\nOutput:\n")[2] if exited and "\nOutput:\n" in text else text,
        exit_code=int(exited[1]) if exited else None,
        seconds=float(wall[1]) if wall else None,
    )


def _head(text: str) -> str:
    return text[:HEAD].partition("\nOutput:\n")[0]


def _milliseconds(read: Output) -> int | None:
    seconds = read.seconds
    return round(seconds * 1000) if seconds is not None and 0 <= seconds < 1e9 else None


def of_end(kind: str, payload: Fields) -> Fields:
    """What a line about the end of a call says, before the output of the call itself comes."""
    taken = {"duration_ms": duration(payload.get("duration"))}
    match kind, payload:
        case _, {"status": "declined"}:
            return {**taken, "outcome": "denied", "denied_by": "person"}
        case "exec_command_end", {"exit_code": int(code)}:
            return {**taken, "outcome": "ok" if code == 0 else "error", "exit_code": code}
        case "mcp_tool_call_end", {"result": dict(result)}:
            failed = "Err" in result or object_of(result.get("Ok")).get("isError") is True
            return {**taken, "outcome": "error" if failed else "ok"}
        case _, {"success": bool(success)}:
            return {**taken, "outcome": "ok" if success else "error"}
        case _:
            return {}
