"""`[soft.NAME]`: the soft rules of the file, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.config.keys import nearest
from app.domain.events import Json
from app.domain.modes import TOOL_CLASSES, Malformed
from app.domain.softrules import FIELDS, NAME, RULES, SoftRule, parsed_soft_rule


def said(rules: object, source: str) -> tuple[dict[str, object], tuple[str, ...]]:
    """The leaves of the file's `soft` under dotted keys, and what is wrong with them."""
    if not isinstance(rules, dict):
        return {}, (f"{source}: soft is a table of soft rules, [soft.NAME]",)
    wrong = tuple(f"{source}: {line}" for line in _wrong(rules))
    leaves = {
        f"soft.{name}.{field}": value
        for name, table in rules.items()
        if isinstance(table, dict)
        for field, value in table.items()
    }
    return ({} if wrong else leaves), wrong


def _wrong(rules: Mapping[str, object]) -> Iterator[str]:
    if len(rules) > RULES:
        yield f"soft: at most {RULES} soft rules"
    for name, table in rules.items():
        yield from _wrong_rule(name, table)


def _wrong_rule(name: str, table: object) -> Iterator[str]:
    if not NAME.fullmatch(name):
        yield (
            f"soft.{name!r}: a soft rule's name has a small letter first, then small letters,"
            " digits and _, 40 at most"
        )
    elif not isinstance(table, dict):
        yield f"soft.{name} is a table, [soft.{name}]"
    else:
        for field in table.keys() - set(FIELDS):
            close = nearest(field, FIELDS)
            key = f"soft.{name}"
            yield f'unknown key "{key}.{field}"; the nearest known one is "{key}.{close}"'
        tools = table.get("tools")
        for word in tools if isinstance(tools, list) else ():
            if word not in TOOL_CLASSES:
                close = nearest(str(word), TOOL_CLASSES)
                shown = str(word)[:80]
                yield f'soft.{name}.tools: unknown word "{shown}"; the nearest one is "{close}"'


def made(tables: Mapping[str, Mapping[str, Json]]) -> dict[str, SoftRule | Malformed]:
    """Every soft rule of the file, or what is wrong with it."""
    return {name: parsed_soft_rule(name, table) for name, table in sorted(tables.items())}
