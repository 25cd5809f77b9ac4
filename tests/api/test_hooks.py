"""Claude Code's hooks at the real application: recorded traffic, hostile bodies, what is told."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.api.recordings import ROUTE, Payload, call_ids, has_id, names, payloads
from tests.api.running import Running
from tests.api.test_unavailable import filled

KEYS: Final = {"hookSpecificOutput", "systemMessage"}
SPECIFIC: Final = {
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "additionalContext",
}
DEBUG: Final = {"scope": "*", "action": "mode", "value": {"mode": "debug"}, "reason": "a test"}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon that hears all recordings; each has sessions of its own."""
    started = Running(tmp_path_factory.mktemp("hooks") / "state")
    yield started
    started.daemon.close()


def post(running: Running, payload: object) -> dict[str, Any]:
    """What is answered to one hook."""
    response = running.ask("POST", ROUTE, payload)
    assert response.status_code == 200, response.text
    said = response.json()
    assert isinstance(said, dict)
    return said


def call(hook: str, session: str = "s", call_id: str = "t1", **more: object) -> Payload:
    return {
        "session_id": session,
        "cwd": "/p",
        "hook_event_name": hook,
        "tool_name": "Write",
        "tool_input": {"file_path": "/p/a.py", "content": "x"},
        "tool_use_id": call_id,
        **more,
    }


def of_calls(running: Running, session: str, kind: str = "observed") -> list[dict[str, Any]]:
    entries = running.log(f"&kind={kind}")
    mine = (e for e in entries if e["scope"].partition("/")[0] == session)
    return [entry for entry in mine if entry["action"] == "tool"]


def applied(running: Running, session: str) -> list[str]:
    entries = (e for e in running.log("&kind=applied") if e["scope"].startswith(session))
    return [f"{e['action']} {e['body'].get('mode', '')}".strip() for e in entries]


def debugging(running: Running) -> None:
    running.post("/controller/propose", {**DEBUG, "decide": True})


@pytest.mark.parametrize("name", names())
def test_a_recording_is_taken_whole_and_a_second_time_adds_no_call(
    together: Running, name: str
) -> None:
    lines = payloads(name)
    session = lines[0]["session_id"]
    for line in lines:
        said = post(together, line)
        assert said.keys() <= KEYS
        specific = said.get("hookSpecificOutput", {})
        assert specific.keys() <= SPECIFIC
        assert specific.get("hookEventName", line["hook_event_name"]) == line["hook_event_name"]
        assert specific.get("permissionDecision") in (None, "deny", "ask")
    observed, decided = of_calls(together, session), of_calls(together, session, "decided")
    counted = Counter(entry["body"]["call_id"] for entry in observed)
    assert counted == dict.fromkeys(call_ids(lines), 1)
    restrictions = together.get(f"/controller/sessions/{session}")["restrictions"]

    for line in filter(has_id, lines):
        post(together, line)
    assert of_calls(together, session) == observed
    assert of_calls(together, session, "decided") == decided
    assert together.get(f"/controller/sessions/{session}")["restrictions"] == restrictions


@pytest.mark.parametrize(
    ("toml", "further"),
    [("", ""), ("port = 9123\n", "\nThis daemon's commands end in --url http://127.0.0.1:9123")],
)
def test_the_way_back_is_told_with_the_address_where_commands_would_not_find_it(
    tmp_path: Path, toml: str, further: str
) -> None:
    running = Running(tmp_path / "state", toml)
    answers = [post(running, line) for line in payloads("2.1.332/edit_storm")]
    (told,) = [said["systemMessage"] for said in answers if "systemMessage" in said]
    (back,) = running.log("&kind=proposed")
    assert told.endswith(f"To take it back: floorboss approve {back['seq']}{further}")
    running.daemon.close()


@pytest.mark.parametrize("name", ["2.1.332/edit_storm", "2.1.197/edit_storm"])
def test_failed_edits_are_seen_in_batches_and_change_the_mode_once(
    running: Running, name: str
) -> None:
    lines = payloads(name)
    session = lines[0]["session_id"]
    answers = [post(running, line) for line in lines]
    failed = [e for e in of_calls(running, session) if e["body"]["outcome"] == "error"]
    assert [entry["body"]["tool"] for entry in failed] == ["Edit"] * 6
    assert applied(running, session) == ["mode debug"]
    (told,) = [said for said in answers if "systemMessage" in said]
    context = told["hookSpecificOutput"]["additionalContext"]
    assert "implementation -> debug: 4 failed edits of one file" in context
    assert "Hand over your diagnosis" in context
    (back,) = running.log("&kind=proposed")
    assert told["systemMessage"].endswith(f"To take it back: floorboss approve {back['seq']}")


