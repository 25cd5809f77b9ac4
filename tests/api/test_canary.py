"""Random names over the hook route: what is answered about them is quoted, short and inert."""

from __future__ import annotations

import re
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.running import Running

ROUTE: Final = "/hooks/claude-code"
NAMES: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
CANARY: Final = "kanarienvogel"
# A canary in text that may hold anything a JSON document can.
texts: Final = st.tuples(st.text(max_size=200), st.text(max_size=200)).map(CANARY.join)


def told(running: Running, hook: str, **fields: Any) -> str:
    """All that Claude Code, its model and its person are told at one hook."""
    payload = {"session_id": "s", "cwd": "/p", "hook_event_name": hook, **fields}
    answer = running.post(ROUTE, payload, "harness")
    specific = answer.get("hookSpecificOutput", {})
    said = (
        specific.get("permissionDecisionReason"),
        specific.get("additionalContext"),
        answer.get("systemMessage"),
    )
    return "\n".join(filter(None, said))


def harmless(said: str) -> None:
    assert {sign for sign in said if not sign.isprintable()} <= {"\n"}
    assert CANARY not in NAMES.sub("", said)
    assert all(len(name) <= 82 for name in NAMES.findall(said))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts)
def test_a_name_is_told_in_quotes_and_a_text_not_at_all(shared: Running, text: str) -> None:
    """The session is in plan mode, so every one of these calls is answered."""
    for tool, arguments in (
        ("Write", {"file_path": f"/p/{text}", "content": text}),
        ("Bash", {"command": text}),
        ("Bash", {"command": f"frobnicate {text!r}"}),
        (text, {"query": text}),
        (f"mcp__{text}__x", {"path": text}),
    ):
        said = told(shared, "PreToolUse", tool_name=tool, tool_input=arguments)
        harmless(said)
        failed = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": text}
        assert CANARY not in told(shared, "PostToolUseFailure", **failed)


def test_a_denial_names_what_it_is_about(shared: Running) -> None:
    path = {"file_path": f"/p/{CANARY}.py", "content": "x"}
    said = told(shared, "PreToolUse", tool_name="Write", tool_input=path)
    assert said.startswith("[floorboss ")
    assert "Write" in said or CANARY in said
