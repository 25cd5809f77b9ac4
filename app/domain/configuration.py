"""The configuration a verdict or a reaction depends on, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from app.domain.modes import Mode, ProfileName
from app.domain.softrules import SoftRule

Enforcement = Literal["enforce", "observe"]
Posture = Literal["yolo", "auto", "ask", "read-only"]  # loosest first
POSTURES: tuple[Posture, ...] = get_args(Posture)

# One number per check, keyed "rule.threshold"; 0 turns the check off.
Thresholds = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A standing approval a person wrote down, and how often it may be used."""

    uses: int  # per session; 0 turns it off


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What decides verdicts and reactions; `digest` names this value in every entry's evidence."""

    profile: ProfileName
    enforcement: Enforcement
    start_mode: str
    ceiling: Posture
    thresholds: Thresholds
    modes: Mapping[str, Mode]
    standing: Mapping[str, Standing]
    soft: tuple[SoftRule, ...] = ()  # by name
    context_limit: int = 200_000  # tokens, where the harness does not say
    digest: str = ""
