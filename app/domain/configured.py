"""What a `configured` entry says: the values in force, and the configuration they make.

    values      the tables as the settings have them: {"ceiling": "ask", "rules": {...}, ...}
    settings    the same, one flat name for each thing that is compared and decided about:
                `ceiling`, `rules.repeated.failed`, `standing.boundary.uses`, `modes.plan`, `soft.x`

One mode, one soft rule, one threshold and one number of uses are one setting each. Values without
any soft rule have no table of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from immutables import Map

from app.domain.configuration import Configuration, Standing
from app.domain.events import Json
from app.domain.modes import mode_of
from app.domain.softrules import soft_rule_of

# The settings that decide a verdict or a reaction; the digest covers these and nothing else.
DECIDING: Final = (
    "profile",
    "enforcement",
    "start_mode",
    "ceiling",
    "context_limit",
    "rules",
    "standing",
    "modes",
    "soft",
)
TABLES: Final = ("rules", "standing", "modes", "soft")
WHOLE: Final = ("modes", "soft")  # tables whose members are one setting each
Values: TypeAlias = Mapping[str, Any]
Settings: TypeAlias = dict[str, Json]


def configuration_of(values: Values) -> Configuration:
    """The configuration that a `configured` entry's values describe."""
    return Configuration(
        profile=values["profile"],
        enforcement=values["enforcement"],
        start_mode=values["start_mode"],
        ceiling=values["ceiling"],
        thresholds=Map(
            (f"{rule}.{name}", float(number))
            for rule, table in values["rules"].items()
            for name, number in table.items()
        ),
        modes=Map((name, mode_of(name, table)) for name, table in values["modes"].items()),
        standing=Map(
            (name, Standing(uses=table["uses"])) for name, table in values["standing"].items()
        ),
        soft=tuple(soft_rule_of(*each) for each in sorted(values.get("soft", {}).items())),
        context_limit=values["context_limit"],
        digest=digest(values),
    )


def digest(values: Values) -> str:
    """The first 16 hex digits of the SHA-256 over the deciding settings as canonical JSON."""
    deciding = {name: values[name] for name in DECIDING if name != "soft" or values.get(name)}
    text = json.dumps(deciding, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def settings_of(values: Values) -> Settings:
    """The deciding settings under flat names; what does not decide is left out."""
    return dict(_settings(values))


def _settings(values: Values) -> Iterator[tuple[str, Json]]:
    for name in DECIDING:
        if name not in TABLES and name in values:
            yield name, values[name]
    for table in ("rules", "standing"):
        for name, inner in values.get(table, {}).items():
            yield from ((f"{table}.{name}.{field}", value) for field, value in inner.items())
    for table in WHOLE:
        members = values.get(table, {}).items()
        yield from ((f"{table}.{name}", definition) for name, definition in members)


def with_settings(values: Values, news: Mapping[str, Json]) -> dict[str, Any]:
    """The values with some settings replaced; a setting that becomes None is gone."""
    made = {**values, **{table: dict(values.get(table, {})) for table in TABLES}}
    for setting, value in news.items():
        table, _, name = setting.partition(".")
        if table not in TABLES:
            made[setting] = value
        elif table in WHOLE:
            _put(made[table], name, value)
        else:
            outer, _, field = name.partition(".")
            made[table][outer] = dict(made[table].get(outer, {}))
            _put(made[table][outer], field, value)
    made["standing"] = {name: inner for name, inner in made["standing"].items() if inner}
    return without_empty(made)


def without_empty(values: Values) -> dict[str, Any]:
    """The values without a table of soft rules where there is none of them."""
    return {name: value for name, value in values.items() if name != "soft" or value}


def _put(table: dict[str, Json], name: str, value: Json) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
