"""What an agent may write cannot pass for ours: APR-10 and APR-12, against the real program.

Hostile text goes wherever a harness can put text, over the hook route and the own routes; then
every command that shows something is run, and every character it printed is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.inert import width
from tests.cli.processes import OPERATOR, Daemon, served

HOSTILE: Final = (
    "\x1b[2K\x1b[1A\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"
    "\r\b\x9b31m\x85\u202e\u2066\u200b\u200d\ufeff\u2028 [red]approved[/red] <b>\nIn force now: x"
    "o" + "\u0301" * 60 + "漢字\x7f\u3164"
)
CANARY: Final = "kanarienvogel"
TEXT: Final = f"{CANARY} {HOSTILE} {CANARY}"


def hook(daemon: Daemon, name: str, **fields: Any) -> dict[str, Any]:
    """What Claude Code is answered to one hook."""
    payload = {"session_id": "hooked", "cwd": "/p", "hook_event_name": name, **fields}
    answer: dict[str, Any] = daemon.ask("POST", "/hooks/claude-code", payload)
    return answer


def calls(text: str) -> list[dict[str, Any]]:
    """Calls with a text in every place where an agent can put one."""
    return [
        {"tool_name": f"Tool{text}", "tool_input": {"argument": text}},
        {"tool_name": f"mcp__{text}__x", "tool_input": {"query": text}},
        {"tool_name": "Bash", "tool_input": {"command": f"frobnicate '{text}'"}},
        {"tool_name": "Bash", "tool_input": {"command": f"python -c '{text}'"}},
        {"tool_name": "Write", "tool_input": {"file_path": f"/p/{text}", "content": text}},
        {"tool_name": "Edit", "tool_input": {"file_path": f"/p/.git/config/{text}",
                                             "old_string": text, "new_string": text}},
        {"tool_name": "Bash", "tool_input": {"command": f"pytest tests/test_{text}.py"}},
    ]  # fmt: skip


def driven(daemon: Daemon, text: str) -> list[dict[str, Any]]:
    """Everything that is answered while an agent does all of this again and again."""
    heard = [hook(daemon, "UserPromptSubmit", prompt=text, prompt_id="p1")]
    for round_ in range(4):
        for index, call in enumerate(calls(text)):
            call_id = {"tool_use_id": f"t{round_}-{index}"}
            heard.append(hook(daemon, "PreToolUse", **call, **call_id))
            failed = f"Exit code 1\nFAILED tests/test_{text}.py::test_{text} - {text}\n1 failed"
            heard.append(hook(daemon, "PostToolUseFailure", **call, **call_id, error=failed))
    heard.append(hook(daemon, "Stop", last_assistant_message=text))
    for tool in (text[:100], "Bash"):
        attempt = {"session_id": "own", "tool": tool, "arguments": {"command": text}}
        report = {**attempt, "outcome": "error", "result": text}
        for _ in range(4):
            heard.append(daemon.ask("POST", "/controller/decide", attempt))
            daemon.ask("POST", "/controller/events", report)
    return heard


# What a model or a person reads of an answer; the rest are words for programs.
SAID: Final = (
    "hookSpecificOutput", "additionalContext", "permissionDecisionReason", "systemMessage",
    "stopReason", "reason",
)  # fmt: skip


def words(answer: Any) -> Iterator[str]:
    """The texts in an answer that reach a model or a person."""
    match answer:
        case dict():
            for key, value in answer.items():
                if key in SAID:
                    yield from words(value)
        case str():
            yield answer
        case _:
            pass


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, list[Any]]]:
    """A daemon that heard all of it, and what it answered."""
    with served(tmp_path_factory.mktemp("hostile") / "state") as daemon:
        heard = driven(daemon, TEXT)
        wish = {"scope": "own", "action": "policy", "reason": TEXT,
                "value": {"posture": "ask", "verdicts": {TEXT: "deny"}}}  # fmt: skip
        asked = daemon.ask("POST", "/controller/propose", wish)
        assert asked["entries"], asked
        yield daemon, heard


QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def test_what_reaches_the_model_holds_names_only_and_those_inert(
    floor: tuple[Daemon, list[Any]],
) -> None:
    _, heard = floor
    texts = [text for answer in heard for text in words(answer)]
    told = [text for text in texts if CANARY in text]
    assert any("[floorboss " in text for text in texts)
    assert told, "no name was ever said, so nothing was tried"
    for text in texts:
        assert {c for c in text if not c.isprintable()} <= {"\n"}
        assert CANARY not in QUOTED.sub("", text)
        assert all(len(name) <= 82 for name in QUOTED.findall(text))
        assert "\u0301" * 3 not in text


def test_output_and_prompts_never_reach_the_model(tmp_path: Path) -> None:
    with served(tmp_path / "state") as daemon:
        call = {"tool_name": "Bash", "tool_input": {"command": "make"}}
        heard = [hook(daemon, "UserPromptSubmit", prompt=TEXT, prompt_id="p1")]
        for at in range(6):
            call_id = {"tool_use_id": f"t{at}"}
            heard.append(hook(daemon, "PreToolUse", **call, **call_id))
            heard.append(hook(daemon, "PostToolUseFailure", **call, **call_id, error=TEXT))
        wish = {"scope": "hooked", "action": "mode", "value": {"mode": "implementation"}}
        daemon.ask("POST", "/controller/propose", {**wish, "reason": TEXT})
        heard.append(hook(daemon, "SessionStart", source="compact"))
        heard.append(hook(daemon, "PreToolUse", tool_name="Write", tool_use_id="w",
                          tool_input={"file_path": "/p/a.py", "content": TEXT}))  # fmt: skip
        said = "\n".join(text for answer in heard for text in words(answer))
    assert "implementation -> plan" in said
    assert CANARY not in said


def commands(daemon: Daemon) -> Iterator[tuple[str, ...]]:
    """Every command that shows something, for every entry there is something to show of."""
    yield from [("log",), ("log", "--scope", "own"), ("status",), ("status", "own")]
    for entry in daemon.ask("GET", "/controller/log?limit=1000")["items"]:
        seq = str(entry["seq"])
        match entry["kind"]:
            case "proposed":
                for verb in ("approve", "apply", "dismiss"):
                    yield (verb, seq, "--dry-run")
                yield ("show", seq)
            case "applied":
                yield ("revert", seq, "--dry-run")
                yield ("show", seq)
            case "refused":
                yield ("show", seq)
            case _:
                pass


def test_no_command_prints_what_a_terminal_would_obey(floor: tuple[Daemon, list[Any]]) -> None:
    """APR-10: nothing below a blank but line ends, nothing from 0x7f to 0x9f, no format signs."""
    daemon, _ = floor
    shown = 0
    for line in commands(daemon):
        token = OPERATOR if line[0] in ("approve", "apply", "dismiss", "revert") else None
        done = daemon.run(*line, token=token)
        printed = done.stdout + done.stderr
        assert done.returncode in (0, 1), printed
        assert {c for c in printed if not c.isprintable()} <= {"\n"}, line
        ours = [each for each in printed.splitlines() if not each.lstrip().startswith("| ")]
        whole = re.sub(r"\n +", " ", "\n".join(ours))  # sentences go on in lines that are indented
        assert CANARY not in QUOTED.sub("", whole), line
        shown += CANARY in printed
    assert shown, "no command showed any of it, so nothing was tried"


TEMPLATE: Final = """\
Session "{scope}" went from mode implementation to plan: same failing call 3
  times, nothing changed in between.
