"""How an agent's environment is recognised, so that no secret for a person is shown in it.

A guard against accidents, not a wall: an agent can clear its environment. What a person sets in
a shell profile (a home folder, an API key, a provider) is no marker, or that person would never
be given the operator's console.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final = frozenset(
    {
        "AGENT",
        "AI_AGENT",
        "AMP_THREAD_ID",
        "ANTIGRAVITY_AGENT",
        "AUGMENT_AGENT",
        "CI",
        "CLAUDECODE",
        "CLAUDE_CODE",
        "CLINE_ACTIVE",
        "GEMINI_CLI",
        "GOOSE_TERMINAL",
        "QWEN_CODE",
    }
)
PREFIXES: Final = ("CLAUDE_CODE_", "CODEX_", "COPILOT_", "CURSOR_", "OPENCODE")
PERSONS: Final = ("_API_KEY", "_HOME", "_CONFIG", "_CONFIG_DIR", "_MODEL", "_TOKEN")  # endings
PERSONS_PREFIXES: Final = ("CLAUDE_CODE_USE_", "CLAUDE_CODE_DISABLE_", "CLAUDE_CODE_MAX_")
OFF: Final = frozenset({"", "0", "false", "no", "off"})


def agent_markers(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The names in `environ` that say an agent or a build server started this, in order."""
    return tuple(sorted(name for name, value in environ.items() if _marks(name, value)))


def _marks(name: str, value: str) -> bool:
    if value.strip().lower() in OFF:
        return False
    if name in NAMES:
        return True
    persons = name.endswith(PERSONS) or name.startswith(PERSONS_PREFIXES)
    return name.startswith(PREFIXES) and not persons
