"""docs/configuration.md, made from the schema and the profiles' tables; a test holds it so."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic.fields import FieldInfo

from app.config.keys import PLACES, PREFIX, STANDING, fields
from app.config.settings import Settings
from app.domain.profiles import MEANINGS, THRESHOLDS

# Defaults that depend on where the process runs, in words.
COMPUTED = {
    "config": "`floorboss.toml` in the state folder",
    "state_dir": "`~/.local/state/floorboss`",
    "database_url": "`controls.db` in the state folder",
}
OPENING = """# Settings

Made from `app/config` by `.venv/bin/python -c "from app.config import reference;
print(reference(), end='')" > docs/configuration.md`; do not edit by hand.

Later ones win: defaults, `floorboss.toml`, `FLOORBOSS_*` variables, flags. Variables and flags may
say where things are (the first table) and nothing that decides a verdict, a role or an approval.
`floorboss config` shows each value with its source. Unknown keys and variables are refused.
"""


def reference() -> str:
    """The whole page, as Markdown."""
    settings = dict(fields(Settings))
    places = (_row(key, settings[key], (_said(key),)) for key in PLACES)
    others = (_row(key, field) for key, field in settings.items() if key not in PLACES)
    parts = (
        OPENING,
        "## Where things are\n",
        _table(("key", "default", "variable, flag", "meaning"), places),
        "## In the file only\n",
        _table(("key", "default", "meaning"), others),
        "## Thresholds\n",
        "One number per check, `[rules.<rule>] <threshold> = number`; 0 turns the check off.\n",
        _table(("key", *THRESHOLDS, "meaning"), _thresholds()),
        "## Standing approvals\n",
        "Uses in one session, `[standing.<name>] uses = number`; 0 turns one off.\n",
        _table(("key", *STANDING), _approvals()),
    )
    return "\n".join(parts)


def _row(key: str, field: FieldInfo, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    default = COMPUTED.get(key) or ("none" if field.default is None else _code(field.default))
    return (f"`{key}`", default, *more, field.description or "")


def _code(value: object) -> str:
    return f"`{json.dumps(value)}`"


def _said(key: str) -> str:
    return f"`{PREFIX}{key.upper()}`, `--{key.replace('_', '-')}`"


def _thresholds() -> Iterator[tuple[str, ...]]:
    for key, row in MEANINGS.items():
        numbers = (f"{table[key]:g}" for table in THRESHOLDS.values())
        yield (f"`rules.{key}`", *numbers, row.meaning)


def _approvals() -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys(name for table in STANDING.values() for name in table):
        uses = (table[name].uses if name in table else 0 for table in STANDING.values())
        yield (f"`standing.{name}.uses`", *(str(number) for number in uses))


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
