"""An agent's environment is recognised; a person's shell profile is not one."""

from __future__ import annotations

import pytest

from app.service.agent_markers import agent_markers


@pytest.mark.parametrize(
    "name",
    [
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SSE_PORT",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
        "CURSOR_AGENT",
        "CURSOR_TRACE_ID",
        "GEMINI_CLI",
        "OPENCODE",
        "OPENCODE_PID",
        "COPILOT_CLI",
        "COPILOT_AGENT_SESSION_ID",
        "QWEN_CODE",
        "AGENT",
        "AI_AGENT",
        "CI",
    ],
)
def test_what_an_agent_or_a_build_server_sets_is_a_marker(name: str) -> None:
    assert agent_markers({"PATH": "/bin", name: "1"}) == (name,)


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "CODEX_HOME",
        "CODEX_API_KEY",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "COPILOT_MODEL",
        "SSH_AGENT_PID",
        "SSH_AUTH_SOCK",
        "CIRCLE",
        "TERM_PROGRAM",
    ],
)
def test_what_a_person_sets_is_none(name: str) -> None:
    assert agent_markers({name: "1"}) == ()


@pytest.mark.parametrize("value", ["", "0", "false", "False", " "])
def test_what_is_switched_off_is_none(value: str) -> None:
    assert agent_markers({"CI": value, "CLAUDECODE": value}) == ()


def test_all_markers_are_named_in_order() -> None:
    environ = {"CODEX_CI": "1", "CLAUDECODE": "1", "HOME": "/root", "AGENT": "goose"}
    assert agent_markers(environ) == ("AGENT", "CLAUDECODE", "CODEX_CI")
