"""The names of all settings, dotted, and how to get from a table to dotted names and back."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from app.config.schema import Schema
from app.domain.configuration import Standing
from app.domain.profiles import MEANINGS

# Where things are: all that the environment and flags may say (docs/design.md 10).
PLACES = ("config", "state_dir", "host", "port", "database_url")
PREFIX = "FLOORBOSS_"

# The standing approvals that each profile ships (docs/design.md 10).
STANDING: Mapping[str, Mapping[str, Standing]] = {
    "default": {
        "boundary": Standing(uses=30),
        "diagnosis": Standing(uses=3),
        "plan": Standing(uses=3),
    },
    "strict": {},
}


def flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """The leaves of nested tables under dotted names; an empty table is a leaf."""
    for name, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def nested(leaves: Mapping[str, object]) -> dict[str, object]:
    """The tables that `flat` was given."""
    tables: dict[str, object] = {}
    for key, value in leaves.items():
        *path, name = key.split(".")
        table = tables
        for part in path:
            inner = table.setdefault(part, {})
            assert isinstance(inner, dict)  # only known keys come here, and none is a prefix
            table = inner
        table[name] = value
    return tables


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """A model's own settings under dotted names; tables with names of their own are left out."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields(field.annotation, f"{prefix}{name}.")
        elif field.description:
            yield f"{prefix}{name}", field


def known() -> tuple[str, ...]:
    """Every key that floorboss.toml may hold."""
    approvals = dict.fromkeys(name for table in STANDING.values() for name in table)
    return (
        *(name for name, _ in fields(Schema)),
        *(f"rules.{key}" for key in MEANINGS),
        *(f"standing.{name}.uses" for name in approvals),
    )


def nearest(name: str, names: Iterable[str]) -> str:
    """The name that looks most like `name`."""
    return difflib.get_close_matches(name, list(names), n=1, cutoff=0.0)[0]
