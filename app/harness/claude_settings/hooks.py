"""The hooks that floorboss wants in Claude Code's settings, and how it knows them again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Handler: TypeAlias = Mapping[str, Any]  # one item of `hooks.<event>[].hooks`

ROUTE: Final = "/hooks/claude-code"
TIMEOUT: Final = 3  # seconds; Claude's own default lets a daemon that hangs stall a tool for 600
PATIENCE: Final = 2  # seconds that the command of SessionStart waits, inside of TIMEOUT
MARK: Final = "X-Floorboss"  # header by which our hooks are known again, whatever their URL
TOKEN_VARIABLE: Final = "FLOORBOSS_TOKEN"
BLOCKS_SINCE: Final = (2, 1, 295)  # Claude Code's first version that knows onFailure
EVENTS: Final = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "UserPromptSubmit",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
    "ConfigChange",
)
SESSION_START: Final = "SessionStart"  # Claude posts this one to no URL; a command does


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where Claude's hooks are to report.

    `token`: the harness's, written into the file; None: read from `$FLOORBOSS_TOKEN` when sent.
    `header_file` holds the header for curl; `certificate` is what a TLS daemon shows, or None.
    `fail_closed`: whether a call is blocked when its PreToolUse hook gets no proper answer.
    """

    url: str
    token: str | None
    header_file: str
    certificate: str | None = None
    fail_closed: bool = False


def hooks(target: Target) -> dict[str, Handler]:
    """The hook wanted for each event, in the order in which they are written."""
    posted: dict[str, Handler] = {event: _post(target, event) for event in EVENTS}
    return {**posted, SESSION_START: _command(target)}


def is_ours(handler: object) -> bool:
    """Whether floorboss put a hook there; one written by hand to the same address it did not."""
    if not isinstance(handler, dict):
        return False
    headers = handler.get("headers")
    return (isinstance(headers, dict) and MARK in headers) or MARK in str(handler.get("command"))


def _post(target: Target, event: str) -> Handler:
    token = f"${TOKEN_VARIABLE}" if target.token is None else target.token
    named = {"allowedEnvVars": [TOKEN_VARIABLE]} if target.token is None else {}
    closed = {"onFailure": "block"} if target.fail_closed and event == "PreToolUse" else {}
    return {
        "type": "http",
        "url": target.url + ROUTE,
        "timeout": TIMEOUT,
        "headers": {"Authorization": f"Bearer {token}", MARK: "1"},
        **named,
        **closed,
    }


def _command(target: Target) -> Handler:
    trusted = ("--cacert", target.certificate) if target.certificate else ()
    words = (
        *("curl", "-sf", "--max-time", str(PATIENCE), *trusted),
        *("-H", f"@{target.header_file}", "-H", "Content-Type: application/json"),
        *("-H", f"{MARK}: 1", "--data-binary", "@-", target.url + ROUTE),
    )
    # A session must start whether or not the daemon runs.
    return {"type": "command", "command": f"{shlex.join(words)} || true", "timeout": TIMEOUT}
