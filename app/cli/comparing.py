"""`floorboss replay --diff`: the same sessions under two configurations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.exits import MISUSED, fail
from app.cli.progress import Progress

if TYPE_CHECKING:
    from app.config import Settings
    from app.domain.configuration import Configuration
    from app.replay.comparison import Side


def compared(
    files: list[Path],
    settings: Settings,
    profiles: list[str],
    thresholds: list[str],
    *,
    json_: bool,
    attempts: bool,
) -> None:
    """Print what fires under one configuration and not under the other."""
    from app.replay.comparison_report import difference_json, difference_lines

    before, after = _sides(settings, profiles, thresholds)
    _read(files, (before, after), attempts=attempts)
    if json_:
        print(json.dumps(difference_json(before, after), indent=2))
    else:
        print("\n".join(difference_lines(before, after)))
    if after.tally.nothing_readable:
        fail(MISUSED, f"none of the {after.tally.totals.lines:,} lines can be read")


def _sides(settings: Settings, profiles: list[str], thresholds: list[str]) -> tuple[Side, Side]:
    """What is compared: two profiles, one with and without thresholds, or the settings with one."""
    from app.replay.comparison import Side

    first, second = _named(profiles, thresholds)
    before = configuration(settings, first, [])
    after = configuration(settings, second, thresholds)
    return Side(before, settings.own), Side(after, settings.own)


def _named(profiles: list[str], thresholds: list[str]) -> tuple[str | None, str | None]:
    match profiles:
        case [] if not thresholds:
            fail(MISUSED, "--diff compares with --set RULE.THRESHOLD=N, or with --profile")
        case []:
            return None, None
        case [one]:
            return (one if thresholds else None), one
        case [one, other]:
            return one, other
        case _:
            fail(MISUSED, "--diff compares two configurations: name two profiles at the most")


def configuration(settings: Settings, profile: str | None, thresholds: list[str]) -> Configuration:
    """The configuration of a run; what cannot be taken ends the command with its reason."""
    from app.replay.choice import Unknown, chosen

    found = chosen(settings, profile, thresholds)
    if isinstance(found, Unknown):
        fail(MISUSED, found.detail)
    return found


def _read(files: list[Path], sides: tuple[Side, Side], *, attempts: bool) -> None:
    """Every file once, for both sides; the events of files that belong together stay in memory."""
    from app.replay.run import groups

    progress = Progress(len(files), "files")
    try:
        for counts, lines in groups(files, attempts=attempts):
            held = list(progress.watching(lines))
            for side in sides:
                side.take(counts, progress.watching(held))
            for _ in counts:
                progress.step()
    except OSError as fault:
        fail(MISUSED, f"{fault.filename}: {fault.strerror}")
    finally:
        progress.clear()
