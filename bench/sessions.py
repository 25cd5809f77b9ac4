"""Sessions as coding agents leave them, made up: neutral events and files of Claude Code.

    calls(draw, session)     the calls of one session, without end
    neutral(path, megabytes) events of 50 sessions in turn, one a line
    claude(folder, events)   files of Claude Code, one a session

The mix of tools and outcomes and the mean lengths are those of public recordings of Claude Code: a
result has 1.9 kB there and the arguments 0.6 kB, so an event 3 kB; a session file has 9.5 kB for
each call there and 7.5 here. The recordings spread wider (half of their results have fewer than
300 characters, and one in a hundred some 40,000); here every length from 50 to 4,000 characters is
as likely. As there, a third of the events has signs that are not ASCII, and one read in eight asks
for a range of lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

SESSIONS: Final = 50
LENGTH: Final = 200  # calls of a session, after which another one takes its place
SHORTEST, LONGEST = 50, 4_000  # characters of a result
TOOLS: Final = (
    *("Bash",) * 30,
    *("Read",) * 21,
    *("Edit",) * 11,
    *("TodoWrite",) * 9,
    *("Write",) * 5,
    *("Glob",) * 5,
    *("Grep",) * 5,
    *("WebSearch", "WebFetch", "Task", "mcp__db__query") * 2,
)
COMMANDS: Final = (
    *("git status --short", "git diff --stat HEAD~1", "ls -la {folder}", "cat {path} | head -80"),
    *("python -m pytest -q {test}", "npm run build 2>&1 | tail -20", "grep -rn {word} {folder}"),
    *("sed -n '{n},{m}p' {path}", "find {folder} -name '*.py' -newer {path}", "make {word}"),
    *("cd {folder} && cargo check", "curl -s localhost:8000/{word} | jq .", "rm -f {word}.tmp"),
    *("python - <<'EOF'\nimport {word}\nprint({word}.value({n}))\nEOF", "docker compose ps"),
)  # fmt: skip
WORDS: Final = (
    *("parse", "order", "basket", "invoice", "total", "customer", "address", "session", "token"),
    *("cache", "index", "value", "field", "handler", "request", "response", "schema", "query"),
    *("result", "entry", "record", "state", "update", "insert", "filter", "sort", "window"),
    *("signal", "counter", "limit", "retry", "timeout", "policy", "bundle", "module", "layout"),
)
LINES: Final = (
    "    def {a}_{b}(self, {c}: str, *, {d}: int = {n}) -> dict[str, {a}]:",
    '        return {{"{a}": self._{b}[{n}], "{c}": {d}.get("{a}", None)}}',
    "src/{a}/{b}.py:{n}: {c} is not {d} here, see {a}",
    "\t{a} = {b}({c}, key=lambda {d}: {d}.{a})  # {c} comes first",
    "-rw-r--r-- 1 dev dev {n} Nov 30 12:{m:02d} {a}_{b}.ts",
    "",
    "  const {{ {a}, {b} }} = await fetch(`/api/{c}/${{{d}}}?limit={n}`);",
    "INFO {a}.{b}: {c} of {d} done, {n} left",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call that ended."""

    tool: str
    arguments: dict[str, Any]
    outcome: str
    result: str


def calls(draw: Random) -> Iterator[Made]:
    """The calls of one session; now and then one is made again, as agents do."""
    before: list[Made] = []
    while True:
        if before and draw.random() < 0.04:
            yield draw.choice(before)
            continue
        made = _call(draw)
        before = [*before[-20:], made]
        yield made


def _call(draw: Random) -> Made:
    tool = draw.choice(TOOLS)
    outcome = draw.choices(("ok", "error", "denied", "timeout"), (92, 5, 2, 1))[0]
    result = _text(draw, draw.randrange(SHORTEST, LONGEST))
    if outcome == "error":
        result = f"Exit code 1\n{result}\nTypeError: {_word(draw)} is not {_word(draw)}"
    return Made(tool=tool, arguments=_arguments(draw, tool), outcome=outcome, result=result)


