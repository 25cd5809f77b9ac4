"""Claude Code's hooks: what each payload reports, and what an answer looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.events import Event, Json
from app.harness.base import Fault, Reply
from app.harness.claude_code.answers import answer
from app.harness.claude_code.fields import LONG
from app.harness.claude_code.outcomes import of_text
from app.harness.claude_code.reading import read, unreadable

CASES: Final = Path(__file__).parents[1] / "cases"
DIGEST: Final = "0123456789abcdef"
BASE: Final[dict[str, Json]] = {
    "session_id": "s",
    "cwd": "/p",
    "prompt_id": "p1",
    "permission_mode": "plan",
}
CALL: Final[dict[str, Json]] = {
    **BASE,
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t1",
}


def cases(name: str) -> list[Any]:
    loaded = json.loads((CASES / name).read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in loaded]


def one(hook: str, payload: dict[str, Json], **more: Json) -> Event:
    (event,) = read({**payload, "hook_event_name": hook, **more}, DIGEST).events
    return event


@pytest.mark.parametrize("case", cases("claude_answers.json"))
def test_an_answer_has_only_the_keys_its_hook_obeys(case: dict[str, Any]) -> None:
    given = dict(case["given"])
    assert answer(given.pop("hook"), Reply(**given)) == case["then"], case["why"]


def test_the_emergency_stop_denies_and_ends_the_turn() -> None:
    said = answer("PreToolUse", Reply(verdict="deny", reason="[floorboss 3] stop", ends_turn=True))
    assert said["continue"] is False
    assert said["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "[floorboss 3] stop",
    }
    assert said["stopReason"] == "[floorboss 3] stop"
    again = answer("PostToolBatch", Reply(reason="[floorboss 3] stop", ends_turn=True))
    assert again == {"continue": False, "stopReason": "[floorboss 3] stop"}
    assert "continue" not in answer("PostToolUse", Reply(verdict="deny", ends_turn=True))


@pytest.mark.parametrize("case", cases("claude_batch_texts.json"))
def test_a_text_in_a_batch_says_how_a_call_ended_that_did_not_run(case: dict[str, Any]) -> None:
    ending = of_text(case["given"])
    assert [ending.outcome, ending.denied_by, ending.rule] == case["then"], case["why"]


@pytest.mark.parametrize(
    ("hook", "more", "expected"),
    [
        ("PreToolUse", {}, ("attempt", "unknown", None, None)),
        ("PostToolUse", {"tool_response": {"stdout": "a", "stderr": "b", "interrupted": False}},
         ("tool", "ok", None, "a\nb")),
        ("PostToolUse", {"tool_response": {"stdout": "", "stderr": "", "interrupted": True}},
         ("tool", "interrupted", None, "")),
        ("PostToolUse", {"tool_response": {"stdout": "x", "timedOutAfterMs": 1000}},
         ("tool", "timeout", None, "x")),
        ("PostToolUse", {"tool_response": {"stdout": "x", "backgroundTaskId": "b1",
                                           "backgroundedByUser": True}},
         ("tool", "unknown", None, "x")),
        ("PostToolUse", {"tool_response": {"stdout": "x", "backgroundTaskId": "b1"}},
         ("tool", "timeout", None, "x")),
        ("PostToolUse", {"tool_response": {"file": {"content": "text", "numLines": 1}}},
         ("tool", "ok", None, "text")),
        ("PostToolUse", {"tool_response": [{"type": "text", "text": "a"}, "b"]},
         ("tool", "ok", None, "a\nb")),
        ("PostToolUse", {"tool_response": {"type": "update", "filePath": "/p/a", "content": "long",
                                           "originalFile": "long", "structuredPatch": []}},
         ("tool", "ok", None, '{"filePath":"/p/a","type":"update"}')),
        ("PostToolUse", {"tool_response": {"mode": "content", "numLines": 1, "filenames": [],
                                           "content": "a.py:1:x"}},
         ("tool", "ok", None, "a.py:1:x")),
        ("PostToolUse", {}, ("tool", "ok", None, None)),
        ("PostToolUseFailure", {"error": "Exit code 3\nno", "is_interrupt": False},
         ("tool", "error", 3, "Exit code 3\nno")),
        ("PostToolUseFailure", {"error": "Exit code 143\nCommand timed out after 1s"},
         ("tool", "timeout", 143, "Exit code 143\nCommand timed out after 1s")),
        ("PostToolUseFailure", {"error": "x", "is_interrupt": True},
         ("tool", "interrupted", None, "x")),
        ("PostToolUseFailure", {"error": ["odd"]}, ("tool", "error", None, None)),
        ("PermissionDenied", {"reason": "Classifier unavailable"},
         ("tool", "denied", None, "Classifier unavailable")),
    ],
)  # fmt: skip
def test_a_call_and_its_end(hook: str, more: dict[str, Json], expected: tuple[Any, ...]) -> None:
    event = one(hook, CALL, **more)
    assert (event.kind, event.outcome, event.exit_code, event.result) == expected
    assert (event.session_id, event.call_id, event.tool, event.turn_id) == ("s", "t1", "Bash", "p1")
    assert (event.cwd, event.permission_mode, event.harness) == ("/p", "plan", "claude_code")
    assert event.arguments == {"command": "ls"}


@pytest.mark.parametrize(
    ("hook", "more", "kind"),
    [
        ("UserPromptSubmit", {"prompt": "do it", "source": "user"}, "prompt"),
        ("Stop", {"stop_hook_active": False}, "turn"),
        ("StopFailure", {"error": "unknown"}, "turn"),
        ("PostCompact", {"trigger": "auto"}, "compact"),
        ("SessionStart", {"source": "resume"}, "session_start"),
        ("SessionEnd", {"reason": "other"}, "session_end"),
        ("SubagentStart", {"agent_id": "a", "agent_type": "general-purpose"}, "session_start"),
        ("SubagentStop", {"agent_id": "a", "agent_type": "general-purpose"}, "session_end"),
        ("SubagentStop", {"agent_id": "a", "agent_type": ""}, "note"),
        ("SubagentStop", {}, "note"),
        ("SubagentStart", {}, "note"),
        ("PreCompact", {"trigger": "auto"}, "note"),
        ("PermissionRequest", {"tool_name": "Bash"}, "note"),
        ("ConfigChange", {}, "note"),
        ("TomorrowsHook", {}, "note"),
        ("", {}, "note"),
    ],
)
def test_what_is_no_call(hook: str, more: dict[str, Json], kind: str) -> None:
    event = one(hook, BASE, **more)
    agent = None if more.get("agent_type") == "" else more.get("agent_id")
    assert (event.kind, event.agent_id) == (kind, agent)


@pytest.mark.parametrize(
    ("hook", "more", "closes"),
    [
        ("PreToolUse", {}, "nothing"),
        ("PostToolUse", {}, "nothing"),
        ("PostToolBatch", {}, "agent"),
        ("UserPromptSubmit", {}, "agent"),
        ("Stop", {}, "agent"),
        ("StopFailure", {}, "agent"),
        ("SubagentStop", {"agent_id": "a"}, "agent"),
        ("SubagentStop", {"agent_id": "a", "agent_type": ""}, "nothing"),
        ("SessionEnd", {}, "session"),
        ("PreCompact", {}, "nothing"),
    ],
)
def test_whose_calls_are_over(hook: str, more: dict[str, Json], closes: str) -> None:
    assert read({**CALL, "hook_event_name": hook, **more}, DIGEST).closes == closes


def test_a_batch_is_the_calls_in_it() -> None:
    calls: list[Json] = [
        {"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_use_id": "1",
         "tool_response": "text"},
        {"tool_name": "Edit", "tool_input": {"file_path": "a"}, "tool_use_id": "2",
         "tool_response": "<tool_use_error>no</tool_use_error>"},
        {"tool_name": "Agent", "tool_input": {}, "tool_use_id": "3",
         "tool_response": [{"type": "text", "text": "x"}]},
        "no call",
        {"tool_name": ""},
    ]  # fmt: skip
    report = read({**BASE, "hook_event_name": "PostToolBatch", "tool_calls": calls}, DIGEST)
    assert report.batched
    assert [(e.kind, e.tool, e.call_id, e.outcome) for e in report.events] == [
        ("tool", "Read", "1", "unknown"),
        ("tool", "Edit", "2", "error"),
        ("tool", "Agent", "3", "unknown"),
        ("note", None, None, "unknown"),
    ]
    assert {event.batch_id for event in report.events} == {"1"}  # so that a batch has one vote


def test_what_one_hook_adds_and_another_leaves_out_is_no_argument() -> None:
    bare: dict[str, Json] = {"file_path": "a", "old_string": "x", "new_string": "y"}
    said = [
        one("PreToolUse", CALL, tool_name="Edit", tool_input={**bare, **more}).arguments
        for more in ({}, {"replace_all": False}, {"replace_all": True})
    ]
    assert said == [bare, bare, {**bare, "replace_all": True}]
    other = one("PreToolUse", CALL, tool_name="mcp__x__y", tool_input={"replace_all": False})
    assert other.arguments == {"replace_all": False}


@pytest.mark.parametrize(
    ("given", "session"),
    [
        ("s" * 128, "s" * 128),
        ("s" * 129, "digest-"),
        ("a/b", "digest-"),
        ("*", "digest-"),
        ("a\nb", "digest-"),
        ("\u202ex", "digest-"),
        ("", f"digest-{DIGEST}"),
        (None, f"digest-{DIGEST}"),
        (7, f"digest-{DIGEST}"),
    ],
)
def test_a_session_id_the_log_does_not_take_becomes_a_digest(given: Json, session: str) -> None:
    found = one("Stop", BASE, session_id=given).session_id
    assert found.startswith(session)
    assert len(found) <= 128


@pytest.mark.parametrize("tool", [None, "", 7, ["Write"], {"a": 1}])
def test_an_attempt_that_names_no_tool_is_one_of_an_unknown_tool(tool: Json) -> None:
    event = one("PreToolUse", CALL, tool_name=tool)
    assert (event.kind, event.tool, event.call_id) == ("attempt", "", None)
    assert event.arguments["fault"] == "no_tool"


def test_odd_fields_are_taken_as_nothing_or_as_a_name_for_them() -> None:
    event = one(
        "PostToolUse",
        CALL,
        tool_input=["x"],
        tool_use_id="i" * 300,
        duration_ms=-1,
        cwd="a\0b",
        permission_mode=3,
        agent_id="a\x1bb",
    )
    assert event.arguments == {"input": ["x"]}
    assert (event.duration_ms, event.cwd, event.permission_mode) == (None, None, None)
    assert str(event.call_id).startswith("digest-")
    assert str(event.agent_id).startswith("digest-")
    assert one("PostToolUse", CALL, duration_ms=2.6).duration_ms == 3


def test_of_a_text_too_long_to_be_looked_at_the_ends_and_a_digest_stay() -> None:
    text = "a" * LONG + "middle" + "b" * LONG
    event = one("PostToolUse", CALL, tool_name="Write", tool_input={"content": [text, "x" * LONG]},
                tool_response={"stdout": text})  # fmt: skip
    content = event.arguments["content"]
    assert isinstance(content, list)
    assert content[1] == "x" * LONG
    for short in (str(content[0]), str(event.result)):
        assert len(short) <= LONG
        assert short.startswith("aaa")
        assert short.endswith("bbb")
        assert "middle" not in short
        assert "digest-" in short
    other = one("PostToolUse", CALL, tool_input={"content": text.replace("middle", "centre")})
    assert other.arguments != event.arguments


FAULT: Final = Fault(code="bad_json", detail="The body is not JSON.")


@pytest.mark.parametrize(
    ("head", "hook", "kind", "session"),
    [
        (b"", "PreToolUse", "attempt", f"digest-{DIGEST}"),
        (b'{"session_id": "s", "hook_event_name": "PreToolUse", "too', "PreToolUse", "attempt",
         "s"),
        (b'{"session_id":"s","hook_event_name":"Stop","x":"\\"session_id\\": \\"t\\""', "Stop",
         "note", "s"),
        (b'{"session_id": "s", "x": {"session_id": "t"', "PreToolUse", "attempt", "s"),
        (b'{"session_id": "a/b"', "PreToolUse", "attempt", "digest-"),
    ],
)  # fmt: skip
def test_a_body_that_cannot_be_read_is_an_attempt_unless_it_says_else(
    head: bytes, hook: str, kind: str, session: str
) -> None:
    report = unreadable(head, FAULT, DIGEST)
    (event,) = report.events
    assert (report.hook, event.kind) == (hook, kind)
    assert event.session_id.startswith(session)
    assert (event.arguments["fault"], event.arguments["digest"]) == ("bad_json", DIGEST)
