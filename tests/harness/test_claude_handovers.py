"""What Claude hands over in its own ways: fenced blocks of a last message, and plans."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.events import Event
from app.harness.claude_code.handovers import MOST, found
from app.harness.claude_code.reading import read
from tests.harness.test_claude_code import BASE, CALL, DIGEST, cases


def events(hook: str, **more: Any) -> tuple[Event, ...]:
    return read({**BASE, **more, "hook_event_name": hook}, DIGEST).events


@pytest.mark.parametrize("case", cases("claude_handovers.json"))
@pytest.mark.parametrize("hook", ["Stop", "SubagentStop"])
def test_the_blocks_of_a_last_message(case: dict[str, Any], hook: str) -> None:
    *handed, last = events(hook, agent_id="a", last_assistant_message=case["given"])
    assert [event.arguments for event in handed] == case["then"], case["why"]
    assert {(event.kind, event.scope) for event in handed} <= {("artifact", "s/a")}
    assert last.kind in ("turn", "session_end")


def test_of_many_blocks_the_last_ones_are_taken() -> None:
    text = "".join(f"```floorboss plan\n{at}\n```\n" for at in range(MOST + 3))
    assert [block.text for block in found(text)] == [str(at) for at in range(3, MOST + 3)]


@pytest.mark.parametrize("message", [None, 3, ["```floorboss\nx\n```"], ""])
def test_what_is_no_message_hands_nothing_over(message: Any) -> None:
    assert [event.kind for event in events("Stop", last_assistant_message=message)] == ["turn"]


def test_an_agent_that_nobody_started_hands_nothing_over() -> None:
    stray = events("SubagentStop", last_assistant_message="```floorboss\nx\n```")
    assert [event.kind for event in stray] == ["note"]


def test_the_plan_that_a_person_is_asked_about_is_one() -> None:
    given = {**CALL, "tool_name": "ExitPlanMode", "tool_input": {"plan": "first"}}
    attempt, artifact = events("PreToolUse", **given)
    assert attempt.kind == "attempt"
    assert (artifact.kind, artifact.call_id) == ("artifact", "t1")
    assert artifact.arguments == {"kind": "plan", "text": "first"}


@pytest.mark.parametrize("given", [{}, {"plan": " "}, {"plan": 3}, [], None])
def test_leaving_plan_mode_without_a_plan_is_an_attempt_and_no_more(given: Any) -> None:
    made = events("PreToolUse", **{**CALL, "tool_name": "ExitPlanMode", "tool_input": given})
    assert [event.kind for event in made] == ["attempt"]


def test_another_tool_with_a_plan_hands_none_over() -> None:
    given = {**CALL, "tool_name": "Other", "tool_input": {"plan": "first"}}
    assert [event.kind for event in events("PreToolUse", **given)] == ["attempt"]


@given(st.text(alphabet='`~ \nfloorbs{}"x', max_size=200))
def test_every_message_is_read_to_its_end(message: str) -> None:
    assert all(block.text.strip() for block in found(message))


_line = st.text(alphabet="abc `~", max_size=12).filter(
    lambda line: not line.lstrip().startswith("~~~")
)


@given(st.lists(_line, min_size=1, max_size=6), st.text(alphabet="abc \n", max_size=20))
def test_what_stands_between_two_fences_is_what_is_handed_over(
    lines: list[str], before: str
) -> None:
    text = "\n".join(lines)
    blocks = found(f"{before}\n~~~floorboss plan\n{text}\n~~~\nafter")
    assert [tuple(block) for block in blocks] == ([("plan", text)] if text.strip() else [])
