"""Sessions tried one by one: the same firings as in one run over everything, from fewer events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app.replay.apart import Trial, parts
from app.replay.lines import Line
from app.replay.sweep import SWEEPS, rule_of, values_of
from tests.replay.runs import LOOP, SESSION_FILES, calls, neutral_file, scenarios
from tests.replay.test_tuning import Bench

RULES = tuple(dict.fromkeys(map(rule_of, SWEEPS)))
FEW = 10  # every tenth scenario; all take minutes


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Scenarios, a file each, a recorded session, and one without times in several files."""
    folder = tmp_path_factory.mktemp("sessions")
    for case in (*scenarios()[::FEW], *(c for c in scenarios() if c["id"].startswith("rev-"))):
        neutral_file(folder / f"{case['id']}.jsonl", case["events"])
    (folder / "outcomes.jsonl").write_bytes((SESSION_FILES / "outcomes.jsonl").read_bytes())
    for number in range(3):
        neutral_file(folder / f"z{number}.jsonl", calls("split", 2))
    return Bench(folder)


@pytest.mark.parametrize(
    ("rule", "profile"),
    [*((rule, None) for rule in RULES), *((rule, "strict") for rule in ("review", "test_failure"))],
)
def test_one_by_one_and_all_at_once_come_to_the_same(
    rule: str, profile: str | None, bench: Bench
) -> None:
    base = bench.under(profile=profile)
    trial = Trial(bench.held, base, iter)
    for name in (name for name in SWEEPS if rule_of(name) == rule):
        for value in values_of(name, base.configuration.thresholds[name]):
            under = bench.under(f"{name}={value}", profile=profile)
            assert trial.run(name, value, under.configuration) == under.fires


def test_a_session_of_several_files_stays_together(tmp_path: Path) -> None:
    for name, sessions in (("a", "ab"), ("b", "c"), ("c", "d"), ("d", "bc"), ("e", "e")):
        events = [{**LOOP, "session_id": session} for session in sessions]
        neutral_file(tmp_path / f"{name}.jsonl", events)
    found = parts(Bench(tmp_path).held)
    assert [[placed.events for placed in part] for part in found] == [[0, 2, 4], [3], [6]]


def test_an_event_without_a_time_follows_the_one_before_it(tmp_path: Path) -> None:
    at = "2026-01-01T00:00:00.000Z"
    neutral_file(tmp_path / "a.jsonl", calls("a", 1, occurred_at=at))
    neutral_file(tmp_path / "b.jsonl", calls("b", 2))
    neutral_file(tmp_path / "c.jsonl", calls("c", 1))
    times = [placed.at for part in parts(Bench(tmp_path).held) for placed in part]
    assert times[1:] == [at, "2026-01-01T00:00:00.002Z"]


def test_a_session_that_begins_without_a_time_is_as_old_as_in_the_whole_run(
    tmp_path: Path,
) -> None:
    at = "2026-01-01T00:{:02}:00.000Z".format
    poll = {"tool": "Bash", "arguments": {"command": "gh run view 1"}, "result": "queued"}
    neutral_file(tmp_path / "a.jsonl", calls("a", 1, occurred_at=at(0)))
    polls = [{**poll, "session_id": "b", "outcome": "ok"} for _ in range(12)]
    timed = [{**one, "occurred_at": at(number)} for number, one in enumerate(polls[1:], start=1)]
    neutral_file(tmp_path / "b.jsonl", [polls[0], *timed])
    bench = Bench(tmp_path)
    trial = Trial(bench.held, bench.under(), iter)
    for minutes in (5, 15):
        under = bench.under(f"repeated.dead_minutes={minutes}")
        assert trial.run("repeated.dead_minutes", minutes, under.configuration) == under.fires
        assert bool(under.fires) is (minutes == 5)


def test_a_value_is_run_only_where_the_rule_fires_at_an_easier_one(tmp_path: Path) -> None:
    for number in (1, 3, 5, 6):
        neutral_file(tmp_path / f"{number}.jsonl", calls(f"s{number}", number))
    bench, ran = Bench(tmp_path), Counter[str]()

    def watch(lines: Iterable[Line]) -> Iterator[Line]:
        for line in lines:
            ran[line.event.session_id] += 1
            yield line

    trial, under = Trial(bench.held, bench.under(), watch), bench.under("repeated.failed=5")
    trial.run("repeated.failed", 5, under.configuration)
    assert ran == {"s3": 3, "s5": 5, "s6": 6}
    trial.run("repeated.failed", 6, bench.under("repeated.failed=6").configuration)
    assert ran == {"s3": 3, "s5": 10, "s6": 12}