That is entry {change}, of {at} UTC.
In force now:    mode plan, posture yolo (by {change}).
If you approve:  mode implementation, posture yolo.

This would become freer:
  tools     no longer denied: editing tools; writing tools; test runners; tools
            nobody can vouch for
            asked about instead of denied: tools nobody can vouch for where they
            name a closed path or code to run
  paths     no longer denied: project files; the folders it was given; temporary
            files
  commands  no longer denied: test runs; commands nobody can vouch for; git
            commit and the like; git checkout and the like on project files, the
            folders it was given and temporary files
            asked about instead of denied: unknown commands that name a closed
            path or run code inline; git checkout and the like

floorboss itself offers this, as the way back from {change}.
Nothing was changed. The state is {state}.
"""


@pytest.mark.parametrize(("scope", "text"), [("template-0", "make all"), ("template-1", TEXT)])
def test_the_text_that_is_decided_on_is_a_template_whatever_the_agent_wrote(
    floor: tuple[Daemon, list[Any]], scope: str, text: str
) -> None:
    """APR-12: names of tables and whole numbers fill it, and nothing else."""
    daemon, _ = floor
    call = {"session_id": scope, "tool": "Bash", "arguments": {"command": text}, "result": text,
            "outcome": "error"}  # fmt: skip
    change, back = daemon.ask("POST", "/controller/events", [call] * 3)["results"][2]["fired"]
    done = daemon.run("approve", str(back["seq"]), "--dry-run", token=OPERATOR)
    at = f"{change['at'][:10]} {change['at'][11:19]}"
    state = daemon.ask("GET", f"/controller/overrides?scope={scope}")["state"]
    expected = TEMPLATE.format(scope=scope, change=change["seq"], at=at, state=state)
    assert done.stdout == expected


def test_what_a_harness_wrote_stands_behind_bars_only(floor: tuple[Daemon, list[Any]]) -> None:
    """APR-12: the reason of a harness is evidence, marked and cut; all else is as without it."""
    daemon, _ = floor
    shown = []
    for scope, reason in (("bars-0", "x"), ("bars-1", TEXT * 9)):
        wish = {"scope": scope, "action": "mode", "value": {"mode": "plan"}, "reason": reason}
        seq = daemon.ask("POST", "/controller/propose", wish)["seq"]
        said = daemon.run("apply", str(seq), "--dry-run", token=OPERATOR).stdout
        bare = [line for line in said.splitlines() if not line.startswith("| ")]
        barred = [line for line in said.splitlines() if line.startswith("| ")]
        assert barred[0].startswith('| harness:harness wrote: "')
        assert all(width(line) <= 80 for line in said.splitlines())
        numbers = re.sub(r"[0-9a-f]{16}|\d+", "N", "\n".join(bare))
        shown.append(numbers)
    assert shown[0] == shown[1]
    assert CANARY not in shown[1]
