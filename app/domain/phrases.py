"""What a change of settings says to people: one plain sentence for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from app.domain.events import Json

NOTHING: Final = "nothing"
SHOWN: Final = 3  # settings that one line names


def phrases(was: Mapping[str, Json], news: Mapping[str, Json]) -> Iterator[tuple[str, str, str]]:
    """Each changed setting with its older and its newer value; a mode by what differs in it."""
    for setting, new in news.items():
        yield from _differing(setting, was.get(setting), new)


def line(was: Mapping[str, Json], news: Mapping[str, Json]) -> str:
    """The first few changes in one line, and how many more there are."""
    said = [f"{setting} {old} -> {new}" for setting, old, new in phrases(was, news)]
    more = f", and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    return f"{', '.join(said[:SHOWN])}{more}"


def _differing(setting: str, old: Json, new: Json) -> Iterator[tuple[str, str, str]]:
    if not isinstance(old, dict) or not isinstance(new, dict):
        yield setting, _whole(old, setting), _whole(new, setting)
        return
    for field in dict.fromkeys((*old, *new)):
        if old.get(field) != new.get(field):
            yield from _differing(f"{setting}.{field}", old.get(field), new.get(field))


def _whole(value: Json, setting: str) -> str:
    match value:
        case None:
            return NOTHING
        case dict():
            return "a soft rule" if setting.startswith("soft.") else "a mode of its own"
        case list():
            return " ".join(map(str, value)) or NOTHING
        case float():
            return f"{value:g}"
        case _:
            return str(value)
