"""What is found out about a line: the effects of its parts, put together as they are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.domain.calls import Effect, Target

PART = 200  # characters of an unvouched part that are handed on
# The effects that are put to a person for what a part says, the strictest first.
_WORST: tuple[Effect, ...] = ("unknown_closed", "git_restore", "unknown")
COMMANDS = 200  # simple commands of one line that are looked at, in functions and loops again


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a line or a part of it does; `part` is set where it does not say what it writes."""

    effects: tuple[Effect, ...]
    targets: tuple[Target, ...] = ()
    part: str | None = None


READS = Effects(effects=("read",))


def unknown(text: str, *, closed: bool) -> Effects:
    """A part that nobody can vouch for; closed where it names a closed path or runs code inline."""
    return Effects(effects=("unknown_closed" if closed else "unknown",), part=text.strip()[:PART])


class UnreadableError(Exception):
    """A text is no shell text that can be relied on."""


class TooMuchError(UnreadableError):
    """A line does more than can be looked at while others wait for an answer."""


@dataclass(slots=True)
class Findings:
    """What has been read of one line so far."""

    parts: list[Effects] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)  # in the order in which they are read
    called: set[str] = field(default_factory=set)  # functions that the line itself calls
    defined: dict[str, Any] = field(default_factory=dict)  # those it defines, and where
    filled: set[Target] = field(default_factory=set)  # files that it writes text into
    links: set[str] = field(default_factory=set)  # links it makes: what lies behind is unsaid
    looked_at: int = 0
    broken_off: bool = False  # a text could not be read to its end

    def add(self, part: Effects) -> None:
        """One more part, as it is read."""
        self.parts.append(part)

    def break_off(self, part: Effects) -> None:
        """A text that cannot be read to its end; what was found before stands."""
        self.broken_off = True
        self.parts.insert(0, part)

    def count(self) -> None:
        """One more simple command; raises TooMuchError where there are too many."""
        self.looked_at += 1
        if self.looked_at > COMMANDS:
            raise TooMuchError


def together(parts: list[Effects]) -> Effects:
    """The effects of all parts of a line, its known targets, and the first unvouched part."""
    effects = tuple(dict.fromkeys(effect for part in parts for effect in part.effects))
    named = tuple(dict.fromkeys(target for part in parts for target in part.targets))
    if named and any(part.effects == ("git_restore",) and not part.targets for part in parts):
        effects = (*effects, "unknown_closed")  # else the other parts' names would vouch for it
    unvouched = next(
        (p.part for worst in _WORST for p in parts if p.part is not None and worst in p.effects),
        None,
    )
    return Effects(effects=effects or ("read",), targets=named, part=unvouched)
