"""What `floorboss doctor` finds: one line each, with what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.domain.tables import plain

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at; `do` is empty where there is nothing to do."""

    level: Level
    check: str
    text: str
    do: str = ""
    details: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The finding as a person reads it."""
        yield plain(f"{self.level:<4}  {self.check}: {self.text}")
        yield from (plain(f"        {line}") for line in self.details)
        if self.do:
            yield plain(f"      > {self.do}")


def ok(check: str, text: str, *details: str) -> Finding:
    """Nothing to do."""
    return Finding(level="ok", check=check, text=text, details=details)


def warn(check: str, text: str, do: str, *details: str) -> Finding:
    """Something a person should know."""
    return Finding(level="warn", check=check, text=text, do=do, details=details)


def fail(check: str, text: str, do: str, *details: str) -> Finding:
    """Something that does not work as it was set up."""
    return Finding(level="fail", check=check, text=text, do=do, details=details)