def _arguments(draw: Random, tool: str) -> dict[str, Any]:
    path = f"/home/dev/shop/src/{_word(draw)}/{_word(draw)}.py"
    match tool:
        case "Bash":
            line = draw.choice(COMMANDS).format(
                path=path,
                test=f"tests/test_{_word(draw)}.py",
                folder=f"src/{_word(draw)}",
                word=_word(draw),
                n=draw.randrange(400),
                m=draw.randrange(400, 800),
            )
            return {"command": line, "description": f"Look at {_word(draw)} of {_word(draw)}"}
        case "Read":
            part = {"offset": draw.randrange(2_000), "limit": 120} if draw.random() < 0.13 else {}
            return {"file_path": path, **part}
        case "Edit":
            old, new = _text(draw, draw.randrange(80, 900)), _text(draw, draw.randrange(80, 1_200))
            return {"file_path": path, "old_string": old, "new_string": new}
        case "Write":
            return {"file_path": path, "content": _text(draw, draw.randrange(800, 6_000))}
        case "TodoWrite":
            todo = {"status": "pending", "activeForm": f"Reading {_word(draw)}"}
            return {"todos": [{"content": _text(draw, 60), **todo} for _ in range(5)]}
        case "Glob" | "Grep":
            return {"pattern": f"{_word(draw)}.*{_word(draw)}", "path": f"src/{_word(draw)}"}
        case _:
            return {"prompt": _text(draw, 200), "url": f"https://example.org/{_word(draw)}"}


def _word(draw: Random) -> str:
    return draw.choice(WORDS)


def _text(draw: Random, length: int) -> str:
    """Lines of code and of output."""
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < length:
        names = dict(zip("abcd", draw.choices(WORDS, k=4), strict=True))
        numbers = {"n": draw.randrange(3_000), "m": draw.randrange(60)}
        lines.append(draw.choice(LINES).format(**names, **numbers))
    text = "\n".join(lines)[:length]
    return text if draw.random() < 0.7 else f"{text[:-1]}\N{RIGHTWARDS ARROW}"


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def moments() -> Iterator[str]:
    """Times, 3 seconds apart."""
    at = datetime(2026, 11, 30, tzinfo=UTC)
    while True:
        yield at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        at += timedelta(seconds=3)


def events(draw: Random, count: int, name: str = "") -> Iterator[bytes]:
    """Neutral events of 50 sessions in turn, one a line; `name` begins the names of sessions."""
    streams = [calls(draw) for _ in range(SESSIONS)]
    for number, at in zip(range(count), moments(), strict=False):
        turn, place = number // (SESSIONS * LENGTH), draw.randrange(SESSIONS)
        made = next(streams[place])
        said = {
            "event_id": f"{draw.getrandbits(128):032x}",
            "session_id": f"{name}session-{turn}-{place:02d}",
            "harness": "custom",
            "call_id": f"call_{draw.getrandbits(96):024x}",
            "tool": made.tool,
            "arguments": made.arguments,
            "outcome": made.outcome,
            "result": made.result,
            "duration_ms": draw.randrange(5, 40_000),
            "context_tokens": 20_000 + number // SESSIONS % LENGTH * 600,
            "occurred_at": at,
            "cwd": "/home/dev/shop",
        }
        yield _json(said) + b"\n"


def neutral(path: Path, count: int, seed: int = 0) -> None:
    """A file of neutral events."""
    with path.open("wb") as file:
        file.writelines(events(Random(seed), count))


def grown(path: Path, megabytes: int, seed: int = 0) -> None:
    """A file of so many megabytes of neutral events, no two with the same id or session."""
    some = list(events(Random(seed), 5_000))
    with path.open("wb") as file:
        turn, left = 0, megabytes * 1_000_000
        while left > 0:
            for line in some:
                mark = f"{turn:08x}".encode()
                again = line[:13] + mark + line[21:]  # behind {"event_id":"
                again = again.replace(b'"session_id":"', b'"session_id":"' + mark, 1)
                left -= file.write(again)
                if left <= 0:
                    return
            turn += 1


