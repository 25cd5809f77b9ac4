"""The modes, and what each of them permits, as one table (docs/design.md 4; docs/modes.md).

A mode answers two questions about a call: may this class of tool be used at all, and what is said
to each effect the call has. Tools of unknown class (`mcp`, `other`) are judged by effect alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from immutables import Map

from app.domain.calls import Effect, ToolClass, Zone
from app.domain.events import Json

ProfileName = Literal["default", "strict"]
ModeName = Literal["implementation", "test_development", "debug", "review", "plan"]
Verdict = Literal["none", "ask", "deny"]  # loosest first; compare by index
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Ruling = Literal["none", "ask", "deny", "scope_or_ask", "scope_or_deny"]
TOOL_CLASSES: tuple[ToolClass, ...] = get_args(ToolClass)
EFFECTS: tuple[Effect, ...] = get_args(Effect)
ZONES: tuple[Zone, ...] = get_args(Zone)
RULINGS: tuple[Ruling, ...] = get_args(Ruling)
WORD = re.compile(r"[a-z][a-z_]{0,39}")  # the name of a part
PARTS = 12  # of what one mode wants handed over
UNKNOWN_CLASSES: frozenset[ToolClass] = frozenset({"mcp", "other"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A named configuration: what the agent may use, write and run, and must hand over."""

    name: str
    tools: tuple[ToolClass, ...]
    writes: tuple[Zone, ...]
    shell: Map[Effect, Ruling]  # an effect that is missing is denied
    handoff: str | None = None  # diagnosis, assessment, plan; None: nothing
    output: tuple[str, ...] = ()  # the parts of what is handed over, where it is not free text


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A value somebody proposed that is no mode or no policy, and why."""

    detail: str


_LOOKING: tuple[ToolClass, ...] = ("read", "search", "talk", "web", "subagent", "shell")


def _rulings(*columns: Ruling) -> Map[Effect, Ruling]:
    """One column of the effect table, in the order of EFFECTS."""
    return Map(zip(EFFECTS, columns, strict=True))


#                      read    talk    test    write            git_record git_restore
_IMPLEMENTATION = _rulings(
    "none", "none", "none", "scope_or_deny", "none", "scope_or_ask", "none", "ask"
)
_TEST_DEVELOPMENT = _rulings("none", "none", "none", "scope_or_deny", "none", "ask", "ask", "ask")
_DEBUG = _rulings("none", "none", "none", "deny", "deny", "deny", "deny", "deny")
_LOOK_ONLY = _rulings("none", "none", "deny", "deny", "deny", "deny", "deny", "deny")

_DEFAULT: tuple[Mode, ...] = (
    Mode(
        name="implementation",
        tools=TOOL_CLASSES,
        writes=("project", "given", "temporary"),
        shell=_IMPLEMENTATION,
    ),
    Mode(
        name="test_development",
        tools=(*_LOOKING, "test", "edit", "write"),
        writes=("test",),
        shell=_TEST_DEVELOPMENT,
    ),
    Mode(
        name="debug",
        tools=(*_LOOKING, "test"),
        writes=(),
        shell=_DEBUG,
        handoff="diagnosis",
        output=("failing", "expected", "actual", "where", "hypothesis"),
    ),
    Mode(
        name="review",
        tools=_LOOKING,
        writes=(),
        shell=_LOOK_ONLY,
        handoff="assessment",
        output=("changed", "verified", "risks", "verdict"),
    ),
    Mode(
        name="plan",
        tools=_LOOKING,
        writes=(),
        shell=_LOOK_ONLY,
        handoff="plan",
        output=("goal", "tried", "steps", "check"),
    ),
)


def _strict(mode: Mode) -> Mode:
    """The mode as the strict profile has it: what nobody can vouch for is denied."""
    closed: dict[Effect, Ruling] = {"unknown": "deny", "unknown_closed": "deny"}
    return replace(mode, shell=Map({**mode.shell, **closed}))


_PROFILES: dict[ProfileName, Mapping[str, Mode]] = {
    "default": Map({mode.name: mode for mode in _DEFAULT}),
    "strict": Map({mode.name: _strict(mode) for mode in _DEFAULT}),
}
MODES: Mapping[ProfileName, Mapping[str, Mode]] = Map(_PROFILES)
MODE_NAMES: tuple[ModeName, ...] = get_args(ModeName)


def definition(mode: Mode) -> dict[str, Json]:
    """The whole definition as an entry carries it, without the name."""
    return {
        "tools": list(mode.tools),
        "writes": list(mode.writes),
        "shell": {effect: mode.shell[effect] for effect in EFFECTS if effect in mode.shell},
        "handoff": mode.handoff,
        **({"output": list(mode.output)} if mode.output else {}),
    }


def mode_of(name: str, definition: Mapping[str, Json]) -> Mode:
    """The mode an entry carries; raises ValueError where the row is corrupt."""
    mode = parsed_mode(name, dict(definition))
    if isinstance(mode, Malformed):
        raise ValueError(f"the definition of mode {name!r}: {mode.detail}")
    return mode


def parsed_mode(name: str, raw: Json) -> Mode | Malformed:
    """The mode somebody wrote down as JSON, or what is wrong with it."""
    if not name or not isinstance(raw, dict):
        return Malformed(detail="a mode needs a name and an object")
    if unknown := sorted(raw.keys() - {"tools", "writes", "shell", "handoff", "output"}):
        return Malformed(detail=f"a mode has no field {unknown[0]}")
    tools, writes = _words(raw.get("tools"), TOOL_CLASSES), _words(raw.get("writes"), ZONES)
    shell, handoff = _shell(raw.get("shell")), raw.get("handoff")
    if tools is None or writes is None or shell is None:
        return Malformed(detail="tools, writes and shell hold words of the tables only")
    if not (handoff is None or isinstance(handoff, str)):
        return Malformed(detail="handoff is a word or null")
    output = _output(raw.get("output", []))
    if output is None:
        return Malformed(detail=f"output holds at most {PARTS} words, each of them once")
    return Mode(name=name, tools=tools, writes=writes, shell=shell, handoff=handoff, output=output)


_W = TypeVar("_W", bound=str)


def _words(raw: Json, known: tuple[_W, ...]) -> tuple[_W, ...] | None:
    """The known words of a list, in its order; None where it is no list or one is unknown."""
    if not isinstance(raw, list) or any(item not in known for item in raw):
        return None
    return tuple(word for item in raw for word in known if word == item)


def _output(raw: Json) -> tuple[str, ...] | None:
    """The names of parts; none at all in entries that were written before modes had any."""
    parts = [part for part in raw if isinstance(part, str)] if isinstance(raw, list) else []
    if not isinstance(raw, list) or len(parts) != len(raw) or len(raw) > PARTS:
        return None
    named = all(WORD.fullmatch(part) for part in parts) and len(set(parts)) == len(parts)
    return tuple(parts) if named else None


def _shell(raw: Json) -> Map[Effect, Ruling] | None:
    if not isinstance(raw, dict):
        return None
    effects, rulings = _words(list(raw), EFFECTS), _words(list(raw.values()), RULINGS)
    if effects is None or rulings is None:
        return None
    return Map(zip(effects, rulings, strict=True))
