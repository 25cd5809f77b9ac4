"""The scorer itself: a folder of sessions with an index, each kind of verdict, and the totals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.replay.cases import Case, indexed
from tests.replay.runs import LOOP, neutral_file
from tests.replay.scoring import Firing, Result, Score, cases, configuration, main, score

FINE = {"tool": "Read", "arguments": {"file_path": "a.py"}, "outcome": "ok", "result": "x = 1"}
BLOCKED = {"tool": "Write", "arguments": {"file_path": "b"}, "outcome": "blocked", "rule": "r"}


def entry(name: str, mode: str | None = "plan", due: int | None = 2, **more: Any) -> dict[str, Any]:
    return {"name": name, "should_fire": True, "mode": mode, "due": due, **more}


HEALTHY = {"should_fire": False, "mode": None, "due": None}
INDEX = [
    entry("loop"),
    entry("early", due=1),
    entry("other", mode="debug"),
    entry("whenever", mode=None, due=None, events=[FINE, *[LOOP] * 3]),
    entry("storm", mode=None, events=[BLOCKED] * 3),
    entry("nothing", events=[FINE]),
    {"name": "calm", **HEALTHY, "events": "fine.ndjson"},
    {"name": "loud", **HEALTHY, "events": [LOOP] * 4},
    {"name": "blocked", **HEALTHY, "events": [BLOCKED] * 3},
]
SHOWN = [
    "loop: right; 1 fires: repeated -> plan at 2, due by event 2",
    "early: late; 1 fires: repeated -> plan at 2, due by event 1",
    "other: in time, not right, wrong diagnosis first; 1 fires: repeated -> plan at 2,"
    " due by event 2",
    "whenever: right; 1 fires: repeated -> plan at 3, due by event 3",
    "storm: right; 1 fires: blocked_storm -> no mode at 2, due by event 2",
    "nothing: missed; 0 fires: nothing, due by event 2",
    "calm: quiet; 0 fires: nothing",
    "loud: false alarm; 1 fires: repeated -> plan at 2",
    "blocked: quiet; 0 fires: nothing",
]
TOTALS = [
    "stuck sessions noticed: 5 of 6",
    "  by the event at which it was due: 4 of 6",
    "  right and by then: 3 of 6",
    "  with a wrong diagnosis first: 1 of 6",
    "honest sessions with a false alarm: 1 of 3",
    "  firings in them: 1 in 9 events, 11.11 per 100",
    "precision 0.500, recall 0.500",
    "fires per session: 0.67; more than allowed in 0",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, count in {"loop.ndjson": 4, "early.ndjson": 3, "other.jsonl": 3}.items():
        neutral_file(tmp_path / name, [LOOP] * count)
    neutral_file(tmp_path / "fine.ndjson", [FINE, FINE])
    (tmp_path / "index.json").write_text(json.dumps(INDEX))
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    main([str(each) for each in arguments])
    return capsys.readouterr().out.splitlines()


def test_a_folder_with_an_index_is_scored_session_by_session(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, folder)
    shown, totals = lines[: len(INDEX)], lines[len(INDEX) + 1 :]
    assert shown == SHOWN
    assert totals == TOTALS


def test_a_file_of_scenarios_is_scored_under_another_profile_and_other_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expect = {"counter": "repeated", "by_turn": 3, "to_mode": "plan", "max_fires": 0}
    scenario = {"id": "a", "kind": "should_fire", "events": [FINE] * 4, "expect": expect}
    path = neutral_file(tmp_path / "some.jsonl", [scenario])
    assert printed(capsys, path)[0] == "a: late; 1 fires: repeated -> plan at 4, due by event 3"
    strict = printed(capsys, "--profile", "strict", path)
    assert strict[0] == "a: right; 1 fires: repeated -> plan at 3, due by event 3"
    assert strict[-1] == "fires per session: 1.00; more than allowed in 1"
    off = printed(capsys, "--profile", "strict", "--set", "repeated.ok=0", path)
    assert off[0] == "a: missed; 0 fires: nothing, due by event 3"
    assert off[-2] == "precision 1.000, recall 0.000"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--profile", "stict"], 'the nearest is "strict"'),
        (["--set", "repeated.faild=3"], 'the nearest is "repeated.failed"'),
        (["{folder}/nowhere"], "No such file"),
        (["{folder}"], "broken: event 2: "),
    ],
)
def test_what_cannot_be_scored_is_told(
    arguments: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.json").write_text(
        json.dumps([entry("broken", events=[FINE, {**FINE, "outcome": "odd"}])])
    )
    with pytest.raises(SystemExit) as ended:
        main([each.format(folder=tmp_path) for each in arguments])
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def verdict(fired: Sequence[Firing], **expected: Any) -> tuple[str, bool]:
    """The verdict of some firings in a session of ten events, and whether the first was wrong."""
    case = Case(**{"name": "a", "stuck": True, "lines": (), "due": 10, **expected})
    found = Result(case=case, fired=tuple(fired))
    return found.verdict, found.wrong


def firing(rule: str, mode: str | None, turn: int = 5, agent: str = "") -> Firing:
    return Firing(turn=turn, rule=rule, mode=mode, agent=agent, key="")


PLAN = firing("repeated", "plan")
DEBUG = firing("edit_failures", "debug")


@pytest.mark.parametrize(
    ("fired", "expected", "told"),
    [
        ([PLAN], {"rules": {"repeated"}, "mode": "plan"}, ("right", False)),
        ([PLAN], {"rules": {"repeated"}, "mode": "debug"}, ("in time, not right", False)),
        ([PLAN], {"rules": {"denials"}, "mode": "plan"}, ("in time, not right", True)),
        ([PLAN, DEBUG], {"rules": {"edit_failures"}, "mode": "debug"}, ("right", True)),
        ([DEBUG, PLAN], {"rules": {"edit_failures"}, "mode": "debug"}, ("right", False)),
        ([PLAN], {"rules": {"repeated"}, "agent": "x"}, ("in time, not right", False)),
        ([PLAN], {"rules": {"repeated"}, "due": 4}, ("late", False)),
        ([firing("review", None)], {"rules": {"review"}, "mode": "review"}, ("right", False)),
        ([firing("review", "review")], {"rules": {"review"}, "mode": "review"}, ("right", False)),
        ([firing("success_rate", None)], {"rules": {"success_rate"}, "mode": "debug"},
         ("in time, not right", False)),
        ([], {"rules": {"repeated"}}, ("missed", False)),
        ([PLAN], {"stuck": False}, ("false alarm", False)),
        ([], {"stuck": False}, ("quiet", False)),
    ],
)  # fmt: skip
def test_the_verdict_of_what_fired(
    fired: list[Firing], expected: dict[str, Any], told: tuple[str, bool]
) -> None:
    assert verdict(fired, **expected) == told


def test_nothing_to_score_is_no_division_by_zero() -> None:
    empty: Score = score([], configuration())
    assert (empty.precision, empty.recall) == (1, 1)


def test_a_session_file_is_found_by_its_name(folder: Path) -> None:
    found = {case.name: case for case in indexed(folder)}
    assert len(found["loop"].lines) == 4
    assert {line.event.session_id for line in found["loop"].lines} == {"loop"}
    assert [case.name for case in cases([folder])] == list(found)
