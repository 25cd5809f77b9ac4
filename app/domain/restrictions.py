"""What restricts calls beside the mode, what a call is, and what is said about it: the values.

A policy is stored whole. `changed` makes a whole one from a difference, so that a person may ask
for one thing without repeating the rest; whatever is unknown in it is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from immutables import Map

from app.domain.calls import Effect, Target, ToolClass
from app.domain.configuration import POSTURES, Posture
from app.domain.events import Json
from app.domain.modes import VERDICTS, Malformed, Mode, Verdict
from app.domain.patterns import refusal

VerdictRule = Literal[
    "guarded",
    "mode_tool",
    "mode_shell",
    "boundary",
    "mode_write",
    "posture",
    "tool_verdict",
    "shell_denial",
    "soft",
]
# How long the lists of one policy may be: two policies then fit the probe grid of 600 calls.
TOOLS, DENIALS, PATTERNS = 40, 40, 20
PARTS = ("posture", "verdicts", "shell_denials", "write_paths", "lifted")  # of a policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Restrictions beside the mode; the defaults restrict nothing."""

    posture: Posture = "yolo"
    verdicts: Map[str, Verdict] = field(default_factory=Map)  # by the tool's own name
    shell_denials: tuple[str, ...] = ()  # program names or the first words of a command
    write_paths: tuple[str, ...] | None = None  # None: the mode alone decides; (): nothing
    lifted: tuple[str, ...] = ()  # soft rules that let pass: RULE, or RULE:STEP for one step


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What there is to know about a call before it runs."""

    tool: str
    tool_class: ToolClass
    effects: tuple[Effect, ...]
    targets: tuple[Target, ...] = ()
    part: str | None = None  # the part of a shell line that nobody could vouch for
    commands: tuple[str, ...] = ()  # the simple commands of a shell line, for the denials


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """Everything a call is judged under, narrowest scope first."""

    modes: tuple[Mode, ...] = ()
    policies: tuple[Policy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict and the parts of its reason, as words, quoted names and nothing else."""

    verdict: Verdict
    rule: VerdictRule | None = None  # None: nothing was found
    mode: str = ""  # the mode of the narrowest scope that has one
    posture: Posture = "yolo"  # the strictest one in force
    detail: str = ""  # the path, the part of a line, the tool or the denied command
    by: str = ""  # the mode that decided, where one did
    handoff: str | None = None  # what that mode wants handed over
    effect: Effect | None = None  # the effect that decided, where one did
    also: tuple[str, ...] = ()  # further modes in force
    notice: int = 0  # the notice that closes tests; 0: that is not why
    command: bool = True  # False: nobody can vouch for the tool itself, no command was judged


def policy_json(policy: Policy) -> dict[str, Json]:
    """The whole policy as an entry carries it."""
    return {
        "posture": policy.posture,
        "verdicts": dict(sorted(policy.verdicts.items())),
        "shell_denials": list(policy.shell_denials),
        "write_paths": None if policy.write_paths is None else list(policy.write_paths),
        **({"lifted": list(policy.lifted)} if policy.lifted else {}),
    }


def policy_of(raw: Mapping[str, Json]) -> Policy:
    """The policy an entry carries; raises ValueError where the row is corrupt."""
    policy = Policy() if not raw else changed(Policy(), raw)
    if isinstance(policy, Malformed):
        raise ValueError(f"a stored policy: {policy.detail}")
    return policy


def changed(policy: Policy, difference: Mapping[str, Json]) -> Policy | Malformed:
    """The policy with the named fields replaced, or what is wrong with the difference."""
    if not difference:
        return Malformed(detail=f"a policy names at least one of {', '.join(PARTS)}")
    for name, raw in difference.items():
        answer = _replaced(policy, name, raw)
        if isinstance(answer, Malformed):
            return answer
        policy = answer
    return policy


def _replaced(policy: Policy, name: str, raw: Json) -> Policy | Malformed:
    match name:
        case "posture":
            posture = next((word for word in POSTURES if word == raw), None)
            wrong = Malformed(detail=f"posture is one of {', '.join(POSTURES)}")
            return wrong if posture is None else replace(policy, posture=posture)
        case "verdicts":
            verdicts = _verdicts(raw)
            return (
                verdicts if isinstance(verdicts, Malformed) else replace(policy, verdicts=verdicts)
            )
        case "shell_denials":
            denials = _lines(raw, name, DENIALS)
            return (
                denials
                if isinstance(denials, Malformed)
                else replace(policy, shell_denials=denials)
            )
        case "write_paths":
            return _write_paths(policy, raw)
        case "lifted":
            lifted = _lines(raw, name, PATTERNS)
            return lifted if isinstance(lifted, Malformed) else replace(policy, lifted=lifted)
        case _:
            return Malformed(detail=f"a policy has {', '.join(PARTS)}")


def _verdicts(raw: Json) -> Map[str, Verdict] | Malformed:
    if not isinstance(raw, dict) or len(raw) > TOOLS:
        return Malformed(detail=f"verdicts is an object of at most {TOOLS} tools")
    found = {tool: word for tool, said in raw.items() for word in VERDICTS if word == said}
    if len(found) != len(raw):
        return Malformed(detail=f"a tool's verdict is one of {', '.join(VERDICTS)}")
    return Map(found)


def _lines(raw: Json, name: str, most: int) -> tuple[str, ...] | Malformed:
    if not isinstance(raw, list) or len(raw) > most:
        return Malformed(detail=f"{name} is a list of at most {most} texts")
    lines = tuple(line for line in raw if isinstance(line, str) and line.strip())
    wrong = Malformed(detail=f"{name} holds texts only, none of them empty")
    return lines if len(lines) == len(raw) else wrong


def _write_paths(policy: Policy, raw: Json) -> Policy | Malformed:
    if raw is None:
        return replace(policy, write_paths=None)
    patterns = _lines(raw, "write_paths", PATTERNS)
    if isinstance(patterns, Malformed):
        return patterns
    wrong = next((why for pattern in patterns if (why := refusal(pattern))), None)
    return Malformed(detail=wrong) if wrong else replace(policy, write_paths=patterns)
