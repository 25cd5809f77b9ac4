"""A replay into a running daemon tells what a replay without one tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.config import Settings, load
from app.domain.events import Event
from app.main import Daemon as Wired
from app.main import start
from app.replay.lines import Counts, Line
from app.replay.report import transition_json
from app.replay.tally import FileReport, Tally
from app.service.intake import Arrival, receive
from tests.replay.daemons import posting, serving
from tests.replay.runs import SESSION_FILES, calls, neutral_file, ran, scenarios, told

PROFILES = ("default", "strict")


@pytest.fixture(scope="module", params=PROFILES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("state")
    (folder / "floorboss.toml").write_text(f'profile = "{request.param}"\n')
    return folder


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(folder, (folder / "floorboss.toml").read_text()) as url:
        yield url


def posted(folder: Path, url: str, *paths: Path) -> tuple[list[FileReport], Tally]:
    """A run into the daemon."""
    tally = Tally()
    with posting(folder, url) as daemon:
        return told(paths, daemon.feed, tally), tally


def stories(reports: list[FileReport]) -> list[tuple[str, object]]:
    """Every transition of every file."""
    return [(r.log, transition_json(t)) for r in reports for t in r.transitions]


def test_both_ways_agree_on_every_transition_and_a_second_post_adds_nothing(
    folder: Path, url: str, tmp_path: Path
) -> None:
    for case in scenarios():
        neutral_file(tmp_path / f"{case['id']}.jsonl", case["events"])
    alone, counted = ran(folder, SESSION_FILES, tmp_path)
    reports, tally = posted(folder, url, SESSION_FILES, tmp_path)
    assert stories(reports) == stories(alone)
    assert stories(alone)
    assert tally.totals == counted.totals
    again, repeated = posted(folder, url, SESSION_FILES, tmp_path)
    assert stories(again) == []
    assert repeated.totals.duplicates > repeated.totals.calls == tally.totals.calls


def test_what_is_too_large_to_be_sent_is_read_alike(folder: Path, url: str, tmp_path: Path) -> None:
    large = calls("large", 3, result="x" * 3_000_000)
    path = neutral_file(tmp_path / "large.jsonl", large)
    alone, _ = ran(folder, path)
    reports, _ = posted(folder, url, path)
    assert stories(reports) == stories(alone)
    assert [t.after for t in reports[0].transitions] == ["plan"]


def test_one_id_for_two_events_loses_the_second_and_nothing_else(
    folder: Path, url: str, tmp_path: Path
) -> None:
    events = [event | {"event_id": f"e{n}"} for n, event in enumerate(calls("reused", 6))]
    events[2] = events[2] | {"event_id": "e1", "outcome": "ok"}
    events[4] = events[4] | {"event_id": "e1", "outcome": "denied"}
    path = neutral_file(tmp_path / "reused.jsonl", events)
    alone, _ = ran(folder, path)
    reports, tally = posted(folder, url, path)
    assert stories(reports) == stories(alone)
    assert (tally.totals.calls, tally.totals.refused["event_id_reused"]) == (4, 2)


def test_a_file_that_grew_adds_what_is_new(folder: Path, url: str, tmp_path: Path) -> None:
    events = [event | {"event_id": f"e{n}"} for n, event in enumerate(calls("grown", 4))]
    path = neutral_file(tmp_path / "grown.jsonl", events[:2])
    posted(folder, url, path)
    neutral_file(path, events)
    reports, tally = posted(folder, url, path)
    assert [(t.turn, t.calls) for t in reports[0].transitions] == [(3, (1, 2, 3))]
    assert tally.totals.duplicates == 2


def bound(folder: Path, session: str) -> None:
    """Let a hook route name a session, before the daemon serves."""
    settings = load({"state_dir": folder}, {})
    assert isinstance(settings, Settings)
    daemon = start(settings)
    assert isinstance(daemon, Wired)
    event = Event(session_id=session, kind="prompt", harness="claude_code")
    arrival = Arrival(event=event, origin="hooks")
    daemon.control.writer.submit(lambda desk, at: receive(desk, arrival, at)).result()
    daemon.close()


def test_a_session_that_its_hooks_report_is_left_alone_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    bound(folder, "hooked")
    mixed = [*calls("free", 2), *calls("hooked", 3), *calls("free", 1), *calls("hooked", 1)]
    usage = {"session_id": "hooked", "kind": "usage", "usage": {"cost": 1.0}}
    paths = [
        neutral_file(tmp_path / "a.jsonl", [*mixed, usage]),
        neutral_file(tmp_path / "b.jsonl", calls("other", 3)),
    ]
    with serving(folder) as url:
        reports, tally = posted(folder, url, *paths)
        again, _ = posted(folder, url, *paths)
    assert [(t.scope, t.turn) for r in reports for t in r.transitions] == [
        ("free", 3),
        ("other", 3),
    ]
    assert dict(tally.totals.refused) == {"session_bound": 4}
    (why,) = reports[0].refusals
    assert why.startswith("session hooked: ")
    assert "hooks of claude_code" in why
    assert tally.totals.duplicates == 0
    assert [r.numbers.duplicates for r in again] == [4, 3]  # the usage was taken, once


def test_an_events_place_in_its_file_is_kept(folder: Path, url: str) -> None:
    lines = [
        Line(event=Event(session_id="kept", kind="prompt", event_id=str(n)), line_no=n)
        for n in range(1_001)
    ]
    with posting(folder, url) as daemon:
        heard = list(daemon.feed(lines))
    assert [line for line, _ in heard] == lines
    (report,) = Tally().together({"": Counts()}, heard)
    assert json.dumps(report.numbers.calls) == "0"
