"""What a replay without a daemon runs under: the settings, another profile, single thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from app.config import Settings, configuration_of
from app.config.keys import STANDING, nearest
from app.config.modes import own, redefined
from app.domain.configuration import Configuration
from app.domain.modes import MODES, Mode, ProfileName, definition
from app.domain.profiles import THRESHOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A profile or threshold that cannot be taken, and why."""

    detail: str


def chosen(
    settings: Settings, profile: str | None = None, thresholds: Iterable[str] = ()
) -> Configuration | Unknown:
    """The configuration of a run.

    `profile` stands in for that of the settings, whose own file still counts where it names a
    threshold or a mode; `thresholds` are texts like `repeated.failed=5` and come last.
    """
    values: dict[str, Any] = settings.values()
    if profile is not None:
        known = next((name for name in MODES if name == profile), None)
        if known is None:
            close = nearest(profile, MODES)
            return Unknown(detail=f'no profile "{profile}"; the nearest is "{close}"')
        values |= _of_profile(settings, known)
    for text in thresholds:
        problem = _set(values["rules"], text)
        if problem is not None:
            return problem
    return configuration_of(values)


def _of_profile(settings: Settings, profile: ProfileName) -> dict[str, Any]:
    """The settings that a profile brings, the person's own thresholds and modes kept."""
    rules: dict[str, dict[str, float]] = {}
    for key, number in THRESHOLDS[profile].items():
        rule, _, name = key.partition(".")
        said = f"rules.{key}" in settings.sources
        rules.setdefault(rule, {})[name] = settings.rules[rule][name] if said else float(number)
    modes = redefined(profile, own(settings.modes, settings.sources))
    return {
        "profile": profile,
        "rules": rules,
        "modes": {name: definition(mode) for name, mode in modes.items() if isinstance(mode, Mode)},
        "standing": {name: {"uses": held.uses} for name, held in STANDING[profile].items()},
    }


def _set(rules: dict[str, dict[str, float]], text: str) -> Unknown | None:
    key, equals, number = text.partition("=")
    rule, _, name = key.strip().partition(".")
    if name not in rules.get(rule, {}):
        known = [f"{rule}.{name}" for rule, table in rules.items() for name in table]
        close = nearest(key.strip(), known)
        return Unknown(detail=f'no threshold "{key.strip()}"; the nearest is "{close}"')
    value = _number(number) if equals else None
    if value is None:
        return Unknown(detail=f"{key.strip()}: expected {key.strip()}=NUMBER, 0 or more")
    rules[rule][name] = value
    return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
