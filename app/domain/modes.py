"""The modes, and what each of them permits, as one table (design.md 4). Owned here, shown in docs/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.domain.calls import Effect, ToolClass, Zone

ModeName = Literal["implementation", "test_development", "debug", "review", "plan"]
Verdict = Literal["none", "ask", "deny"]  # loosest first; compare by index
Ruling = Literal["none", "ask", "deny", "scope_or_ask", "scope_or_deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A named configuration: what the agent may use, write and run, and must hand over."""

    name: str
    tools: tuple[ToolClass, ...]
    writes: tuple[Zone, ...]
    shell: Mapping[Effect, Ruling]
    handoff: str | None = None  # diagnosis, assessment, plan; None: nothing
