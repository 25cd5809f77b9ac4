"""Which soft rules a replay is under: those of the settings, others, single numbers changed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from app.config import Settings
from app.config.keys import nearest
from app.config.soft import made, said
from app.domain.configuration import Configuration
from app.domain.modes import Malformed
from app.domain.replacing import replace
from app.domain.softrules import soft_rule_json
from app.replay.choice import Unknown, chosen

NUMBERS: Final = ("base_rate", "floor", "strength", "window")  # what may be set by one number
EXAMPLE: Final = (
    '--rule \'push = {programs = ["git push"], verdict = "deny", base_rate = 1.0, floor = 0.2}\''
)
NONE: Final = f"no soft rule: name a file of settings that has one, or say {EXAMPLE}"


def softened(
    settings: Settings, rules: Iterable[str], numbers: Iterable[str]
) -> Configuration | Unknown:
    """The configuration of a run, enforced whatever the settings say of that.

    `rules` are soft rules as a line of TOML each, instead of those of the settings; `numbers` are
    texts like `push.strength=0.8`, or thresholds like `escalation.blocks=3`.
    """
    given = [*rules]
    base = chosen(settings)
    assert not isinstance(base, Unknown)  # nothing was asked for that it could refuse
    tables: dict[str, dict[str, Any]] | Unknown = (
        _told(given) if given else {rule.name: soft_rule_json(rule) for rule in base.soft}
    )
    if isinstance(tables, Unknown):
        return tables
    if not tables:
        return Unknown(detail=NONE)
    thresholds = [text for text in numbers if text.partition(".")[0].strip() not in tables]
    for text in numbers:
        problem = None if text in thresholds else _set(tables, text)
        if problem is not None:
            return problem
    under = chosen(settings, None, thresholds)
    return under if isinstance(under, Unknown) else _with(under, tables)


def _told(rules: Iterable[str]) -> dict[str, dict[str, Any]] | Unknown:
    """The tables of soft rules in TOML."""
    tables: dict[str, Any] = {}
    for text in rules:
        try:
            tables |= tomllib.loads(text)
        except tomllib.TOMLDecodeError as fault:
            return Unknown(detail=f"{text}: {fault}; a soft rule is one line, as {EXAMPLE}")
    _, wrong = said(tables, "--rule")
    return Unknown(detail="\n".join(wrong)) if wrong else tables


def _set(tables: dict[str, dict[str, Any]], text: str) -> Unknown | None:
    """Put one number into the table of its rule."""
    key, _, number = text.partition("=")
    name, _, field = key.strip().partition(".")
    if field not in NUMBERS:
        close = nearest(field, NUMBERS)
        return Unknown(detail=f'no number "{key.strip()}"; the nearest is "{name}.{close}"')
    try:
        value = int(number) if field == "window" else float(number)
    except ValueError:
        return Unknown(detail=f"{key.strip()}: expected {key.strip()}=NUMBER")
    tables[name] = {**tables[name], field: value}
    return None


def _with(under: Configuration, tables: Mapping[str, dict[str, Any]]) -> Configuration | Unknown:
    found = made(tables)
    wrong = [f"soft.{n}: {each.detail}" for n, each in found.items() if isinstance(each, Malformed)]
    if wrong:
        return Unknown(detail="\n".join(wrong))
    rules = tuple(rule for rule in found.values() if not isinstance(rule, Malformed))
    return replace(under, soft=rules, enforcement="enforce")
