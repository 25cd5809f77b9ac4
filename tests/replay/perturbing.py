"""The corpus as it might have come from another harness, on another day, with other things done.

Each perturbation says what stands in the place of an event; none changes what happened. Where
calls are put in between, the event at which something is due moves along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from tests.replay.renaming import HARNESSES, renamed, through_shell

Raw = dict[str, Any]
Change = Callable[[Raw, int], list[Raw]]  # an event, and its number among the session's calls
SHELLS: Final = frozenset(
    {"Bash", "shell", "exec_command", "run_shell_command", "developer__shell"}
)
EVERY: Final = 3  # calls after which something unrelated is read
_PLAIN: Final = re.compile(r"[\w ./:=,@%+-]+")  # a line of one command and its words
# A flag that takes no value may stand anywhere behind the command's name.
_FLAG: Final = re.compile(r"^(\S+(?: [a-z]+)?) (-q|-v|-la|-rf|-rn|--quiet|--stat|--verbose)( .+)$")
_ENDED: Final = frozenset({"ok", "error"})  # outcomes with which a tool itself answered


def perturbed(case: Mapping[str, Any], change: Change) -> Raw:
    """A scenario with every event changed."""
    places = list(places_of(case["events"], change))
    expect = dict(case["expect"] or {})
    if expect.get("by_turn"):
        before = places[: expect["by_turn"] - 1]
        expect["by_turn"] = sum(map(len, before)) + 1
    return {**case, "events": [each for place in places for each in place], "expect": expect}


def places_of(events: Iterable[Raw], change: Change) -> Iterator[list[Raw]]:
    """What stands in the place of each event, itself first."""
    calls = 0
    for raw in events:
        calls += raw.get("kind", "tool") == "tool"
        yield change(raw, calls)


def _renamed(harness: str, raw: Raw, call: int) -> list[Raw]:
    return [renamed(raw, harness)]


def _through_shell(raw: Raw, call: int) -> list[Raw]:
    return [through_shell(raw)]


def _without(field: str, raw: Raw, call: int) -> list[Raw]:
    return [{key: value for key, value in raw.items() if key != field}]


def _read_between(raw: Raw, call: int) -> list[Raw]:
    """After every third call the same agent reads a file that nothing else is about."""
    if raw.get("kind", "tool") != "tool" or call % EVERY:
        return [raw]
    kept = ("session_id", "agent_id", "parent_agent_id", "context_tokens")
    read = {
        "tool": "Read",
        "arguments": {"file_path": f"/w/handbook/chapter-{call}.md"},
        "outcome": "ok",
        "result": f"# Chapter {call}\n\nWhat the team agreed on in week {call}, and why it did so.",
        "duration_ms": 40,
    }
    return [raw, {**{key: raw[key] for key in kept if key in raw}, **read}]


def _worded(raw: Raw, call: int) -> list[Raw]:
    """Every call says why, and for how long at most, in words and numbers of its own."""
    if not raw.get("tool"):
        return [raw]
    more: Raw = {"explanation": f"step {call}: look at it once more"}
    if raw["tool"] in SHELLS:
        more = {"description": f"Run it, take {call}", "timeout": 60_000 + 1_000 * call}
    # In another order, as a model that writes them anew may have it.
    said = dict(reversed(raw["arguments"].items()))
    return [{**raw, "arguments": {**more, **said}, "call_id": f"toolu_{_hex(call)}"}]


def _dressed(raw: Raw, call: int) -> list[Raw]:
    """Shell lines in other dress: a folder first, both streams, a viewer behind, flags moved."""
    said: Any = (raw.get("arguments") or {}).get("command")
    wrapped = isinstance(said, list) and len(said) == 3
    line = said[2] if wrapped else said
    if raw.get("tool") not in SHELLS or not isinstance(line, str) or not _PLAIN.fullmatch(line):
        return [raw]
    # A viewer hides the status, so only where there is none to hide.
    ends = ["", " 2>&1"] if raw["outcome"] != "ok" else ["", " 2>&1", f" 2>&1 | tail -{40 + call}"]
    start = ["", "cd /w && "][call // 2 % 2]
    moved = _FLAG.sub(r"\1\3 \2", line) if call % 2 else line
    dressed = f"{start}{moved}{ends[call % len(ends)]}"
    command = [*said[:2], dressed] if wrapped else dressed
    return [{**raw, "arguments": {**raw["arguments"], "command": command}}]


def _stamped(raw: Raw, call: int) -> list[Raw]:
    """Every answer of a tool tells when it was given and to which request."""
    text = raw.get("result")
    if not text or raw.get("outcome") not in _ENDED:
        return [raw]
    at, request = f"2026-11-{1 + call % 28:02}T09:{call % 60:02}:07.{call % 1000:03}Z", _hex(call)
    if text.startswith("{") and text.endswith("}") and text != "{}":
        head = f'{{"timestamp":"{at}","request_id":"{request}",'
        return [{**raw, "result": f"{head}{text[1:]}"}]
    return [{**raw, "result": f"[{at}] request_id={request}\n{text}"}]


def _headed(raw: Raw, call: int) -> list[Raw]:
    """What a harness puts before the output of a shell line."""
    code = raw.get("exit_code")
    if raw.get("tool") not in SHELLS or code is None or raw.get("result") is None:
        return [raw]
    head = f"Exit code: {code}\nWall time: {call}.{call % 10} seconds\nOutput:\n"
    return [{**raw, "result": f"{head}{raw['result']}"}]


def _all(*changes: Change) -> Change:
    """One change after another, each of what stands first in the place of an event."""

    def changed(raw: Raw, call: int) -> list[Raw]:
        more: list[Raw] = []
        for change in changes:
            raw, *others = change(raw, call)
            more += others
        return [raw, *more]

    return changed


def _hex(number: int) -> str:
    """16 hex digits, other ones for each number."""
    return f"{number * 0x9E3779B97F4A7C15 % (1 << 64):016x}"


LESS: Final = tuple(partial(_without, field) for field in ("exit_code", "tests", "batch_id"))

PERTURBATIONS: Final[Mapping[str, Change]] = {
    **{f"names of {harness}": partial(_renamed, harness) for harness in HARNESSES},
    "Codex through its shell": _through_shell,
    "a read after every third call": _read_between,
    "no exit codes": LESS[0],
    "no test counts": LESS[1],
    "no batches": LESS[2],
    "other words and limits in arguments": _worded,
    "other dress of shell lines": _dressed,
    "times and request ids in results": _stamped,
    "a harness's lines before output": _headed,
    "reads between, less detail, and other cosmetics at once": _all(
        *LESS, _worded, _dressed, _stamped, _read_between
    ),
}
