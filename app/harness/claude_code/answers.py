"""What floorboss answers to Claude Code's hooks: deny, ask or nothing, and what happened.

    answer(hook, reply)   the JSON of the answer; `{}` where there is nothing to say

A turn is ended with a denial: `continue: false` alone would end it and run the call. 2.1.197 goes
on even so, and ends it when it is told once more with the batch of the denied call.

Only the keys below are ever sent: Claude drops an answer that fails its schema, and with it a deny.
"Allow" is not among the words, as it would skip the person's own prompt.
"""

from __future__ import annotations

from typing import Final

from app.domain.events import Json
from app.harness.base import Reply
from app.harness.claude_code.reading import PRE

# The hooks whose additionalContext reaches the model.
CONTEXT: Final = frozenset(
    {
        PRE,
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "UserPromptSubmit",
        "SessionStart",
        "SubagentStart",
    }
)


def answer(hook: str, reply: Reply) -> dict[str, Json]:
    """The answer to one hook; what this hook cannot carry is left out."""
    specific: dict[str, Json] = {}
    if hook == PRE and reply.verdict in ("ask", "deny"):
        specific["permissionDecision"] = reply.verdict
        specific["permissionDecisionReason"] = reply.reason or ""
    if reply.context and hook in CONTEXT:
        specific["additionalContext"] = reply.context
    said: dict[str, Json] = {}
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": hook, **specific}
    if reply.message:
        said["systemMessage"] = reply.message
    denied = hook == PRE and reply.verdict == "deny"
    if reply.ends_turn and (denied or hook == "PostToolBatch"):
        said |= {"continue": False, "stopReason": reply.reason or ""}
    return said
