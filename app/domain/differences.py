"""What a change makes freer and what stricter: tools, paths and commands, in a list a person reads.

    probes      every call of the grid whose verdict changes           (probes.py)
    speak       some of them stand for a tool, a place or an effect    -> one item each
    covered     the others share such an item, or get one of their own

No change of the grid is left out, and nothing is listed that does not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, TypeAlias, cast

from app.domain.calls import Zone
from app.domain.events import Json
from app.domain.modes import VERDICTS, Mode, Verdict
from app.domain.naming import COMMANDS, PLACES, TOOLS, UNVOUCHED, listed
from app.domain.narrowing import lifted_by
from app.domain.patterns import matches
from app.domain.policy import decide, runs_commands
from app.domain.probes import grid, named_tools, paths_around, words_of
from app.domain.reasons import quoted
from app.domain.restrictions import Call, InForce

Part = Literal["tools", "paths", "commands"]
Kind = Literal["class", "tool", "unvouched", "zone", "pattern", "effect", "command", "soft"]
PARTS: Final[Mapping[Kind, Part]] = {
    "class": "tools",
    "tool": "tools",
    "unvouched": "tools",
    "zone": "paths",
    "pattern": "paths",
    "effect": "commands",
    "command": "commands",
    "soft": "tools",
}
NEUTRAL: Final = (
    "mcp"  # a class that no mode bars: what it is told, the effect or the place decides
)
SPEAKERS: Final[Mapping[str, str]] = {
    "test": "shell",
    "talk": "talk",
    "unknown": "shell",
    "unknown_closed": "shell",
}  # effects that the postures leave to a class
REMEMBERED: Final = 256  # differences; the same few are asked for again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing whose verdict changes: `name` as the tables or a policy have it."""

    kind: Kind
    name: str
    before: Verdict
    after: Verdict
    places: tuple[Zone, ...] = ()  # of an effect: only where it names these; empty: anywhere
    but: tuple[str, ...] = ()  # patterns inside it for which this does not change
    mode: str = ""  # the mode in which it changes; empty: under what is in force

    @property
    def freer(self) -> bool:
        """Whether calls become freer; else they become stricter."""
        return VERDICTS.index(self.after) < VERDICTS.index(self.before)

    @property
    def what(self) -> str:
        """What it is about: our words, and quoted names."""
        but = f", except {listed(map(quoted, self.but))}" if self.but else ""
        where = f" (in mode {self.mode})" if self.mode else ""
        return f"{_what(self)}{but}{where}"


Difference: TypeAlias = tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    call: Call
    before: Verdict
    after: Verdict

    def item(self, kind: Kind, name: str) -> Item:
        return Item(kind=kind, name=name, before=self.before, after=self.after)


@lru_cache(maxsize=REMEMBERED)
def difference(before: InForce, after: InForce, *, unenforced: bool = False) -> Difference:
    """What becomes freer or stricter when `after` is in force instead of `before`.

    `unenforced`: from then on it is only observed, and nothing is denied that was.
    """
    if before == after and not unenforced:
        return ()
    probed = [
        _Change(
            call=call,
            before=decide(before, call).verdict,
            after="none" if unenforced else decide(after, call).verdict,
        )
        for call in grid((*after.policies, *before.policies))
    ]
    changed = [each for each in probed if each.before != each.after]
    patterns = _patterns(before, after)
    tools = named_tools((*after.policies, *before.policies))
    items = list(dict.fromkeys(_spoken(changed, patterns, tools)))
    for change in changed:
        if not any(covers(item, change.call, change.before, change.after) for item in items):
            items.append(change.item("class", change.call.tool_class))
    kept = [_with_exceptions(item, probed, patterns) for item in _together(items)]
    return tuple(sorted(kept, key=lambda item: VERDICTS.index(item.after)))


def redefined(old: Mapping[str, Mode], new: Mapping[str, Mode]) -> Difference:
    """What modes that are defined anew judge otherwise, each by itself and named in its items."""
    changed = (name for name in sorted(new) if name in old and old[name] != new[name])
    return tuple(
        replace(item, mode=name)
        for name in changed
        for item in difference(InForce(modes=(old[name],)), InForce(modes=(new[name],)))
    )


def lifting(before: InForce, after: InForce, verdicts: Mapping[str, Verdict]) -> Difference:
    """The soft rules that are lifted, or hold again; `verdicts`: what each of them says."""
    was, now = lifted_by(before), lifted_by(after)
    said = {name: verdicts.get(name.partition(":")[0], "ask") for name in was ^ now}
    return tuple(
        Item(kind="soft", name=name, before=said[name], after="none")
        if name in now
        else Item(kind="soft", name=name, before="none", after=said[name])
        for name in sorted(said)
    )


def covers(item: Item, call: Call, before: Verdict, after: Verdict) -> bool:
    """Whether an item tells of a call that changes: subject and direction are the call's."""
    freer = VERDICTS.index(after) < VERDICTS.index(before)
    if item.freer != freer:
        return False
    match item.kind:
        case "class":
            return call.tool_class == item.name
        case "tool":
            return call.tool == item.name
        case "command":
            return item.name in call.commands
        case "unvouched":
            return item.name in call.effects and not runs_commands(call)
        case "effect":
            placed = not item.places or any(target.zone in item.places for target in call.targets)
            return item.name in call.effects and placed
        case "zone":
            return "write" in call.effects and any(t.zone == item.name for t in call.targets)
        case "soft":  # which calls it is about, the configuration says
            return False
        case "pattern":
            return any(matches((item.name,), target.path) for target in call.targets)