def claude(folder: Path, count: int, seed: int = 0) -> list[Path]:
    """Session files of Claude Code that tell of so many calls."""
    folder.mkdir(parents=True, exist_ok=True)
    draw, paths = Random(seed), []
    for number in range(-(-count // LENGTH)):
        path = folder / f"{number:04d}.jsonl"
        with path.open("wb") as file:
            for line in islice(_lines(draw, f"{draw.getrandbits(128):032x}"), count):
                file.write(_json(line) + b"\n")
        paths.append(path)
    return paths


def _lines(draw: Random, session: str) -> Iterator[Mapping[str, Any]]:
    """The lines of one session: prompts, what the model wrote, its calls and what came of them."""
    times, before = moments(), ""

    def line(kind: str, **said: Any) -> dict[str, Any]:
        nonlocal before
        parent, before = before, f"{draw.getrandbits(128):032x}"
        head = {
            "parentUuid": parent or None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": session,
            "version": "2.1.332",
            "gitBranch": "main",
        }
        return {**head, "type": kind, **said, "uuid": before, "timestamp": next(times)}

    for number, made in enumerate(islice(calls(draw), LENGTH)):
        call_id = f"toolu_{draw.getrandbits(96):024x}"
        if number % 12 == 0:
            yield line("user", message={"role": "user", "content": _text(draw, 400)})
        if draw.random() < 0.7:
            yield line("assistant", message=_message(draw, number, "text", text=_text(draw, 500)))
        use = {"id": call_id, "name": made.tool, "input": made.arguments}
        yield line("assistant", message=_message(draw, number, "tool_use", **use))
        if draw.random() < 0.15:
            yield line("attachment", attachment={"type": "file", "content": _text(draw, 400)})
        if draw.random() < 0.6:
            hook = {"type": "hook_progress", "hookEvent": "PostToolUse", "command": _text(draw, 60)}
            yield line("progress", data=hook, toolUseID=call_id, parentToolUseID=call_id)
        content = {"tool_use_id": call_id, "type": "tool_result", "content": made.result}
        if made.outcome != "ok":
            content["is_error"] = True  # type: ignore[assignment]
        message = {"role": "user", "content": [content]}
        yield line("user", message=message, toolUseResult=_beside(draw, made))


def _message(draw: Random, number: int, kind: str, **block: Any) -> dict[str, Any]:
    return {
        "id": f"msg_{draw.getrandbits(96):024x}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [{"type": kind, **block}],
        "stop_reason": "tool_use",
        "usage": {
            "input_tokens": 4,
            "cache_creation_input_tokens": 600,
            "cache_read_input_tokens": 20_000 + number * 600,
            "output_tokens": draw.randrange(600),
            "service_tier": "standard",
        },
    }


def _beside(draw: Random, made: Made) -> dict[str, Any] | str:
    """What the harness keeps of a result beside the text that the model sees."""
    if made.outcome != "ok":
        return f"Error: {made.result}"
    match made.tool:
        case "Bash":
            return {"stdout": made.result, "stderr": "", "interrupted": False, "isImage": False}
        case "Edit":
            patch = {"oldStart": 1, "oldLines": 9, "newStart": 1, "newLines": 9}
            return {
                "filePath": made.arguments["file_path"],
                "oldString": made.arguments["old_string"],
                "newString": made.arguments["new_string"],
                "originalFile": _text(draw, 9_000),
                "structuredPatch": [{**patch, "lines": made.result.splitlines()}],
            }
        case "Read":
            file = {"filePath": made.arguments["file_path"], "content": made.result}
            return {"type": "text", "file": {**file, "numLines": 120, "startLine": 1}}
        case _:
            return {"content": made.result, "durationMs": draw.randrange(900)}
