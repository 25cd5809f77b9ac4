"""Programs that only start another one: what stands behind them is the command."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from app.classification.shellcode.options import told_apart
from app.classification.shellcode.state import Words
from app.classification.shellcode.tables import FORMATTERS, RUNNERS, WRAPPERS, Wrapper

_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_ENV_FLAGS: Final = frozenset("iv0") | {"ignore-environment", "null", "debug"}
_ENV_VALUED: Final = frozenset("uC") | {"unset", "chdir"}
# What a runner of packages starts; any other package is unknown by its name.
_PACKAGES: Final = frozenset(
    {
        "ava",
        "jest",
        "mocha",
        "mypy",
        "playwright",
        "pyright",
        "pytest",
        "ruff",
        "tap",
        "tsc",
        "vitest",
    }
) | {phrase.split()[0] for phrase in FORMATTERS}
_OF_PACKAGES: Final = frozenset(
    {"bunx", "npm exec", "npx", "pnpm dlx", "pnpm exec", "uvx", "yarn exec"}
)


class Wrapped(NamedTuple):
    """The command behind a wrapper, with the variables and the folder it is given."""

    words: Words
    variables: tuple[tuple[str, str], ...] = ()
    folder: str | None = None


def wrapped(words: Words) -> Wrapped | None:
    """What the wrapper in front of a command starts; None: it is none, or does more than that."""
    if words[0] == "env":
        return _of_env(words)
    if words[0] in WRAPPERS:
        return _behind(WRAPPERS[words[0]], words[1:])
    phrase = " ".join(words[:2])
    for name in (words[0], phrase):
        if name in RUNNERS:
            found = _behind(RUNNERS[name], words[len(name.split()) :])
            return found if found and _is_vouched(name, found.words) else None
    return None


def _is_vouched(runner: str, words: Words) -> bool:
    return runner not in _OF_PACKAGES or words[:1] == () or words[0] in _PACKAGES


def _behind(wrapper: Wrapper, words: Words) -> Wrapped | None:
    told = told_apart(words, wrapper.flags, wrapper.valued, leading=True)
    return None if told is None else Wrapped(told.operands[wrapper.skip :])


def _of_env(words: Words) -> Wrapped | None:
    told = told_apart(words[1:], _ENV_FLAGS, _ENV_VALUED, leading=True)
    if told is None:
        return None
    rest = list(told.operands)
    variables: list[tuple[str, str]] = []
    while rest and (found := _ASSIGNED.fullmatch(rest[0])):
        variables.append((found[1], found[2]))
        rest.pop(0)
    folders = told.values(frozenset({"C", "chdir"}))
    return Wrapped(tuple(rest), tuple(variables), folders[-1] if folders else None)