def test_blocks_by_another_hook_never_tighten(running: Running) -> None:
    lines = payloads("2.1.332/block_storm")
    for line in lines:
        post(running, line)
    session = lines[0]["session_id"]
    blocked = [e["body"]["rule"] for e in of_calls(running, session) if e["body"].get("rule")]
    assert blocked == ["foreign_hook"] * 8
    assert set(applied(running, session)) == {"notice"}


def batch(*texts: str, turn: int, tool: str = "Bash") -> Payload:
    """Calls that were refused together, each with a command of its own."""
    items = [
        call("", call_id=f"{turn}-{n}", tool_name=tool, tool_input={"command": f"rm {turn}-{n}"},
             tool_response=text)
        for n, text in enumerate(texts)
    ]  # fmt: skip
    return {"session_id": "s", "hook_event_name": "PostToolBatch", "tool_calls": items}


def test_calls_that_are_refused_together_count_as_one_denial(running: Running) -> None:
    no = "Permission to use Bash with command rm has been denied."
    for turn in range(3):
        post(running, batch(no, no, no, no, turn=turn))
    assert applied(running, "s") == []
    post(running, batch(no, turn=3))
    assert applied(running, "s") == ["mode plan"]


def test_an_ask_that_nobody_answers_is_a_block_on_its_rule(running: Running) -> None:
    for turn in range(3):
        command = {"command": f"git reset --hard HEAD~{turn}"}
        asked = call("PreToolUse", call_id=f"{turn}", tool_name="Bash", tool_input=command)
        said = post(running, asked)["hookSpecificOutput"]
        assert said["permissionDecision"] == "ask"
        item = {**asked, "tool_response": said["permissionDecisionReason"]}
        post(running, {"session_id": "s", "hook_event_name": "PostToolBatch", "tool_calls": [item]})
    assert [entry["body"]["rule"] for entry in of_calls(running, "s")] == ["mode_shell"] * 3
    (notice,) = running.log("&kind=applied")
    assert notice["body"]["because"][0]["key"] == "same:mode_shell"


@pytest.mark.parametrize(
    ("name", "outcomes"),
    [
        ("2.1.332/parallel", "ok ok error ok error"),
        ("2.1.332/parallel_deny_one", "ok ok blocked"),
        ("2.1.332/rule_deny", "denied denied"),
        ("2.1.332/dontask", "denied denied"),
        ("2.1.332/not_allowed", "denied denied"),
        ("2.1.332/plan_mode", "denied denied"),
        ("2.1.332/updated_input", "ok"),
        ("2.1.332/hook_stop", "ok"),
        ("2.1.332/hook_defer", "unknown"),
        ("2.1.332-tty/ask_reject", "unknown"),
        ("2.1.332-tty/interrupt_bash", "unknown"),
        ("2.1.332-tty/ask_accept", "ok"),
        ("2.1.332/subagent", "ok ok error"),
    ],
)
def test_calls_end_as_they_did(running: Running, name: str, outcomes: str) -> None:
    lines = payloads(name)
    for line in lines:
        post(running, line)
    entries = of_calls(running, lines[0]["session_id"])
    assert [entry["body"].get("outcome", "unknown") for entry in entries] == outcomes.split()


def test_a_subagents_calls_are_its_own(running: Running) -> None:
    lines = payloads("2.1.332/subagent")
    for line in lines:
        post(running, line)
    session, agent = lines[0]["session_id"], "ac8ab27f155e81689"
    scopes = [e["scope"] for e in of_calls(running, session)]
    assert scopes == [session, f"{session}/{agent}", f"{session}/{agent}"]
    prompts = [e["body"].get("person", True) for e in running.log("&kind=observed")
               if e["action"] == "prompt"]  # fmt: skip
    assert prompts == [True, False]  # the second tells that the agent is done


