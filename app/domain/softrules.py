"""Soft rules: what a person wants looked at more often than not, as values.

    [soft.push]
    programs = ["git push"]
    verdict = "ask"
    base_rate = 1.0
    floor = 0.2

A soft rule is about a call where all that it names holds, and of a list one item is enough. How
often it then intervenes, inside the band from `floor` to `base_rate`, is in governor.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final, Literal, get_args

from app.domain.calls import ToolClass
from app.domain.events import Json
from app.domain.modes import TOOL_CLASSES, Malformed
from app.domain.patterns import refusal
from app.domain.stream import DRAWS

SoftVerdict = Literal["ask", "deny"]
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
ITEMS: Final = 20  # of one list
RULES: Final = 20  # in one configuration
WINDOW: Final = DRAWS  # the longest window
CRITERIA: Final = ("tools", "programs", "paths", "network")


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftRule:
    """A rule on risky calls that a person configured, and the band in which it is relaxed."""

    name: str
    verdict: SoftVerdict
    base_rate: float  # share of the calls it matches that it stops at rest, 0 to 1
    floor: float  # the share below which it never falls, 0 to base_rate
    window: int = 20  # draws that `induced` looks back on, 1 to WINDOW
    strength: float = 0.5  # 0: never relaxed; 1: down to nothing where every draw was induced
    tools: tuple[ToolClass, ...] | None = None  # None: of any class
    programs: tuple[str, ...] | None = None  # first words of a shell line's simple commands
    paths: tuple[str, ...] | None = None  # patterns of written paths
    network: bool = False  # only calls known to use the network


FIELDS: Final = tuple(field.name for field in fields(SoftRule) if field.name != "name")
REQUIRED: Final = ("verdict", "base_rate", "floor")


def soft_rule_json(rule: SoftRule) -> dict[str, Json]:
    """The rule as settings and entries have it; what it does not name is left out."""
    lists: dict[str, Json] = {
        key: [*value]
        for key in ("tools", "programs", "paths")
        if (value := getattr(rule, key)) is not None
    }
    return {
        **lists,
        **({"network": True} if rule.network else {}),
        "verdict": rule.verdict,
        "base_rate": rule.base_rate,
        "floor": rule.floor,
        "window": rule.window,
        "strength": rule.strength,
    }


def soft_rule_of(name: str, table: Mapping[str, Json]) -> SoftRule:
    """The rule that a `configured` entry carries; raises ValueError where the row is corrupt."""
    rule = parsed_soft_rule(name, table)
    if isinstance(rule, Malformed):
        raise ValueError(f"soft.{name}: {rule.detail}")
    return rule


def parsed_soft_rule(name: str, table: Mapping[str, Json]) -> SoftRule | Malformed:
    """The rule that somebody wrote down, or the first thing that is wrong with it."""
    detail = _wrong(table)
    if detail is not None:
        return Malformed(detail=detail)
    said = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    for key in ("base_rate", "floor", "strength"):
        if key in said:
            said[key] = float(said[key])  # type: ignore[arg-type]  # _wrong has looked at it
    return SoftRule(name=name, **said)  # type: ignore[arg-type]  # as above


def _wrong(table: Mapping[str, Json]) -> str | None:
    missing = [key for key in REQUIRED if key not in table]
    if missing:
        return f"a soft rule says its {', '.join(REQUIRED)}; {missing[0]} is missing"
    for key, value in table.items():
        wrong = _wrong_field(key, value)
        if wrong is not None:
            return f"{key}: {wrong}"
    if float(table["floor"]) > float(table["base_rate"]):  # type: ignore[arg-type]
        return "floor is at most base_rate"
    if not any(table.get(key) for key in CRITERIA):
        return f"a soft rule names what it is about: {', '.join(CRITERIA)}"
    return None


def _wrong_field(key: str, value: Json) -> str | None:
    match key:
        case "verdict":
            words = get_args(SoftVerdict)
            return None if value in words else f"expected one of {', '.join(words)}"
        case "base_rate" | "floor" | "strength":
            return None if _share(value) else "expected a number from 0 to 1"
        case "window":
            whole = isinstance(value, int) and not isinstance(value, bool)
            within = whole and 1 <= value <= WINDOW  # type: ignore[operator]
            return None if within else f"expected a whole number from 1 to {WINDOW}"
        case "network":
            return None if value is True else "expected true, or no such line"
        case "tools" | "programs" | "paths":
            return _wrong_list(key, value)
        case _:
            return f"a soft rule has {', '.join(FIELDS)}"


def _wrong_list(key: str, value: Json) -> str | None:
    items = value if isinstance(value, list) else []
    texts = [item for item in items if isinstance(item, str) and item.strip()]
    if not items or len(texts) != len(items) or len(items) > ITEMS:
        return f"expected a list of 1 to {ITEMS} texts"
    if key == "tools":
        unknown = next((item for item in texts if item not in TOOL_CLASSES), None)
        return None if unknown is None else f"expected words of {', '.join(TOOL_CLASSES)}"
    if key == "paths":
        return next((why for pattern in texts if (why := refusal(pattern))), None)
    return None


def _share(value: Json) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= 1  # type: ignore[operator]


def no_freer_rule(old: SoftRule, new: SoftRule) -> bool:
    """Whether a rule stops every call that the older one stopped, and no less often.

    Rates with other windows are not compared: which is lower depends on what happens.
    """
    verdicts = get_args(SoftVerdict)
    return (
        verdicts.index(new.verdict) >= verdicts.index(old.verdict)
        and new.base_rate >= old.base_rate
        and new.floor >= old.floor
        and new.strength <= old.strength
        and new.window == old.window
        and (old.network or not new.network)
        and all(_no_narrower(getattr(old, key), getattr(new, key)) for key in CRITERIA[:3])
    )


def _no_narrower(old: tuple[str, ...] | None, new: tuple[str, ...] | None) -> bool:
    return new is None or (old is not None and set(old) <= set(new))
