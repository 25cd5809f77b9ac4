"""The probe grid: the calls over which two values are compared (docs/design.md 4).

    every tool class with every effect, and every zone for effects that write
    every tool, every denied command and every write pattern that one of the values names

A verdict is the strictest finding about one effect and one target at a time, so single effects and
single targets are enough. Of a pattern there is one path on, below, beside and outside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

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
# What a wildcard becomes: words that no other pattern is likely to name.
_INSTANCES = (("**/", "probe-deep/"), ("**", "probe-any"), ("*", "probe-some"), ("?", "q"))


def grid(policies: Sequence[Policy] = ()) -> tuple[Call, ...]:
    """The probe calls, those that depend on no value first; at most 600."""
    return tuple(islice(_calls(policies), MOST))


def _calls(policies: Sequence[Policy]) -> Iterator[Call]:
    yield from _BASE
    for tool in sorted({tool for policy in policies for tool in policy.verdicts}):
        yield _probe(effect="read", tool=tool)
    for denial in sorted({line for policy in policies for line in policy.shell_denials}):
        yield _probe(effect="read", tool_class="shell", commands=(denial,))
    patterns = {path for policy in policies for path in policy.write_paths or ()}
    for path in sorted({path for pattern in patterns for path in paths_around(pattern)}):
        yield _probe(effect="write", tool_class="write", targets=(_inside(path),))


def _every_class_and_effect() -> Iterator[Call]:
    for tool_class, effect in product(TOOL_CLASSES, EFFECTS):
        yield _probe(effect=effect, tool_class=tool_class)
        if effect in _TARGETED:
            for zone in ZONES:
                target = Target(path=_PLACES[zone], zone=zone)
                yield _probe(effect=effect, tool_class=tool_class, targets=(target,))


def _probe(
    *,
    effect: Effect,
    tool: str = UNNAMED,
    tool_class: ToolClass = "read",
    targets: tuple[Target, ...] = (),
    commands: tuple[str, ...] = (),
) -> Call:
    return Call(
        tool=tool, tool_class=tool_class, effects=(effect,), targets=targets, commands=commands
    )


def _inside(path: str) -> Target:
    return Target(path=path, zone=zone_inside(path))


def paths_around(pattern: str) -> tuple[str, ...]:
    """A path on the pattern, one below it, one beside it and the same one in a foreign folder."""
    on = pattern.strip("/") + ("/probe-file" if pattern.endswith("/") else "")
    for wildcard, instance in _INSTANCES:
        on = on.replace(wildcard, instance)
    folder, slash, _ = on.rpartition("/")
    return on, f"{on}/probe-below", f"{folder}{slash}probe-beside", f"probe-foreign/{on}"


_BASE: tuple[Call, ...] = tuple(_every_class_and_effect())
