"""The probe grid: the calls over which two values are compared (docs/design.md 4).

    every tool class with every effect, and every zone for effects that write
    every tool, every denied command and every write pattern that one of the values names

A verdict is the strictest finding about one effect and one target at a time, so single effects and
single targets are enough. Of a pattern there are the shortest path on it and a long one, and one
below, beside and outside that. Their words stand in none of the values, so that nobody can choose
tools or patterns that tell a probe from any other call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count, islice, product
from typing import NamedTuple

from app.domain.calls import Effect, Target, ToolClass, Zone
from app.domain.modes import EFFECTS, TOOL_CLASSES, ZONES
from app.domain.patterns import zone_inside
from app.domain.restrictions import Call, Policy

MOST = 600  # calls of one comparison; the lists of two policies fit (restrictions.py)
UNNAMED = "a tool nobody names"
_TARGETED: tuple[Effect, ...] = ("write", "git_restore")
_PLACES: Mapping[Zone, str] = {
    "project": "probe-folder/probe-file",
    "test": "tests/probe-file",
    "guarded": ".git/config",
    "given": "/probe-given/probe-file",
    "temporary": "/tmp/probe-file",
    "outside": "/probe-outside/probe-file",
}
_WILDCARDS = "*?"
_LETTERS = "qxjzkvw"


class Words(NamedTuple):
    """What wildcards become: a word and a letter that are part of no pattern."""

    word: str
    letter: str


PLAIN = Words(word="probe", letter="q")


def grid(policies: Sequence[Policy] = ()) -> tuple[Call, ...]:
    """The probe calls, those that depend on no value first; at most 600."""
    return tuple(islice(_calls(policies), MOST))


def _calls(policies: Sequence[Policy]) -> Iterator[Call]:
    tools, nobody = named_tools(policies), unnamed(policies)
    yield from _BASE if nobody == UNNAMED else _every_class_and_effect(nobody)
    for tool in sorted(tools):
        yield _probe(effect="read", tool=tool)
    for denial in sorted({line for policy in policies for line in policy.shell_denials}):
        yield _probe(effect="read", tool=nobody, tool_class="shell", commands=(denial,))
    patterns = {path for policy in policies for path in policy.write_paths or ()}
    words = words_of(patterns)
    for path in sorted({path for pattern in patterns for path in paths_around(pattern, words)}):
        yield _probe(effect="write", tool=nobody, tool_class="write", targets=(_inside(path),))


def named_tools(policies: Sequence[Policy]) -> frozenset[str]:
    """The tools that have a verdict of their own."""
    return frozenset(tool for policy in policies for tool in policy.verdicts)


def unnamed(policies: Sequence[Policy]) -> str:
    """A tool that none of the policies names."""
    return _apart(UNNAMED, named_tools(policies))


def words_of(patterns: Collection[str]) -> Words:
    """Words that only a wildcard matches, one of them longer than any number of `?`."""
    everything = "".join(patterns)
    letters = chain(_LETTERS, map(chr, count(0x4E00)))
    letter = next(letter for letter in letters if letter not in everything)
    if any(wildcard in everything for wildcard in _WILDCARDS):
        return Words(word=letter * (1 + max(map(len, patterns))), letter=letter)
    return Words(word=_apart(PLAIN.word, patterns), letter=letter)


def _apart(word: str, named: Collection[str]) -> str:
    """The word, made longer than anything that holds it."""
    longest = max((len(name) for name in named if word in name), default=0)
    return word + "'" * longest


def _every_class_and_effect(tool: str) -> Iterator[Call]:
    for tool_class, effect in product(TOOL_CLASSES, EFFECTS):
        yield _probe(effect=effect, tool_class=tool_class, tool=tool)
        if effect in _TARGETED:
            for zone in ZONES:
                targets = (Target(path=_PLACES[zone], zone=zone),)
                yield _probe(effect=effect, tool_class=tool_class, tool=tool, targets=targets)


def _probe(
    *,
    effect: Effect,
    tool: str,
    tool_class: ToolClass = "read",
    targets: tuple[Target, ...] = (),
    commands: tuple[str, ...] = (),
) -> Call:
    return Call(
        tool=tool, tool_class=tool_class, effects=(effect,), targets=targets, commands=commands
    )


def _inside(path: str) -> Target:
    return Target(path=path, zone=zone_inside(path))


def paths_around(pattern: str, words: Words = PLAIN) -> tuple[str, ...]:
    """The shortest path on a pattern and a long one; one below, beside and outside the long one."""
    below = f"/{words.word}" if pattern.endswith("/") else ""
    *folders, last = pattern.strip("/").split("/")
    on = "/".join(_long(segment, words) for segment in (*folders, last)) + below
    needed = (*(folder for folder in folders if folder != "**"), last)
    short = "/".join(_short(segment, words) for segment in needed) + below
    folder, slash, _ = on.rpartition("/")
    beside = f"{folder}{slash}{words.word * 2}"
    return on, short, f"{on}/{words.word}", beside, f"{words.word}/{on}"


def _long(segment: str, words: Words) -> str:
    return segment.replace("**", "*").replace("*", words.word).replace("?", words.letter)


def _short(segment: str, words: Words) -> str:
    return segment.replace("*", "").replace("?", words.letter) or words.letter


_BASE: tuple[Call, ...] = tuple(_every_class_and_effect(UNNAMED))