def difference_view(found: Difference) -> dict[str, Json]:
    """A difference as answers carry it: `freer` and `stricter`, each by tools, paths, commands."""
    return {
        "freer": _by_part(item for item in found if item.freer),
        "stricter": _by_part(item for item in found if not item.freer),
    }


def _by_part(items: Iterable[Item]) -> dict[str, Json]:
    parts: dict[Part, list[Json]] = {"tools": [], "paths": [], "commands": []}
    for item in items:
        parts[PARTS[item.kind]].append({
            "kind": item.kind,
            "name": item.name,
            "what": item.what,
            "before": item.before,
            "after": item.after,
            **({"mode": item.mode} if item.mode else {}),
        })  # fmt: skip
    return cast("dict[str, Json]", parts)


def _patterns(before: InForce, after: InForce) -> tuple[str, ...]:
    """The write patterns of all policies, the longest, and so mostly the narrowest, first."""
    policies = (*before.policies, *after.policies)
    named = {path for policy in policies for path in policy.write_paths or ()}
    return tuple(sorted(named, key=lambda pattern: (-len(pattern), pattern)))


def _spoken(
    changed: Sequence[_Change], patterns: Sequence[str], tools: frozenset[str]
) -> Iterator[Item]:
    """The items of the calls that stand for something; places before the patterns inside them."""
    spoken = [item for each in changed for item in _of_base(each, tools)]
    zones = [item for item in spoken if not _said_by_class(item, spoken)]
    yield from zones
    for each in changed:
        yield from _of_pattern(each, patterns, zones)


def _of_base(change: _Change, tools: frozenset[str]) -> Iterator[Item]:
    call = change.call
    (effect,) = call.effects
    if call.tool in tools:
        yield change.item("tool", call.tool)
    elif call.commands:
        yield change.item("command", call.commands[0])
    elif effect == "read":
        yield change.item("class", call.tool_class)
    elif effect in UNVOUCHED and call.tool_class == NEUTRAL:
        yield change.item("unvouched", effect)
    elif call.tool_class != SPEAKERS.get(effect, NEUTRAL):
        return
    elif not call.targets:
        yield change.item("effect", effect)
    elif effect == "write":
        yield change.item("zone", call.targets[0].zone)
    else:
        yield replace(change.item("effect", effect), places=(call.targets[0].zone,))


def _said_by_class(item: Item, spoken: Sequence[Item]) -> bool:
    """Whether tools of unknown effect change as all tools of MCP servers do."""
    return item.kind == "unvouched" and replace(item, kind="class", name=NEUTRAL) in spoken


def _of_pattern(change: _Change, patterns: Sequence[str], zones: Sequence[Item]) -> Iterator[Item]:
    """A path of which its whole zone does not say the same already."""
    call = change.call
    if not call.targets or call.tool_class != "write" or call.effects != ("write",):
        return
    target = call.targets[0]
    if change.item("zone", target.zone) in zones:
        return
    named = next((p for p in patterns if matches((p,), target.path)), None)
    if named is not None:
        yield change.item("pattern", named)


def _together(items: Sequence[Item]) -> Iterator[Item]:
    """One item for an effect in several places; none for places it is not told apart in."""
    seen: set[tuple[Kind, str, Verdict, Verdict]] = set()
    for item in items:
        key = (item.kind, item.name, item.before, item.after)
        if key in seen:
            continue
        seen.add(key)
        alike = [i for i in items if (i.kind, i.name, i.before, i.after) == key]
        anywhere = any(not each.places for each in alike)
        places = () if anywhere else tuple(zone for each in alike for zone in each.places)
        yield replace(item, places=places)


def _with_exceptions(item: Item, probed: Sequence[_Change], patterns: Sequence[str]) -> Item:
    """An item for places that says which patterns inside it stay as they were."""
    if PARTS[item.kind] != "paths" and not item.places:
        return item
    but = tuple(sorted(p for p in patterns if p != item.name and _stays(item, p, patterns, probed)))
    return replace(item, but=but)


def _stays(item: Item, pattern: str, patterns: Sequence[str], probed: Sequence[_Change]) -> bool:
    """Whether a pattern lies inside the item's place and what it names changes otherwise."""
    on = paths_around(pattern, words_of(patterns))[0]
    for each in probed:
        targets = each.call.targets
        if each.call.tool_class == "write" and targets and targets[0].path == on:
            if item.places:  # an effect: the paths were probed with writing, which is judged alike
                return targets[0].zone in item.places and each.before == each.after
            inside = covers(item, each.call, item.before, item.after)
            return inside and (each.before, each.after) != (item.before, item.after)
    return False


def _what(item: Item) -> str:
    match item.kind:
        case "class":
            return TOOLS[item.name]
        case "zone":
            return PLACES[item.name]
        case "effect":
            on = f" on {listed(PLACES[zone] for zone in item.places)}" if item.places else ""
            return f"{COMMANDS[item.name]}{on}"
        case "unvouched":
            return UNVOUCHED[item.name]
        case "tool":
            return f"the tool {quoted(item.name)}"
        case "pattern":
            return f"files under {quoted(item.name)}"
        case "soft":
            rule, _, step = item.name.partition(":")
            only = f", only for {quoted(step)}" if step else ""
            return f"what the soft rule {quoted(rule)} stops{only}"
        case "command":
            return f"commands that begin with {quoted(item.name)}"