def test_what_a_mode_forbids_is_denied_and_its_end_is_one_block(running: Running) -> None:
    debugging(running)
    said = post(running, call("PreToolUse"))["hookSpecificOutput"]
    (decided,) = of_calls(running, "s", "decided")
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"].startswith(f"[floorboss {decided['seq']}] ")
    text = f"PreToolUse:Write hook error: {said['permissionDecisionReason']}"
    item = call("", tool_response=text)
    batch = {"session_id": "s", "hook_event_name": "PostToolBatch", "tool_calls": [item]}
    assert post(running, batch) == {}
    (ended,) = of_calls(running, "s")
    assert (ended["ref"], ended["body"]["outcome"]) == (decided["seq"], "blocked")
    assert post(running, call("PreToolUse", call_id="t2", tool_name="Read")) == {}


def test_a_denied_call_whose_batch_never_came_is_closed_as_blocked(running: Running) -> None:
    debugging(running)
    post(running, call("PreToolUse"))
    post(running, {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "other"})
    (ended,) = of_calls(running, "s")
    assert (ended["body"]["outcome"], ended["body"]["end"]) == ("blocked", "SessionEnd")


@pytest.mark.parametrize(
    ("closing", "agent", "closed"),
    [
        ({"hook_event_name": "PostToolBatch", "tool_calls": []}, None, ["t1"]),
        ({"hook_event_name": "UserPromptSubmit", "prompt": "x", "prompt_id": "2"}, None, ["t1"]),
        ({"hook_event_name": "Stop"}, None, ["t1"]),
        ({"hook_event_name": "SubagentStop", "agent_type": "x"}, "a", ["t2"]),
        ({"hook_event_name": "SubagentStop", "agent_type": ""}, "a", []),
        ({"hook_event_name": "SessionEnd"}, None, ["t1", "t2"]),
        ({"hook_event_name": "PreCompact"}, None, []),
    ],
)
def test_open_calls_are_closed_where_they_must_be_over(
    running: Running, closing: Payload, agent: str | None, closed: list[str]
) -> None:
    post(running, call("PreToolUse", call_id="t1"))
    post(running, call("PreToolUse", call_id="t2", agent_id="a", agent_type="x"))
    before = running.get("/controller/sessions/s")["signals"]
    named = {"agent_id": agent} if agent else {}
    post(running, {"session_id": "s", **named, **closing})
    ended = of_calls(running, "s")
    assert [entry["body"]["call_id"] for entry in ended] == closed
    assert {entry["body"]["outcome"] for entry in ended} <= {"unknown"}
    assert running.get("/controller/sessions/s")["signals"] == before


def test_an_end_that_comes_after_its_call_was_closed_still_counts(running: Running) -> None:
    post(running, call("PreToolUse"))
    post(running, {"session_id": "s", "hook_event_name": "Stop"})
    post(running, call("PostToolUseFailure", error="Exit code 1"))
    post(running, call("PostToolUseFailure", error="Exit code 1"))
    outcomes = [e["body"]["outcome"] for e in of_calls(running, "s")]
    assert outcomes == ["unknown", "error"]


def test_a_batch_alone_makes_no_success(running: Running) -> None:
    post(running, call("PreToolUse"))
    item = call("", tool_response="File created successfully")
    batch = {"session_id": "s", "hook_event_name": "PostToolBatch", "tool_calls": [item]}
    post(running, batch)
    post(running, batch)
    assert [e["body"].get("outcome", "unknown") for e in of_calls(running, "s")] == ["unknown"]


def test_an_id_with_other_arguments_is_another_call(running: Running) -> None:
    post(running, call("PreToolUse"))
    post(running, call("PreToolUse", tool_input={"file_path": "/p/b.py", "content": "x"}))
    assert len(of_calls(running, "s", "decided")) == 2


def test_a_call_that_has_ended_is_not_judged_anew(running: Running) -> None:
    post(running, call("PreToolUse"))
    post(running, call("PostToolUse", tool_response={}))
    debugging(running)
    before = running.log()
    said = post(running, call("PreToolUse"))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert "has ended" in said["permissionDecisionReason"]
    assert running.log() == before


def test_after_a_compaction_the_agent_is_told_what_is_in_force_once(running: Running) -> None:
    debugging(running)
    start = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}
    assert post(running, {**start, "prompt_id": "1"}) == {}
    post(running, {"session_id": "s", "hook_event_name": "PostCompact", "trigger": "auto"})
    inside = call("PreToolUse", tool_name="Read", agent_id="a", agent_type="x")
    assert post(running, inside) == {}  # a subagent remembers
    said = post(running, call("PreToolUse", call_id="t2", tool_name="Read"))
    context = said["hookSpecificOutput"]["additionalContext"]
    assert "still in force: implementation -> debug" in context
    assert "permissionDecision" not in said["hookSpecificOutput"]
    assert post(running, call("PreToolUse", call_id="t3", tool_name="Read")) == {}
    post(running, {"session_id": "s", "hook_event_name": "SessionStart", "source": "resume"})
    again = post(running, {**start, "prompt_id": "2"})
    assert again["hookSpecificOutput"]["additionalContext"] == context


