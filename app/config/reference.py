"""docs/configuration.md, made from the schema and the profiles' tables; a test holds it so."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic.fields import FieldInfo

from app.config.keys import PLACES, PREFIX, STANDING, fields
from app.config.modes import BLANK, FIELDS, HANDOFFS, NONE, WORDS
from app.config.settings import Settings
from app.domain.configuration import POSTURES
from app.domain.modes import EFFECTS, RULINGS
from app.domain.profiles import MEANINGS, THRESHOLDS
from app.domain.softrules import RULES, WINDOW
from app.domain.strictness import MEANT, WAYS

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


MODES_TEXT = """`[modes.<name>]` redefines a mode or adds one. Of the modes that ship
([modes.md](modes.md)) what is not said keeps the profile's word, in `shell` effect by effect; they
can be redefined and not taken away, as rules and the test boundary lead to them. A new mode names
its `tools`. The settings are refused where a mode could write both tests and implementation, or
where `start_mode` names none. An effect that `shell` does not name is denied.
"""
SOFT_TEXT = f"""`[soft.<name>]` adds a soft rule: calls of which a person wants to see most, though
not at any price. None ships. A rule is about a call where all of `tools`, `programs`, `paths` and
`network` that it names hold, and of a list one item is enough; at least one of them is named. It is
asked only where it would be stricter than everything else in force, and stops the call at the rate

    max(floor, base_rate * (1 - strength * induced))

`induced` is the share of the rule's latest `window` draws that stopped a step which had just been
stopped. The draw for a call is computed from its scope and the `seq` of its entry, so that a replay
of the log stops the same calls; both stand in the entry. There are at most {RULES} rules. Half of
the calls that use the network, put to a person, and never less than a tenth:

    [soft.network]
    network = true
    verdict = "ask"
    base_rate = 0.5
    floor = 0.1

`floorboss propose SESSION --lift network --calls 10 --reason WHY` asks a person to let such calls
pass for a while.
"""
SOFT_FIELDS: tuple[tuple[str, str, str], ...] = (
    ("`soft.<name>.tools`", "tool classes", "any"),
    ("`soft.<name>.programs`", "first words of a shell line's simple commands", "any"),
    ("`soft.<name>.paths`", "patterns of paths that a call writes", "any"),
    ("`soft.<name>.network`", "`true`: web tools, and programs known to use the network", "any"),
    ("`soft.<name>.verdict`", "`ask` `deny`", "must be said"),
    ("`soft.<name>.base_rate`", "0 to 1: how often it stops a call at rest", "must be said"),
    ("`soft.<name>.floor`", "0 to `base_rate`: it never falls below", "must be said"),
    ("`soft.<name>.window`", f"1 to {WINDOW} draws", "`20`"),
    ("`soft.<name>.strength`", "0 to 1: how far blocks in a row relax it; 0: never", "`0.5`"),
)
HOLDING_TEXT = """At a start the settings are compared with those that the log has in force, one by
one; a mode is one setting. What is known to be no freer, and what decides nothing, holds at once.
All else waits as one proposal for all sessions, and the older values hold until a person approves
it. Only an empty log takes everything. `floorboss config` shows both beside each other.
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
        "## Modes\n",
        MODES_TEXT,
        _table(("key", "words", "where a new mode says nothing"), _mode_fields()),
        "## Soft rules\n",
        SOFT_TEXT,
        _table(("key", "values", "where it is not said"), iter(SOFT_FIELDS)),
        "## What holds at once\n",
        HOLDING_TEXT,
        _table(("setting", "no freer is"), iter(_no_freer())),
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


def _mode_fields() -> Iterator[tuple[str, ...]]:
    for field in FIELDS:
        match field:
            case "shell":
                key = "`modes.<name>.shell.<effect>`"
                yield key, f"{_words(RULINGS)}; effects: {_words(EFFECTS)}", "read, talk: `none`"
            case "handoff":
                yield f"`modes.<name>.{field}`", _words((*HANDOFFS, NONE)), f"`{NONE}`"
            case _:
                known = _words(WORDS[field]) if field in WORDS else "words of your own"
                yield f"`modes.<name>.{field}`", known, _code(BLANK.get(field, []))


def _words(words: tuple[str, ...]) -> str:
    return " ".join(f"`{word}`" for word in words)


def _no_freer() -> Iterator[tuple[str, ...]]:
    yield "`enforcement`", "`enforce`"
    yield "`ceiling`", f"further down: {_words(POSTURES)}"
    yield "`context_limit`", "smaller"
    yield "`standing.<name>.uses`", "fewer"
    yield (
        "`modes.<name>`",
        "no call freer, and nothing less to hand over, nor anything new in `debug` and `plan`,"
        " where a standing approval answers it; a new mode; one taken away; none of them, and no"
        " other start mode, where a rule that led from a mode to another one no longer would",
    )
    yield (
        "`start_mode`",
        "a mode that frees no call, but for the two between which the test boundary is crossed;"
        " where one red run leads from implementation to debug, no freer than debug either;"
        " the mode that sessions start in is kept",
    )
    yield (
        "`soft.<name>`",
        "a new one; one that stops every call that it stopped, as strictly and as often: no fewer"
        " calls named, `ask` to `deny`, no lower `base_rate` and `floor`, no higher `strength`, the"
        " same `window`",
    )
    yield "`profile`", "the word; what it brings is compared by itself"
    for threshold, way in WAYS.items():
        yield f"`rules.{threshold}`", MEANT[way]
    yield "any other threshold", MEANT["lower"]
