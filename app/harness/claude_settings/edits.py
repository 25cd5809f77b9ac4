"""Our hooks inserted into a text and cut out of it again.

What is cut leaves the text that was there before: it stood behind all others, so it goes with the
comma before it. Where it was alone the object or list around it goes too, unless the text from
before had one there; that text is the only memory this needs, and may be None.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from app.harness.claude_settings.hooks import Handler, is_ours
from app.harness.claude_settings.places import BLANK, Part, Path, part, parts
from app.harness.claude_settings.style import Style, style_of

HOOKS: Final = "hooks"
LISTS: Final = 2  # names from the root to the list of one event's groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Why a text is left alone."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One of our hooks as it stands in a text."""

    event: str
    path: Path
    handler: Handler


def blank(text: str) -> bool:
    """Whether a text holds nothing at all."""
    return not text.strip(BLANK)


def unusable(text: str) -> Unusable | None:
    """Why a text holds no settings that hooks could be put into; None: it does, or is blank."""
    if blank(text):
        return None
    try:
        settings = json.loads(text.lstrip(BLANK), parse_constant=_refuse, parse_int=str)
    except json.JSONDecodeError as fault:
        return Unusable(why=f"it is not JSON: {fault.msg}, line {fault.lineno}")
    except (ValueError, RecursionError):
        return Unusable(why="it is not JSON that can be read")
    return next((Unusable(why=why) for why in _misshapen(settings)), None)


def hooks_in(text: str) -> tuple[Found, ...]:
    """Our hooks in a usable text, in its order."""
    return () if blank(text) else tuple(_ours(json.loads(text.lstrip(BLANK), parse_int=float)))


def with_hooks(text: str, wanted: Mapping[str, Handler], before: str | None) -> str | Unusable:
    """The text with exactly the wanted hooks of ours; as it is, where it has them."""
    if (fault := unusable(text)) is not None:
        return fault
    kept: set[str] = set()
    stale: list[Found] = []
    for found in hooks_in(text):
        if found.event in kept or wanted.get(found.event) != found.handler:
            stale.append(found)
        else:
            kept.add(found.event)
    text = _without(text, stale, before)
    for event, handler in wanted.items():
        if event not in kept:
            text = _added(text, event, {HOOKS: [handler]})
    return text


def without_hooks(text: str, before: str | None) -> str | Unusable:
    """The text without our hooks; an empty one where nothing but them was ever in it.

    Claude Code sets the whole file anew when it changes a setting. What then says the same as the
    text from before becomes that text again.
    """
    if (fault := unusable(text)) is not None:
        return fault
    left = _without(text, list(hooks_in(text)), before)
    changed = left != text and before is not None and not unusable(before)
    return before if changed and before and _meaning(before) == _meaning(left) else left


def _meaning(text: str) -> str:
    """The same for texts that say the same; their order and spacing do not count."""
    if blank(text):
        return ""
    return json.dumps(json.loads(text.lstrip(BLANK), parse_int=float), sort_keys=True)


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def _misshapen(settings: object) -> Iterator[str]:
    if not isinstance(settings, dict):
        yield "it is not a JSON object"
        return
    hooks = settings.get(HOOKS, {})
    if not isinstance(hooks, dict):
        yield '"hooks" in it is not an object'
        return
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            yield f'"hooks.{event}" in it is not a list'


def _ours(settings: Any) -> Iterator[Found]:
    for event, groups in settings.get(HOOKS, {}).items():
        for place, group in enumerate(groups):
            handlers = group.get(HOOKS) if isinstance(group, dict) else None
            for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if is_ours(handler):
                    path = (HOOKS, event, place, HOOKS, index)
                    yield Found(event=event, path=path, handler=handler)


def _without(text: str, found: list[Found], before: str | None) -> str:
    for each in reversed(found):  # from the last, so that the places of the others stay
        text = _cut(text, each.path, before)
    return text


def _cut(text: str, path: Path, before: str | None) -> str:
    outer, own = path[:-1], path[-1]
    beside = _inside(text, outer)
    if len(beside) == 1:
        return _emptied(text, outer, before)
    place = max(place for place, each in enumerate(beside) if each.name == own)
    if place:
        return text[: beside[place - 1].end] + text[beside[place].end :]
    return text[: beside[0].start] + text[beside[1].start :]


def _emptied(text: str, path: Path, before: str | None) -> str:
    """The text after the last part of what stands at `path` was cut out of it."""
    if len(path) > LISTS:  # a group without a hook is nothing, whatever else it says
        return _cut(text, path[: LISTS + 1], before)
    whole = part(text, path)
    was = _from_before(before, path)
    if whole is not None and was is not None:
        return text[: whole.value] + was + text[whole.end :]
    if path:
        return _cut(text, path, before)
    return before if before is not None and blank(before) else ""


def _from_before(before: str | None, path: Path) -> str | None:
    """What stood at a path before, without its parts; None: nothing did."""
    if before is None or blank(before) or unusable(before):
        return None
    if (whole := part(before, path)) is None:
        return None
    text = before[whole.value : whole.end]
    return text[0] + text[-1] if parts(before, whole) else text


def _inside(text: str, path: Path) -> tuple[Part, ...]:
    whole = part(text, path)
    return () if whole is None else parts(text, whole)


def _added(text: str, event: str, group: Handler) -> str:
    if blank(text):
        return json.dumps({HOOKS: {event: [group]}}, indent=2) + "\n"
    style = style_of(text)
    if part(text, (HOOKS,)) is None:
        return _inserted(text, (), style, HOOKS, {event: [group]})
    if part(text, (HOOKS, event)) is None:
        return _inserted(text, (HOOKS,), style, event, [group])
    return _inserted(text, (HOOKS, event), style, None, group)


def _inserted(text: str, path: Path, style: Style, name: str | None, value: object) -> str:
    """The text with one part more, behind all others of the object or list at `path`."""
    whole, beside = part(text, path), _inside(text, path)
    if whole is None:
        return text
    if not beside:
        gap = style.gap(len(path) + 1)
        inside = gap + style.rendered(name, value, gap) + style.gap(len(path))
        return text[: whole.value + 1] + inside + text[whole.end - 1 :]
    gap = text[whole.value + 1 : beside[0].start]
    more = f",{gap or style.space}{style.rendered(name, value, gap)}"
    return text[: beside[-1].end] + more + text[beside[-1].end :]
