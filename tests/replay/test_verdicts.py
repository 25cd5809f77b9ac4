"""Each call judged before it runs: as hooks would have had it, and by nothing on this disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.configuration import Configuration
from app.domain.entries import Entry
from app.replay.lines import Counts
from app.replay.readers import read
from app.replay.report import as_json, file_lines, totals_lines
from app.replay.run import Core, files_of, replay
from app.replay.tally import FileReport, Tally
from tests.replay.runs import CASES, SESSION_FILES, configuration, neutral_file
from tests.replay.test_live import CHANGED, SESSIONS, changes, entries, live

RUNS: Final = json.loads((CASES / "replay_verdicts.json").read_text())
PLACED: Final = {"session_id": "s", "cwd": "/home/dev/project", "outcome": "ok"}
# Calls of one response stand together in a file and are asked for one by one: what an earlier one
# of them brings about is in force only for the hooks.
SOONER: Final[Mapping[str, set[str]]] = {"subagents": {"toolu_0013fb9cde1302875bbd"}}


def judged(
    folder: Path, events: Iterable[dict[str, Any]], under: Configuration | None = None
) -> tuple[FileReport, Tally]:
    """The report of one file whose calls are judged before they run."""
    file = neutral_file(folder / "a.jsonl", [{**PLACED, **event} for event in events])
    under = under or configuration(folder)
    tally = Tally(under.start_mode, under.context_limit)
    (report,) = replay([file], Core(under).feed, tally, attempts=True)
    return report, tally


@pytest.mark.parametrize("case", RUNS, ids=[case["name"] for case in RUNS])
def test_a_run_tells_what_would_be_stopped(case: dict[str, Any], tmp_path: Path) -> None:
    report, tally = judged(tmp_path, case["given"])
    found = [[s.turn, s.verdict, s.rule, s.mode, s.outcome] for s in report.stopped]
    assert found == case["then"]
    assert tally.totals.stopped.total() == tally.totals.stopping.total() == len(found)
    assert tally.totals.calls == sum(event.get("kind") is None for event in case["given"])


def decided(log: Iterable[Entry]) -> dict[Any, Any]:
    """The verdict on each call."""
    return {
        e.body.get("call_id"): (e.scope, e.body["verdict"], e.body.get("rule"), e.body["mode"])
        for e in log
        if e.kind == "decided"
    }


@pytest.mark.parametrize("name", CHANGED)
def test_hooks_and_file_have_the_same_verdicts(name: str, tmp_path: Path) -> None:
    under = configuration(tmp_path)
    heard, core = live(SESSIONS / name, under), Core(under)
    files = [path for path in files_of([SESSIONS / name]) if path.name != "hooks.jsonl"]
    list(replay(files, core.feed, Tally(), attempts=True))
    file = entries(core.memory)
    hooked, filed = decided(heard), decided(file)
    # What Claude Code refuses itself never comes to a hook.
    assert hooked.keys() <= filed.keys()
    assert {call for call in hooked if hooked[call] != filed[call]} == SOONER.get(name, set())
    # ... and so does not escalate there.
    assert changes(heard) == [each for each in changes(file) if not _escalated(each)]


def _escalated(change: Any) -> bool:
    return any(str(part).startswith("escalation ") for part in change)


@pytest.mark.parametrize("path", files_of([SESSION_FILES, SESSIONS]), ids=lambda path: path.stem)
def test_a_file_tells_the_same_with_and_without_attempts(path: Path) -> None:
    plain, asked = list(read(path, Counts())), list(read(path, Counts(), attempts=True))
    assert [line for line in asked if line.event.kind != "attempt"] == plain
    begun = [line.event.call_id for line in asked if line.event.kind == "attempt"]
    ended = [line.event.call_id for line in plain if line.event.kind == "tool"]
    assert sorted(map(str, begun)) == sorted(map(str, ended))
    for line in asked:
        assert line.event.kind != "attempt" or line.event.outcome == "unknown"


def test_a_link_on_this_disk_says_nothing_of_the_files_one(tmp_path: Path) -> None:
    project = tmp_path / "home" / "project"
    (project / ".git").mkdir(parents=True)
    (project / "tests").mkdir()
    (project / "src").symlink_to("tests")
    inside = {"cwd": str(project)}
    report, _ = judged(
        tmp_path,
        [
            {**inside, "tool": "Bash", "arguments": {"command": "ls"}},
            {**inside, "tool": "Edit", "arguments": {"file_path": "src/a.py"}},
            {**inside, "tool": "Bash", "arguments": {"command": "rm -r src build/../src"}},
        ],
    )
    assert report.stopped == []
    assert report.transitions == []


def test_a_tilde_is_the_home_that_the_session_lies_in(tmp_path: Path) -> None:
    line = "cd ~/project && touch src/a.py && rm ~/notes.txt"
    report, _ = judged(tmp_path, [{"tool": "Bash", "arguments": {"command": line}}])
    (found,) = report.stopped
    assert (found.verdict, found.rule) == ("deny", "mode_write")
    assert '"/home/dev/notes.txt"' in found.reason


def test_settings_that_only_observe_tell_what_enforcing_would_do(tmp_path: Path) -> None:
    (tmp_path / "floorboss.toml").write_text('enforcement = "observe"\n')
    under = configuration(tmp_path)
    assert under.enforcement == "observe"
    report, tally = judged(tmp_path, RUNS[1]["given"], under)
    assert [(s.verdict, s.rule) for s in report.stopped] == [("deny", "mode_write")]
    assert dict(tally.totals.verdicts) == {"none": 1}


def test_people_and_programs_are_told(tmp_path: Path) -> None:
    report, tally = judged(tmp_path, [*RUNS[0]["given"], *RUNS[1]["given"]])
    assert list(file_lines(report))[1:] == [
        '  turn 3, line 3, ended error  deny  mode_write: Write: "/etc/motd" is outside what may '
        "be written in mode implementation. Propose another mode with a reason; a person decides."
    ]
    assert list(totals_lines(tally))[-2:] == [
        "3 verdicts: none 2, deny 1",
        "1 call would be denied or asked about (33.33 per 100 calls): mode_write 1",
    ]
    told: Any = as_json([report], tally)
    assert told["stopped"][0]["rule"] == "mode_write"
    assert told["totals"]["stopped_per_100_calls_by_rule"] == {"mode_write": 33.33}
