"""What in Claude Code's settings keeps our hooks from running, and what follows from it.

Lists of several files count together; an administrator's, where there is one, counts alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Final

from app.cli.facts import Layer
from app.cli.findings import Finding, fail, warn
from app.harness.claude_settings import ROUTE, TOKEN_VARIABLE, Target

URLS: Final = "allowedHttpHookUrls"
VARIABLES: Final = "httpHookAllowedEnvVars"
ASK: Final = "Ask whoever manages this machine."
SILENT: Final = "Claude Code posts nothing, so no call is reported or denied"
NAMELESS: Final = "Claude Code posts without the token, and the daemon refuses every report"


def switches(managed: Layer, own: Sequence[Layer], target: Target) -> Iterator[Finding]:
    """Everything in these files that stops hooks which are to report to `target`."""
    for layer in (managed, *own):
        yield from _turned_off(layer)
        yield from _variables(layer)
    if managed.settings.get("allowManagedHooksOnly") is True and not managed.ours:
        text = f"{managed.path}: allowManagedHooksOnly is true and ours are not among them"
        yield fail("switch", f"{text}: {SILENT}", ASK)
    yield from _left_out(managed, own, URLS, target.url + ROUTE, f"{target.url}/*", SILENT)
    if target.token is None:
        yield from _left_out(managed, own, VARIABLES, TOKEN_VARIABLE, TOKEN_VARIABLE, NAMELESS)


def _turned_off(layer: Layer) -> Iterator[Finding]:
    if layer.settings.get("disableAllHooks") is True:
        yield fail("switch", f"{layer.path}: disableAllHooks is true: {SILENT}", "Take it out.")


def _variables(layer: Layer) -> Iterator[Finding]:
    variables = layer.settings.get("env")
    names = sorted(variables) if isinstance(variables, dict) else []
    if theirs := [name for name in names if name.startswith("FLOORBOSS_")]:
        do = "Take them out, unless you set them yourself."
        yield warn("switch", f"{layer.path}: its env sets {', '.join(theirs)}", do)


def _left_out(
    managed: Layer, own: Sequence[Layer], name: str, value: str, entry: str, follows: str
) -> Iterator[Finding]:
    """That a list which permits only what it names does not name us."""
    above = _lists((managed,), name)
    lists = above or _lists(own, name)
    if lists and not any(_matches(each, value) for _, listed in lists for each in listed):
        where = ", ".join(str(layer.path) for layer, _ in lists)
        do = ASK if above else f'Add "{entry}" to it, or take it out.'
        yield fail("switch", f"{where}: {name} leaves out {value}: {follows}", do)


def _lists(layers: Sequence[Layer], name: str) -> list[tuple[Layer, list[object]]]:
    found = ((layer, layer.settings.get(name)) for layer in layers)
    return [(layer, listed) for layer, listed in found if isinstance(listed, list)]


def _matches(pattern: object, value: str) -> bool:
    """Whether a listed pattern fits; `*` stands for anything, and nothing else is special."""
    literal = str(pattern).replace("[", "[[]").replace("?", "[?]")
    return fnmatchcase(value, literal)
