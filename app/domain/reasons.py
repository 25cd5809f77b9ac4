"""The text an agent or a person reads with a verdict: `[floorboss SEQ]`, what was found, a way out.

It is built from the words of our tables and quoted names and never holds tool output, prompts or
other text of an agent: in some harnesses it arrives as a system message (docs/design.md 4).
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.inert import inert
from app.domain.restrictions import Decision, VerdictRule

QUOTED = 80  # characters of one quoted name, escapes included

_WHAT: Mapping[VerdictRule, str] = {
    "guarded": "{detail} holds settings that no mode may write.",
    "mode_tool": "mode {by} has no use for the tool {detail}.",
    "mode_shell": "mode {by} {answer} {effect} and {detail} is one.",
    "boundary": "{detail} is closed: a test run is red, and editing it is no way to make it green.",
    "mode_write": "{detail} is outside what may be written{in_mode}.",
    "posture": "posture {posture} {answer} this call: {detail}.",
    "tool_verdict": "the policy {answer} the tool {detail}.",
    "shell_denial": "the policy denies commands that start with {detail}.",
    "soft": "the soft rule {detail} {answer} calls like this one.",
}
_BY_NOTICE = (
    "{detail} is closed since notice {notice}: a red test run went green over test files that "
    "changed in between. Change the source only; a person looks at the notice and may take it back."
)
_EFFECTS: Mapping[str, str] = {
    "read": "commands that read",
    "talk": "the agent's bookkeeping",
    "test": "test runs",
    "write": "commands that write",
    "git_record": "git commands that record",
    "git_restore": "git commands that change the working tree without naming open paths",
    "unknown": "commands it cannot vouch for",
    "unknown_closed": "commands it cannot vouch for that name a closed path or run code inline",
}
_TOOLS: Mapping[str, str] = {  # the same effects, of a tool that is no command
    "unknown": "tools it cannot vouch for",
    "unknown_closed": "tools it cannot vouch for that name a closed path or code to run",
}
_WAY_OUT: Mapping[VerdictRule, str] = {
    "guarded": "Leave it; a person edits it themselves.",
    "mode_tool": "",
    "mode_shell": "A file command is judged better alone, with its paths spelled out.",
    "boundary": "Change the source until the same run, alone in its line, is green, or say what is "
    "wrong with the test.",
    "mode_write": "",
    "posture": "Say what you need; a person can apply another posture.",
    "tool_verdict": "Use another tool, or say what you need.",
    "shell_denial": "Use another command, or say what you need.",
    "soft": "Do without it, or say what you need it for.",
}
_ANSWERS: Mapping[str, str] = {"ask": "asks a person about", "deny": "denies", "none": "allows"}


def quoted(name: str) -> str:
    """A name in quotes: control and direction characters escaped, at most 80 characters."""
    marked = name[: QUOTED + 1].replace("\\", "\\\\").replace('"', '\\"')
    shown = inert(marked)
    return f'"{shown if len(shown) <= QUOTED else shown[: QUOTED - 3] + "..."}"'


def reason(decision: Decision, seq: int) -> str:
    """Why a call is asked about or denied, and what can be done; `seq` is the decided entry's."""
    if decision.rule is None:
        return f"[floorboss {seq}] nothing stands against this call."
    if decision.notice:
        said = _BY_NOTICE.format(detail=quoted(decision.detail), notice=decision.notice)
        return f"[floorboss {seq}] {said}"
    what = _WHAT[decision.rule].format(
        detail=quoted(decision.detail),
        by=decision.by,
        in_mode=f" in mode {decision.by}" if decision.by else "",
        posture=decision.posture,
        answer=_ANSWERS[decision.verdict],
        effect=(_EFFECTS if decision.command else _TOOLS).get(decision.effect or "", "such calls"),
    )
    return " ".join(filter(None, (f"[floorboss {seq}]", what, *_ways_out(decision))))


def _ways_out(decision: Decision) -> tuple[str, ...]:
    ask = "A person may say yes to it." if decision.verdict == "ask" else ""
    hand_over = (
        f"Hand over your {decision.handoff}: end your turn with a fenced block that opens with"
        f" ```floorboss {decision.handoff}, or propose a mode with a reason; a person decides."
        if decision.handoff
        else ""
    )
    own = _own_way_out(decision)
    by_mode = decision.rule in ("mode_tool", "mode_write") and not hand_over
    propose = "Propose another mode with a reason; a person decides." if by_mode else ""
    return (ask, hand_over, own, propose)


def _own_way_out(decision: Decision) -> str:
    """What helps by the rule that decided; another tool is what stands in for an unknown one."""
    if decision.rule is None:
        return ""
    instead = decision.rule == "mode_shell" and not decision.command
    return _WAY_OUT["tool_verdict" if instead else decision.rule]
