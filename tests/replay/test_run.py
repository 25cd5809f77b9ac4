"""A replay without a daemon: what it tells of files, case by case in tests/cases/replay.json."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from app.config import Settings, load
from app.domain.configuration import Configuration
from app.domain.events import Event, Usage
from app.replay.choice import chosen
from app.replay.report import file_json, totals_json, totals_lines
from app.replay.run import START, TOGETHER, Core, files_of
from app.replay.tally import Tally
from app.service.intake import Conflict
from tests.replay.runs import (
    CASES,
    LOOP,
    SESSION_FILES,
    calls,
    configuration,
    neutral_file,
    ran,
    told,
)

RUNS = json.loads((CASES / "replay.json").read_text())


def written(folder: Path, given: dict[str, list[dict[str, Any]]]) -> list[Path]:
    """The files of a case; each item is one call so many times."""
    return [
        neutral_file(
            folder / name,
            [
                event
                for item in items
                for event in calls(
                    item["session"],
                    item["count"],
                    **{k: v for k, v in item.items() if k not in ("session", "count")},
                )
            ],
        )
        for name, items in given.items()
    ]


@pytest.mark.parametrize("case", RUNS, ids=[case["name"] for case in RUNS])
def test_a_run_tells(case: dict[str, Any], tmp_path: Path) -> None:
    settings = load({"state_dir": tmp_path}, {})
    assert isinstance(settings, Settings)
    under = chosen(settings, **case["when"])
    assert isinstance(under, Configuration)
    tally = Tally(under.start_mode)
    reports = told(written(tmp_path, case["given"]), Core(under).feed, tally)
    then = case["then"]
    assert [
        [Path(r.log).name, t.turn, t.before, t.after, t.how, t.rule, [*t.calls]]
        for r in reports
        for t in r.transitions
    ] == then["transitions"]
    assert {Path(report.log).name: report.final_mode for report in reports} == then["final"]
    assert dict(tally.totals.firings) == then["firings"]
    assert dict(tally.totals.applied) == then["applied"]


def test_the_same_file_twice_adds_nothing(tmp_path: Path) -> None:
    first = neutral_file(tmp_path / "a.jsonl", calls("s", 4))
    second = tmp_path / "b.jsonl"
    second.write_bytes(first.read_bytes())
    reports, tally = ran(tmp_path, first, second)
    assert [len(report.transitions) for report in reports] == [1, 0]
    assert (tally.totals.calls, tally.totals.duplicates) == (4, 4)
    assert reports[1].final_mode == "plan"


def test_an_id_that_stands_for_something_else_is_left_out_and_told(tmp_path: Path) -> None:
    one, two = calls("s", 2, event_id="e")
    path = neutral_file(tmp_path / "a.jsonl", [one, {**two, "outcome": "ok"}, one])
    (report,), tally = ran(tmp_path, path)
    assert dict(tally.totals.refused) == {"event_id_reused": 1}
    assert (tally.totals.calls, tally.totals.duplicates) == (1, 1)
    assert "event_id" in report.refusals[0]


def test_every_session_file_of_ours_is_read_without_a_fault(tmp_path: Path) -> None:
    reports, tally = ran(tmp_path, SESSION_FILES)
    assert len(reports) == len(list(SESSION_FILES.iterdir()))
    assert tally.totals.calls == sum(report.numbers.calls for report in reports) > 0
    assert tally.totals.unknown


def test_two_runs_over_the_same_files_tell_the_same(tmp_path: Path) -> None:
    first, second = (ran(tmp_path, SESSION_FILES)[0] for _ in range(2))
    assert first == second


def test_entries_are_as_old_as_their_events(tmp_path: Path) -> None:
    core = Core(configuration(tmp_path))
    moments = (None, "2026-11-30T09:00:00.000Z", None, None)
    for moment in moments:
        core.take(Event(session_id="s", kind="prompt", occurred_at=moment))
    entries = [core.memory.get(seq) for seq in range(1, 6)]
    assert [entry.at for entry in entries if entry is not None] == [
        START,
        "2000-01-01T00:00:00.001Z",
        "2026-11-30T09:00:00.000Z",
        "2026-11-30T09:00:00.001Z",
        "2026-11-30T09:00:00.002Z",
    ]


def test_time_ends_with_the_year_9999(tmp_path: Path) -> None:
    core = Core(configuration(tmp_path))
    for moment in ("9999-12-31T23:59:59.999Z", None):
        answer = core.take(Event(session_id="s", kind="prompt", occurred_at=moment))
        assert not isinstance(answer, Conflict)


def test_folders_are_searched_and_files_come_once_in_name_order(tmp_path: Path) -> None:
    (tmp_path / "b" / "subagents").mkdir(parents=True)
    names = ["a.jsonl", "b/subagents/x.jsonl", "b.jsonl", "notes.md"]
    for name in names:
        (tmp_path / name).write_text("")
    found = files_of([tmp_path, tmp_path / "b.jsonl", tmp_path / "notes.md"])
    assert [str(path.relative_to(tmp_path)) for path in found] == [
        "a.jsonl",
        "b.jsonl",
        "b/subagents/x.jsonl",
        "notes.md",
    ]


@pytest.mark.parametrize("ending", ["jsonl", "log"])
def test_of_a_folder_only_files_are_read_whatever_else_is_called_like_one(
    ending: str, tmp_path: Path
) -> None:
    session = neutral_file(tmp_path / "a.jsonl", calls("s", 1))
    (tmp_path / f"b.{ending}").mkdir()
    os.mkfifo(tmp_path / f"c.{ending}")
    assert files_of([tmp_path]) == [session]


def test_a_session_and_its_agents_are_read_as_time_went(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    for path, agent, hour in (
        (tmp_path / "s.jsonl", None, 10),
        (folder / "agent-a.jsonl", "a", 11),
        (folder / "agent-b.jsonl", "b", 9),
    ):
        times = (f"2026-11-30T{hour:02}:0{n}:00.000Z" for n in (0, 2, 1))  # and backwards
        given = {**LOOP, "session_id": "s", "agent_id": agent}
        neutral_file(path, [{**given, "occurred_at": at} for at in times])
    reports, _ = ran(tmp_path, tmp_path)
    assert [Path(report.log).name for report in reports] == [
        "s.jsonl",
        "agent-a.jsonl",
        "agent-b.jsonl",
    ]
    first = [(t.scope, t.turn, t.line, t.action) for r in reports for t in r.transitions]
    assert first == [("s", 6, 3, "mode"), ("s/a", 9, 3, "notice"), ("s/b", 3, 3, "mode")]


def test_many_files_of_a_session_are_read_in_parts(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    for number in range(TOGETHER + 1):
        neutral_file(folder / f"agent-{number:03}.jsonl", calls("s", 1, agent_id=f"a{number}"))
    reports, tally = ran(tmp_path, tmp_path)
    assert (len(reports), tally.totals.calls) == (TOGETHER + 1, TOGETHER + 1)


def test_an_agents_restriction_is_not_its_sessions(tmp_path: Path) -> None:
    path = neutral_file(tmp_path / "a.jsonl", calls("s", 3, agent_id="helper"))
    (report,), _ = ran(tmp_path, path)
    assert [(t.scope, t.after) for t in report.transitions] == [("s/helper", "plan")]
    assert report.final_mode == "implementation"


def test_one_rule_that_falls_on_a_second_agent_fires_once_and_changes_two_scopes(
    tmp_path: Path,
) -> None:
    agents = [*calls("s", 3, agent_id="one"), *calls("s", 3, agent_id="two")]
    (report,), tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", agents))
    assert [t.scope for t in report.transitions] == ["s/one", "s/two", "s"]
    assert (dict(tally.totals.firings), dict(tally.totals.applied)) == (
        {"repeated": 2},
        {"repeated": 3},
    )
    assert report.final_mode == "plan"


@pytest.mark.parametrize(("second", "notices"), [("2026-11-30", 1), ("2026-12-01", 0)])
def test_cost_is_counted_on_the_day_on_which_it_arose(
    second: str, notices: int, tmp_path: Path
) -> None:
    settings = load({"state_dir": tmp_path}, {})
    assert isinstance(settings, Settings)
    under = chosen(settings, thresholds=["cost.cap=10"])
    assert isinstance(under, Configuration)
    core = Core(under)
    for day in ("2026-11-30", second):
        usage = Usage(cost=5.0)
        at = f"{day}T09:00:00.000Z"
        core.take(Event(session_id="s", kind="usage", usage=usage, occurred_at=at))
    entries = (core.memory.get(seq) for seq in range(1, core.memory.head_seq + 1))
    assert sum(e is not None and e.action == "notice" for e in entries) == notices


@pytest.mark.parametrize("keep", [100, 0])
def test_what_was_blocked_is_counted_for_each_file_and_for_all(keep: int, tmp_path: Path) -> None:
    """Blocks of hooks, as session files have them: each counts where it stands."""
    write: dict[str, Any] = {"tool": "Write", "arguments": {"file_path": "/w/a", "content": "x"}}
    read: dict[str, Any] = {"tool": "Read", "arguments": {"file_path": "/w/a"}, "outcome": "ok"}
    blocked = {**write, "outcome": "blocked", "rule": "theirs"}
    for name, events in {"one": [read, blocked] * 2, "two": [read, blocked, read]}.items():
        neutral_file(tmp_path / f"{name}.jsonl", [{"session_id": name, **e} for e in events])
    under = configuration(tmp_path)
    core = Core(under, keep=keep)
    tally = Tally(under.start_mode, under.context_limit, core.interventions)
    reports = told([tmp_path], core.feed, tally)
    found = [file_json(report)["interventions"] for report in reports]
    assert [each["blocked"] for each in found if isinstance(each, dict)] == [2, 1]
    assert totals_json(tally)["interventions"] == {
        "attempted": 7,
        "blocked": 3,
        "rate": 0.429,
        "blocked_then_blocked": 1,
        "steps_after_first_terminal_block": 0,
        "escalations": 0,
    }
    assert any(line.startswith("3 of 7 attempts blocked (0.429)") for line in totals_lines(tally))
