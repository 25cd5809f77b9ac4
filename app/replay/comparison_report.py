"""The difference of two configurations, for people as lines and for programs as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.events import Json
from app.replay.comparison import Difference, Side, difference
from app.replay.fires import fire_json, fire_line
from app.replay.report import many, totals_json


def difference_json(before: Side, after: Side) -> dict[str, Json]:
    """Both sides in numbers, and every firing that only one of them has."""
    found = difference(before.fires, after.fires)
    return {
        "before": _side_json(before),
        "after": _side_json(after),
        "appeared": [fire_json(fire) for fire in found.appeared],
        "vanished": [fire_json(fire) for fire in found.vanished],
        "by_rule": {
            rule: {"appeared": len(part.appeared), "vanished": len(part.vanished)}
            for rule in found.rules
            for part in (found.of(rule),)
        },
    }


def _side_json(side: Side) -> dict[str, Json]:
    return {
        "profile": side.configuration.profile,
        "digest": side.configuration.digest,
        "thresholds": dict(sorted(side.configuration.thresholds.items())),
        "totals": totals_json(side.tally),
    }


def difference_lines(before: Side, after: Side) -> Iterator[str]:
    """What is different between the configurations, then rule for rule what that does."""
    found = difference(before.fires, after.fires)
    yield from _settings(before, after)
    files, sessions = many(after.tally.files, "file"), many(len(after.tally.sessions), "session")
    yield f"{files}, {sessions}, {many(after.tally.totals.calls, 'call')}"
    if not found.rules:
        yield f"Nothing differs: the same {many(len(after.fires), 'firing')} under both."
    for rule in found.rules:
        yield from _rule(rule, found.of(rule), before, after)


def _settings(before: Side, after: Side) -> Iterator[str]:
    old, new = before.configuration, after.configuration
    if old.profile != new.profile:
        yield f"profile: {old.profile} -> {new.profile}"
    for name, number in sorted(new.thresholds.items()):
        if number != old.thresholds.get(name):
            yield f"{name}: {old.thresholds.get(name, 0):g} -> {number:g}"
    if old.digest == new.digest:
        yield "The two configurations are the same."


def _rule(rule: str, part: Difference, before: Side, after: Side) -> Iterator[str]:
    olds, news = before.tally.totals.firings[rule], after.tally.totals.firings[rule]
    yield (
        f"{rule}: {olds} -> {many(news, 'firing')}; {len(part.appeared)} appear,"
        f" {len(part.vanished)} disappear"
    )
    marked = [(fire, "+") for fire in part.appeared] + [(fire, "-") for fire in part.vanished]
    for fire, mark in sorted(marked, key=lambda one: one[0].seq):
        yield f"  {mark} {fire_line(fire)}"