def test_where_nothing_is_in_force_nobody_is_reminded(running: Running) -> None:
    post(running, {"session_id": "s", "hook_event_name": "PostCompact", "trigger": "auto"})
    assert post(running, call("PreToolUse", tool_name="Read")) == {}


def test_in_observe_nothing_is_denied(tmp_path: Path) -> None:
    running = Running(tmp_path / "state", 'enforcement = "observe"\n')
    debugging(running)
    assert post(running, call("PreToolUse")) == {}
    (decided,) = of_calls(running, "s", "decided")
    assert (decided["body"]["verdict"], decided["body"]["would"]) == ("none", "deny")
    running.daemon.close()


def test_a_session_of_hooks_is_closed_to_own_routes_but_for_usage(running: Running) -> None:
    running.event("s", tool="Read")
    post(running, call("PreToolUse"))
    event = {"session_id": "s", "tool": "Read", "outcome": "ok"}
    assert running.ask("POST", "/controller/events", event).status_code == 409
    usage = {"session_id": "s", "kind": "usage", "usage": {"cost": 1.0}}
    assert running.ask("POST", "/controller/events", usage).status_code == 201


def test_a_large_answer_is_stored_short_and_without_the_file_it_changed(running: Running) -> None:
    response = {"filePath": "/p/a.py", "originalFile": "secret " * 100_000, "structuredPatch": []}
    post(running, call("PostToolUse", tool_response=response))
    (ended,) = of_calls(running, "s")
    assert len(json.dumps(ended["body"])) < 10_000
    assert "secret" not in json.dumps(ended["body"])


def test_a_command_too_long_to_be_looked_at_is_not_vouched_for(running: Running) -> None:
    command = "echo " + "a" * 200_000 + "; rm -rf /; echo " + "b" * 200_000
    post(running, call("PreToolUse", tool_name="Bash", tool_input={"command": command}))
    (decided,) = of_calls(running, "s", "decided")
    assert set(decided["body"]["effects"]) <= {"unknown", "unknown_closed"}


