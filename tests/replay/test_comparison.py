"""Two configurations over the same sessions: what appears and what disappears."""

from __future__ import annotations

from pathlib import Path

from app.config import Settings, load
from app.domain.configuration import Configuration
from app.replay.choice import chosen
from app.replay.comparison import Side, difference
from app.replay.fires import Fire
from app.replay.run import files_of, groups
from tests.replay.runs import SESSION_FILES, calls, neutral_file, ran


def side(folder: Path, *thresholds: str) -> Side:
    settings = load({"state_dir": folder}, {})
    assert isinstance(settings, Settings)
    found = chosen(settings, None, thresholds)
    assert isinstance(found, Configuration)
    return Side(found)


def under(folder: Path, *thresholds: str) -> list[Fire]:
    """The firings of a folder's sessions."""
    found = side(folder, *thresholds)
    for counts, lines in groups(files_of([folder])):
        found.take(counts, lines)
    return found.fires


def places(found: tuple[Fire, ...]) -> list[tuple[str, str, int]]:
    return [(fire.scope, fire.rule, fire.turn) for fire in found]


def test_a_higher_threshold_fires_later_or_not_at_all(tmp_path: Path) -> None:
    neutral_file(tmp_path / "a.jsonl", calls("long", 5))
    neutral_file(tmp_path / "b.jsonl", calls("short", 3))
    found = difference(under(tmp_path), under(tmp_path, "repeated.failed=4"))
    assert places(found.vanished) == [("long", "repeated", 3), ("short", "repeated", 3)]
    assert places(found.appeared) == [("long", "repeated", 4)]
    assert [fire.calls for fire in found.vanished] == [(1, 2, 3), (1, 2, 3)]
    assert found.rules == ("repeated",)
    assert found.of("denials").rules == ()


def test_the_same_configuration_differs_nowhere(tmp_path: Path) -> None:
    neutral_file(tmp_path / "a.jsonl", calls("s", 5))
    fires = under(tmp_path)
    assert fires
    assert difference(fires, under(tmp_path)).rules == ()


def test_a_side_fires_as_the_plain_replay_does(tmp_path: Path) -> None:
    _, tally = ran(tmp_path, SESSION_FILES)
    found = side(tmp_path)
    for counts, lines in groups(files_of([SESSION_FILES])):
        found.take(counts, list(lines))
    assert found.tally.totals == tally.totals
    assert len(found.fires) == tally.totals.firings.total()


def test_a_firing_names_its_call_without_its_secrets(tmp_path: Path) -> None:
    command = "curl -H 'Authorization: Bearer abcdefgh12345678' example.org"
    neutral_file(tmp_path / "a.jsonl", calls("s", 3, arguments={"command": command}))
    (fire,) = under(tmp_path)
    assert fire.call.startswith('Bash {"command": "curl')
    assert "abcdefgh" not in fire.call
