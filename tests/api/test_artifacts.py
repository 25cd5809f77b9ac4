"""What an agent hands over, at the real application: own route, hooks, reads, what is told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.recordings import ROUTE
from tests.api.running import Running

WHOLE = {
    "failing": "test_total",
    "expected": "3",
    "actual": "4",
    "where": "src/cart.py",
    "hypothesis": "the tax is added twice",
}


def looked(running: Running, session: str = "s", times: int = 6) -> None:
    """Calls that read, enough for a cooldown to pass."""
    for at in range(times):
        seq = running.event(session, kind="usage")["seq"]
        running.event(session, tool="Read", arguments={"file_path": f"{seq}-{at}.py"}, outcome="ok")


def debugging(running: Running, session: str = "s") -> dict[str, Any]:
    """Four failed edits of one file; the entry that puts the session into debug mode."""
    looked(running, session)
    fired: list[dict[str, Any]] = []
    for at in range(4):
        edit = {"file_path": "src/cart.py", "old_string": f"a{at}", "new_string": "b"}
        fired = running.event(session, tool="Edit", arguments=edit, outcome="error")["fired"]
    assert fired[0]["body"]["mode"] == "debug"
    return fired[0]


def hand(running: Running, session: str = "s", **fields: object) -> dict[str, Any]:
    body = {"session_id": session, **fields}
    answer: dict[str, Any] = running.post("/controller/artifacts", body, "harness")
    return answer


def hook(running: Running, name: str, session: str = "h", **fields: object) -> dict[str, Any]:
    payload = {"session_id": session, "cwd": "/p", "hook_event_name": name, **fields}
    answer: dict[str, Any] = running.post(ROUTE, payload, "harness")
    return answer


def test_a_diagnosis_is_taken_and_answered_with_what_came_of_it(running: Running) -> None:
    tightening = debugging(running)
    looked(running, times=1)
    said = hand(running, text="The total in src/cart.py adds the tax twice.")
    assert (said["kind"], said["valid"], said["why"]) == ("diagnosis", True, None)
    assert (said["mode"], said["duplicate"]) == ("implementation", False)
    assert [entry["kind"] for entry in said["fired"]] == ["approved", "reverted"]
    assert said["fired"][1]["ref"] == tightening["seq"]
    stored = running.get(f"/controller/log/{said['seq']}")
    assert (stored["actor"], stored["action"]) == ("harness:harness", "artifact")
    assert stored["summary"] == "diagnosis handed over"
    assert stored["body"]["names"] == ["src/cart.py", "cart.py"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("It is broken.", "it names nothing of what was stopped: name one of"),
        ("src/cart.py is broken.", "nothing was read, searched or tested since"),
    ],
)
def test_what_lacks_something_is_stored_and_says_what(
    running: Running, text: str, why: str
) -> None:
    debugging(running)
    said = hand(running, text=text)
    assert (said["valid"], said["fired"], said["mode"]) == (False, [], "debug")
    assert why in said["why"]


def test_parts_are_taken_whole_or_not_at_all(running: Running) -> None:
    debugging(running)
    looked(running, times=1)
    wrong = running.ask(
        "POST", "/controller/artifacts", {"session_id": "s", "parts": {**WHOLE, "more": "x"}}
    )
    assert wrong.status_code == 422
    assert all(part in wrong.json()["detail"] for part in WHOLE)
    assert [entry["action"] for entry in running.log("&kind=observed")].count("artifact") == 0
    assert hand(running, parts=WHOLE)["mode"] == "implementation"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "either text or parts"),
        ({"text": "x", "parts": {"a": "b"}}, "either text or parts"),
        ({"text": " "}, "not empty"),
        ({"text": "x", "kind": "poem"}, "kind: expected one of diagnosis, assessment, plan"),
        ({"text": "x"}, "kind: no mode in force wants anything"),
        ({"text": "x", "more": 1}, "body: "),
        ({"parts": {"goal": 1}, "kind": "plan"}, "parts: hand over text, or exactly the parts"),
    ],
)
def test_what_is_none_is_refused_and_nothing_is_stored(
    running: Running, body: dict[str, Any], said: str
) -> None:
    answer = running.ask("POST", "/controller/artifacts", {"session_id": "s", **body})
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert running.log("&kind=observed") == []


def test_the_same_again_is_answered_with_the_first_and_what_it_caused(running: Running) -> None:
    debugging(running)
    looked(running, times=1)
    first = hand(running, text="cart.py", event_id="d1")
    again = hand(running, text="cart.py", event_id="d1")
    assert again == {**first, "duplicate": True}
    other = {"session_id": "s", "text": "another", "kind": "plan", "event_id": "d1"}
    assert running.ask("POST", "/controller/artifacts", other).status_code == 409


def test_an_agent_whose_hooks_report_it_may_hand_over_by_the_own_route(running: Running) -> None:
    hook(running, "UserPromptSubmit", "s", prompt="go")
    assert hand(running, text="first the test", kind="plan")["valid"]
    call = {"session_id": "s", "tool": "X"}
    assert running.ask("POST", "/controller/events", call).status_code == 409


def test_a_reader_without_a_token_sees_that_it_was_handed_over_and_not_what(
    running: Running,
) -> None:
    debugging(running)
    looked(running, times=1)
    seq = hand(running, text="cart.py holds the canary Zx9")["seq"]
    for path in ("/controller/sessions/s", f"/controller/log/{seq}", "/controller/log"):
        assert "Zx9" not in running.ask("GET", path, role="outline").text
    shown = running.get(f"/controller/log/{seq}", "outline")
    assert (shown["body"]["handover"], shown["body"]["valid"]) == ("diagnosis", True)
    (artifact,) = running.get("/controller/sessions/s", "outline")["artifacts"]
    assert (artifact["seq"], artifact["length"]) == (seq, len("cart.py holds the canary Zx9"))
    handoff = running.get("/controller/sessions/s")["handoff"]
    assert handoff["artifacts"][0]["text"] == "cart.py holds the canary Zx9"


def test_beyond_the_last_use_the_return_shows_the_artifact(tmp_path: Any) -> None:
    running = Running(tmp_path / "state", "[standing.diagnosis]\nuses = 0\n")
    debugging(running)
    looked(running, times=1)
    seq = hand(running, text="cart.py")["seq"]
    (back,) = running.get("/controller/sessions/s")["proposals"]
    assert (back["artifact"]["seq"], back["artifact"]["kind"]) == (seq, "diagnosis")
    assert "text" not in back["artifact"]
    assert running.get(f"/controller/log/{back['seq']}")["artifact"]["text"] == "cart.py"
    assert "text" not in running.get(f"/controller/log/{back['seq']}", "outline")["artifact"]
    running.daemon.close()


def test_the_answer_says_what_happens_next_up_to_the_last_use_and_beyond(tmp_path: Any) -> None:
    running = Running(tmp_path / "state", "[standing.diagnosis]\nuses = 1\n")
    debugging(running)
    assert "It does not count yet" in hand(running, text="It is broken.")["next"]
    looked(running, times=1)
    first = hand(running, text="cart.py", event_id="d1")
    assert "standing approval diagnosis, use 1 of 1" in first["next"]
    assert "In force now: mode implementation" in first["next"]
    assert hand(running, text="cart.py", event_id="d1")["next"] == first["next"]
    debugging(running)
    looked(running, times=1)
    beyond = hand(running, text="cart.py")
    (back,) = running.get("/controller/sessions/s")["proposals"]
    assert (beyond["valid"], beyond["mode"]) == (True, "debug")
    assert beyond["next"] == (
        "It waits for a person, as the standing approval diagnosis is used up (1); "
        f"the way back is {back['seq']}."
    )
    assert running.get("/controller/sessions/s")["standing"]["diagnosis"] == {"used": 1, "of": 1}
    running.daemon.close()


def test_what_nothing_waits_for_is_kept(running: Running) -> None:
    unasked = hand(running, text="first the test", kind="plan")
    assert unasked["next"] == "It is kept; nothing waits for it."


def test_a_mode_shows_what_it_wants_as_a_schema(running: Running) -> None:
    output = running.get("/controller/modes/debug")["output"]
    assert output["anyOf"][1]["required"] == list(WHOLE)
    assert running.get("/controller/modes/implementation")["output"] is None


def stuck(running: Running, session: str = "h") -> dict[str, Any]:
    """Four edits that fail, as Claude tells of them: by their batch alone."""
    for at in range(6):
        hook(running, "PostToolUse", session, tool_name="Read", tool_response="text",
             tool_input={"file_path": f"/p/{running.log()[-1]['seq']}"},
             tool_use_id=f"r{running.log()[-1]['seq']}-{at}")  # fmt: skip
    said: dict[str, Any] = {}
    for _ in range(4):
        at = running.log()[-1]["seq"]
        edit = {"file_path": "/p/src/cart.py", "old_string": f"a{at}", "new_string": "b"}
        call = {"tool_name": "Edit", "tool_input": edit, "tool_use_id": f"e{at}"}
        failed = "<tool_use_error>String to replace not found in file.\nString: a"
        said = hook(running, "PostToolBatch", session,
                    tool_calls=[{**call, "tool_response": f"{failed}{at}"}])  # fmt: skip
    return said


def stops(running: Running, message: str, session: str = "h") -> dict[str, Any]:
    return hook(running, "Stop", session, stop_hook_active=False, last_assistant_message=message)


def reads(running: Running, session: str = "h") -> dict[str, Any]:
    at = running.log()[-1]["seq"]
    return hook(running, "PostToolUse", session, tool_name="Read", tool_response=f"text {at}",
                tool_input={"file_path": f"/p/{at}"}, tool_use_id=f"r{at}")  # fmt: skip


def context(answer: dict[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_a_fenced_block_at_the_turns_end_is_used_and_the_next_prompt_hears_of_it(
    running: Running,
) -> None:
    told = stuck(running)
    assert "-> debug" in told["systemMessage"]
    assert "```floorboss diagnosis" in context(told)
    reads(running)
    said = stops(running, "Done.\n```floorboss diagnosis\ncart.py adds the tax twice\n```\n")
    assert "standing approval diagnosis, use 1 of 3" in said["systemMessage"]
    assert "floorboss propose h --mode debug --reason WHY --decide" in said["systemMessage"]
    assert running.get("/controller/sessions/h")["mode"] == "implementation"
    heard = context(hook(running, "UserPromptSubmit", prompt="go on", prompt_id="p1"))
    assert "standing approval diagnosis, use 1 of 3" in heard
    assert "In force now: mode implementation" in heard
    assert context(hook(running, "UserPromptSubmit", prompt="go on", prompt_id="p2")) == ""


def test_what_a_block_lacks_is_told_to_the_person_and_with_the_next_prompt(
    running: Running,
) -> None:
    stuck(running)
    said = stops(running, "```floorboss\nsomething is wrong\n```")
    assert "diagnosis handed over. It does not count yet: it names nothing" in said["systemMessage"]
    heard = context(hook(running, "UserPromptSubmit", prompt="so?", prompt_id="p1"))
    assert "your diagnosis does not count yet: it names nothing" in heard
    assert "still in force: implementation -> debug" in heard


def test_a_block_of_parts_is_one_as_well(running: Running) -> None:
    stuck(running)
    reads(running)
    parts = ", ".join(f'"{name}": "{text}"' for name, text in WHOLE.items())
    stops(running, f"~~~floorboss diagnosis\n{{{parts}}}\n~~~")
    assert running.get("/controller/sessions/h")["mode"] == "implementation"


def planned(running: Running) -> None:
    """The same failing line until plan mode is in force."""
    for at in range(3):
        hook(running, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"},
             tool_use_id=f"b{at}", error="Exit code 2\nno rule", is_interrupt=False)  # fmt: skip
    assert running.get("/controller/sessions/h")["mode"] == "plan"


def plan_call(running: Running, call_id: str = "x1") -> dict[str, Any]:
    return hook(
        running, "PreToolUse", tool_name="ExitPlanMode", tool_use_id=call_id,
        tool_input={"plan": "First the rule, then the build."},
    )  # fmt: skip


def test_a_plan_that_was_agreed_to_goes_on_with_the_next_prompt(running: Running) -> None:
    planned(running)
    said = plan_call(running)
    assert "hookSpecificOutput" not in said
    assert said["systemMessage"].endswith(
        "Your next prompt uses the standing approval plan, use 1 of 3."
    )
    hook(running, "PostToolUse", tool_name="ExitPlanMode", tool_use_id="x1",
         tool_input={"plan": "First the rule, then the build."}, tool_response="ok")  # fmt: skip
    note = "<task-notification>done</task-notification>"
    hook(running, "UserPromptSubmit", prompt=note, prompt_id="p0")
    assert running.get("/controller/sessions/h")["mode"] == "plan"
    heard = hook(running, "UserPromptSubmit", prompt="go", prompt_id="p1")
    assert "standing approval plan, use 1 of 3" in context(heard)
    assert "standing approval plan, use 1 of 3" in heard["systemMessage"]
    assert running.get("/controller/sessions/h")["mode"] == "implementation"


def test_a_plan_that_a_person_refused_leads_nowhere(running: Running) -> None:
    planned(running)
    plan_call(running)
    hook(
        running, "UserPromptSubmit", prompt="no, otherwise", prompt_id="p1"
    )  # nothing else is sent
    assert running.get("/controller/sessions/h")["mode"] == "plan"


def test_a_plan_where_nothing_was_stopped_is_no_news(running: Running) -> None:
    assert plan_call(running) == {}
    assert plan_call(running) == {}
    artifacts = [e for e in running.log("&kind=observed") if e["action"] == "artifact"]
    assert [e["body"]["text"] for e in artifacts] == ["First the rule, then the build."]