WRITE: Final = (
    '{"session_id": "h", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Write",'
    ' "tool_use_id": "t", "tool_input": {"file_path": "/p/a.py", "content": %s}}'
)
HOSTILE: Final[dict[str, bytes]] = {
    "NaN": (WRITE % "NaN").encode(),
    "infinity": (WRITE % "[Infinity, -Infinity, 1e999]").encode(),
    "half a character": (WRITE % r'"\ud83d"').encode(),
    "half a character in the session": (WRITE % '"x"').replace('"h"', r'"\ud800"').encode(),
    "raw surrogate bytes": (WRITE % '"@"').encode().replace(b"@", b"\xed\xa0\xbd"),
    "Latin-1": (WRITE % '"é"').encode("latin-1"),
    "2^63": (WRITE % str(2**63)).encode(),
    "5,000 digits": (WRITE % ("9" * 5_000)).encode(),
    "500 levels": (WRITE % ("[" * 500 + "]" * 500)).encode(),
    "2,000 levels": (WRITE % ("[" * 2_000 + "]" * 2_000)).encode(),
    "100,000 levels": (WRITE % ("[" * 100_000 + "]" * 100_000)).encode(),
    "levels without an end": (WRITE % ("[" * 100_000)).encode(),
    "a key twice": (WRITE % '"x", "content": "y"').encode(),
    "the tool twice": (WRITE % '"x"').replace("{", '{"tool_name": "Read", ', 1).encode(),
    "a byte order mark": b"\xef\xbb\xbf" + (WRITE % '"x"').encode(),
    "UTF-16": (WRITE % '"x"').encode("utf-16"),
    "controls and bidi": (WRITE % r'"\u0000\u001b[31m\u202e"').encode(),
    "a NUL in the path": (WRITE % '"x"').replace("a.py", r"a\u0000.py").encode(),
    "a number as its session": (WRITE % '"x"').replace('"h"', "1").encode(),
    "a slash in its session": (WRITE % '"x"').replace('"h"', '"a/b"').encode(),
    "everywhere as its session": (WRITE % '"x"').replace('"h"', '"*"').encode(),
    "no tool": (WRITE % '"x"').replace('"Write"', "null").encode(),
    "a list as its input": (WRITE % '"x"}]}').replace('{"file', '[{"file').encode()[:-2],
    "no input": b'{"session_id": "h", "hook_event_name": "PreToolUse", "tool_name": "Write"}',
    "empty": b"",
    "blank": b" \n",
    "cut short": (WRITE % '"x"').encode()[:-9],
    "a list": b"[]",
    "null": b"null",
    "an object without anything": b'{"hook_event_name": "PreToolUse"}',
    "escaped quotes without an end": b'"' + b'\\"' * 20_000,
    "16 MiB in one string": (WRITE % ('"' + "x" * ((16 << 20) - 300) + '"')).encode(),
    "more than 16 MiB": (WRITE % ('"' + "x" * (17 << 20) + '"')).encode(),
}  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_body_of_a_write_in_debug_is_denied(hostile: Running, body: bytes) -> None:
    said = post(hostile, body)["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse"
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"].startswith("[floorboss ")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon that holds everything in debug."""
    started = Running(tmp_path_factory.mktemp("hostile") / "state")
    debugging(started)
    yield started
    started.daemon.close()


@pytest.mark.parametrize("content", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_the_media_type_does_not_matter(hostile: Running, content: str) -> None:
    body = (WRITE % '"x"').replace('"t"', f'"{content}"').encode()
    response = hostile.ask("POST", ROUTE, body, headers={"Content-Type": content})
    assert response.json()["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_cannot_be_read_is_kept_by_its_digest_and_its_fault(hostile: Running) -> None:
    post(hostile, b'{"session_id": "kept", "hook_event_name": "PreToolUse", "secret')
    (decided,) = of_calls(hostile, "kept", "decided")
    assert decided["body"]["arguments"]["fault"] == "bad_json"
    assert len(decided["body"]["arguments"]["digest"]) == 16
    assert "secret" not in json.dumps(decided["body"])


def test_a_body_that_cannot_be_read_and_is_no_attempt_is_a_note(hostile: Running) -> None:
    assert post(hostile, b'{"session_id": "noted", "hook_event_name": "Stop", "x') == {}
    (note,) = [e for e in hostile.log("&kind=observed") if e["scope"] == "noted"]
    assert (note["action"], note["summary"]) == ("session", '"Stop"')


def test_a_batch_of_many_calls_is_taken_in_slices(running: Running) -> None:
    items = [call("", call_id=f"t{n}", tool_response="<tool_use_error>x") for n in range(250)]
    batch = {"session_id": "s", "hook_event_name": "PostToolBatch", "tool_calls": items}
    post(running, call("PreToolUse", call_id="open"))
    post(running, batch)
    ended = of_calls(running, "s")
    assert [e["body"]["call_id"] for e in ended] == [*(f"t{n}" for n in range(250)), "open"]


@pytest.mark.parametrize("role", ["outline", "reader"])
def test_a_missing_or_a_wrong_token_is_401(running: Running, role: Any) -> None:
    response = running.ask("POST", ROUTE, call("PreToolUse"), role=role)
    assert response.status_code == 401
    assert running.log("&kind=decided") == []


def test_a_token_nobody_knows_is_told_where_the_right_one_lies(running: Running) -> None:
    wrong = {"Authorization": "Bearer wrong"}
    response = running.ask("POST", ROUTE, call("PreToolUse"), headers=wrong)
    assert response.status_code == 401
    assert "harness.token" in response.json()["detail"]


def test_a_harness_that_is_not_known_hears_nothing_and_leaves_nothing(running: Running) -> None:
    before = running.log()
    response = running.ask("POST", "/hooks/unheard-of", call("PreToolUse"))
    assert (response.status_code, response.json()) == (200, {})
    assert running.log() == before


def test_when_nothing_can_be_logged_writes_are_denied_and_reads_go_on(running: Running) -> None:
    running.event("s", tool="Read")
    filled(running)
    said = post(running, call("PreToolUse"))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"].startswith("[floorboss -] the log cannot be written")
    assert post(running, call("PreToolUse", tool_name="Read")) == {}
    assert post(running, call("PostToolUse", tool_response={})) == {}
    unreadable = post(running, b"{")["hookSpecificOutput"]
    assert unreadable["permissionDecision"] == "deny"
