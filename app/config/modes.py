"""`[modes.NAME]`: a mode of the profile with other words, or one of a person's own.

What a table does not say keeps its default: for the five modes that ship the profile's, of `shell`
effect by effect; for a new one nothing may be written and every effect but reading and talking is
denied. A mode cannot be taken away, only redefined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Final

from immutables import Map

from app.config.keys import nearest
from app.domain.calls import Effect
from app.domain.comparisons import CHECKS
from app.domain.configuration import Configuration
from app.domain.events import Json
from app.domain.modes import (
    EFFECTS,
    MODES,
    RULINGS,
    TOOL_CLASSES,
    ZONES,
    Malformed,
    Mode,
    ProfileName,
    Ruling,
    definition,
    parsed_mode,
)
from app.domain.narrowing import direction

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_READABLE: dict[Effect, Ruling] = {"read": "none", "talk": "none"}  # in every mode
BLANK: Final = definition(Mode(name="-", tools=(), writes=(), shell=Map(_READABLE)))
FIELDS: Final = tuple(field.name for field in fields(Mode) if field.name != "name")
NONE: Final = "none"  # TOML has no null: `handoff = "none"` asks for nothing
HANDOFFS: Final = tuple(
    sorted({mode.handoff for mode in MODES["default"].values() if mode.handoff})
)
GUARDED: Final = "guarded"
TIGHTENING: Final = tuple(
    dict.fromkeys(check.target for check in CHECKS if check.target and check.response == "mode")
)
# The words of the lists; a list that is not named here is checked with the mode as a whole.
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "tools": TOOL_CLASSES,
    "writes": tuple(zone for zone in ZONES if zone != GUARDED),
}


def said(modes: object, source: str) -> tuple[dict[str, object], tuple[str, ...]]:
    """The leaves of the file's `modes` under dotted keys, and what is wrong with them."""
    leaves: dict[str, object] = {}
    faults: list[str] = []
    for name, table in modes.items() if isinstance(modes, dict) else ():
        wrong = list(_wrong(str(name), table))
        faults += (f"{source}: {line}" for line in wrong)
        if not wrong:
            leaves |= _leaves(f"modes.{name}", table)
    if not isinstance(modes, dict):
        faults.append(f"{source}: modes is a table of modes, [modes.NAME]")
    return leaves, tuple(faults)


def _leaves(prefix: str, table: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for field, value in table.items():
        if isinstance(value, Mapping):
            yield from ((f"{prefix}.{field}.{inner}", word) for inner, word in value.items())
        else:
            yield f"{prefix}.{field}", value


def _wrong(name: str, table: object) -> Iterator[str]:
    """What is wrong with one mode's table, whatever the profile; the words one by one."""
    if not NAME.fullmatch(name):
        yield (
            f"modes.{name!r}: a mode's name has a small letter first, then small letters,"
            " digits and _, 40 at most"
        )
    elif not isinstance(table, dict):
        yield f"modes.{name} is a table, [modes.{name}]"
    else:
        for field, value in table.items():
            yield from _wrong_field(f"modes.{name}", str(field), value)
        if name not in MODES["default"] and "tools" not in table:
            close = nearest(name, MODES["default"])
            yield (
                f"modes.{name}: a new mode says which tools may be used, tools = [...];"
                f' the nearest mode that ships is "{close}"'
            )


def _wrong_field(key: str, field: str, value: object) -> Iterator[str]:
    if field not in FIELDS:
        close = nearest(field, FIELDS)
        yield f'unknown key "{key}.{field}"; the nearest known one is "{key}.{close}"'
    elif field == "shell":
        yield from _wrong_shell(f"{key}.shell", value)
    elif field == "handoff":
        yield from _wrong_words(f"{key}.handoff", [value], (*HANDOFFS, NONE))
    elif not isinstance(value, list):
        yield f"{key}.{field} is a list of words"
    elif field == "writes" and GUARDED in value:
        yield f"{key}.writes: guarded paths are closed in every mode"
    elif field in WORDS:
        yield from _wrong_words(f"{key}.{field}", value, WORDS[field])


def _wrong_shell(key: str, value: object) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{key} is a table, effect = answer"
        return
    yield from _wrong_words(key, value, EFFECTS)
    for effect, answer in value.items():
        yield from _wrong_words(f"{key}.{effect}", [answer], RULINGS)


def _wrong_words(key: str, words: Iterable[object], known: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        if word not in known:
            close = nearest(str(word), known)
            yield f'{key}: unknown word "{str(word)[:80]}"; the nearest known one is "{close}"'


def redefined(
    profile: ProfileName, tables: Mapping[str, Mapping[str, Json]]
) -> dict[str, Mode | Malformed]:
    """Every mode of the profile and of the file, each with what the file does not say."""
    names = sorted({*MODES[profile], *tables})
    return {name: _redefined(profile, name, tables.get(name, {})) for name in names}


def _redefined(profile: ProfileName, name: str, table: Mapping[str, Json]) -> Mode | Malformed:
    shipped = MODES[profile].get(name)
    held = BLANK if shipped is None else definition(shipped)
    made = {**held, **table, "shell": _shell(held["shell"], table.get("shell"))}
    if made["handoff"] == NONE:
        made["handoff"] = None
    return parsed_mode(name, made)


def _shell(held: Json, said: Json) -> Json:
    return {**(held if isinstance(held, dict) else {}), **(said if isinstance(said, dict) else {})}


def own(modes: Mapping[str, Mapping[str, Json]], keys: Iterable[str]) -> dict[str, dict[str, Json]]:
    """The tables that `redefined` was given: of whole definitions, what `keys` name."""
    tables: dict[str, dict[str, Json]] = {}
    for key in keys:
        table, *path = key.split(".")
        if table != "modes":
            continue
        name, field = path[0], path[1]
        value = modes[name].get(field, [])  # an empty `output` is left out
        if field == "shell" and isinstance(value, dict):
            effects = [path[2]] if len(path) > 2 else []
            said = tables.get(name, {}).get("shell", {})
            value = {**(said if isinstance(said, dict) else {}), **{e: value[e] for e in effects}}
        tables.setdefault(name, {})[field] = NONE if field == "handoff" and value is None else value
    return tables


def notes(configuration: Configuration, sources: Iterable[str]) -> Iterator[str]:
    """What a person may not have meant by the modes of the file, in plain sentences."""
    said = tuple(sources)
    modes, start = configuration.modes, configuration.start_mode
    for name in dict.fromkeys(key.split(".")[1] for key in said if key.startswith("modes.")):
        missing = [effect for effect in EFFECTS if effect not in modes[name].shell]
        if missing:
            yield f"modes.{name}: shell does not name {', '.join(missing)}; that is denied"
    if not any(key == "start_mode" or key.startswith("modes.") for key in said):
        return
    for name in TIGHTENING:
        if direction(modes[start], modes[name]) == "loosen":
            yield (
                f"mode {name}, to which rules lead, would free calls that mode {start} does not let"
                " pass: from there these rules only give a notice"
            )
