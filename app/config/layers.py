"""Where values come from: the environment, the flags and the file, each with its faults.

    defaults < floorboss.toml < FLOORBOSS_* < flags

The last two may only say where things are; all else stands in the file, which an agent under
floorboss cannot write, while it can set a variable for a process that it starts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.config.keys import PLACES, PREFIX, flat, known, nearest
from app.config.modes import said as modes_said
from app.config.soft import said as soft_said

# Keys whose value is a path; in the file a relative one counts from the file's folder.
PATHS = ("state_dir", "auth.tls_cert", "auth.tls_key", "proposer.folder")
NAMED = ("modes", "soft")  # tables whose members have names of a person's own
FILE_NAME = "floorboss.toml"
OF_HARNESSES = frozenset({"FLOORBOSS_TOKEN"})  # what their hooks send; it is no setting
FILE_ONLY = (
    "stands in the file only: the environment and flags may say where things are and nothing"
    " that decides a verdict, a role or an approval"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One value and where it was said: a file's name, a variable or a flag."""

    value: object
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one source says, by dotted key, and what is wrong with it, one line each."""

    given: Mapping[str, Given] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


def environment(environ: Mapping[str, str]) -> Layer:
    """The FLOORBOSS_* variables; an empty one says nothing."""
    named = {
        name.removeprefix(PREFIX).lower(): Given(value=value, source=name)
        for name, value in environ.items()
        if name.startswith(PREFIX) and value and name not in OF_HARNESSES
    }
    return _places(named, tuple(PREFIX + key.upper() for key in PLACES))


def flags(options: Mapping[str, object]) -> Layer:
    """What the command line says; None says nothing."""
    named = {
        key: Given(value=value, source=_flag(key))
        for key, value in options.items()
        if value is not None
    }
    return _places(named, tuple(_flag(key) for key in PLACES))


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _places(named: Mapping[str, Given], spelled: tuple[str, ...]) -> Layer:
    return Layer(
        given={key: given for key, given in named.items() if key in PLACES},
        faults=tuple(
            _misplaced(key, given.source, spelled)
            for key, given in named.items()
            if key not in PLACES
        ),
    )


def _misplaced(key: str, source: str, spelled: tuple[str, ...]) -> str:
    in_file = {name.replace(".", "_"): name for name in known()}
    tables = {*NAMED, *(name.partition(".")[0] for name in known())}
    if key in in_file:
        return f"{source}: {in_file[key]} {FILE_ONLY}"
    if key in tables:
        return f"{source}: {key} {FILE_ONLY}"
    return f"{source} is not known; the nearest known one is {nearest(source, spelled)}"


def file(path: Path, *, required: bool) -> Layer:
    """What the file says; one that is missing says nothing, unless somebody named it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = tomllib.loads(text)
    except FileNotFoundError:
        return Layer(faults=(f"{path} does not exist",) if required else ())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        return Layer(faults=(f"{path} cannot be read: {fault}",))
    return _written(table, path)


def _written(table: Mapping[str, object], path: Path) -> Layer:
    keys = known()
    of_modes, wrong = modes_said(table.get("modes", {}), path.name)
    of_soft, wrong_soft = soft_said(table.get("soft", {}), path.name)
    table = {name: value for name, value in table.items() if name not in NAMED}
    leaves = {key: value for key, value in flat(table) if not _empty_table(key, value, keys)}
    filled = {key: value for key, value in leaves.items() if key in keys}
    return Layer(
        given={
            key: Given(value=_resolved(key, value, path.parent), source=path.name)
            for key, value in {**filled, **of_modes, **of_soft}.items()
        },
        faults=wrong
        + wrong_soft
        + tuple(
            f'{path.name}: unknown key "{key}"; the nearest known one is "{nearest(key, keys)}"'
            for key in leaves
            if key not in filled
        ),
    )


def _empty_table(key: str, value: object, keys: tuple[str, ...]) -> bool:
    return value == {} and any(name.startswith(f"{key}.") for name in keys)


def _resolved(key: str, value: object, folder: Path) -> object:
    if key in PATHS and isinstance(value, str):
        return folder / Path(value).expanduser()
    return value
