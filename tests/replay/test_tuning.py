"""Thresholds swept over sessions: what fires at which value, and what a person said of it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from app.config import Settings, load
from app.domain.comparisons import CHECKS
from app.domain.configuration import Configuration
from app.domain.profiles import MEANINGS
from app.replay.choice import chosen
from app.replay.comparison import Read, Side
from app.replay.fires import Fire
from app.replay.labels import Judged, Labels, Malformed, labels
from app.replay.run import files_of, groups
from app.replay.sweep import SWEEPS, inert, rule_of, values_of
from app.replay.tuning import Tuned, folded, runs, sweeps
from app.replay.tuning_report import fragment, sweep_lines, tuned_json
from tests.replay.runs import SESSION_FILES, calls, neutral_file


class Bench:
    """Sessions that were read once, to be run under any threshold."""

    def __init__(self, folder: Path, sessions: Path | None = None) -> None:
        settings = load({"state_dir": folder / "state"}, {})
        assert isinstance(settings, Settings)
        self.settings = settings
        self.ran: list[tuple[str, float]] = []
        files = files_of([folder if sessions is None else sessions])
        self.held: list[Read] = [(counts, list(lines)) for counts, lines in groups(files)]

    def under(self, *thresholds: str, profile: str | None = None) -> Side:
        found = chosen(self.settings, profile, thresholds)
        assert isinstance(found, Configuration)
        return folded(self.held, found, iter)

    def run(self, name: str, value: float) -> list[Fire]:
        self.ran.append((name, value))
        return self.under(f"{name}={value}").fires

    def tuned(self, *names: str, said: Labels | None = None) -> Tuned:
        base = self.under()
        return Tuned(base=base, sweeps=list(sweeps(base, names, self.run)), labels=said)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A loop of five calls and one of three."""
    neutral_file(tmp_path / "a.jsonl", calls("long", 5))
    neutral_file(tmp_path / "b.jsonl", calls("short", 3))
    return Bench(tmp_path)


def test_every_threshold_is_swept_and_its_default_is_among_the_values() -> None:
    assert SWEEPS.keys() == MEANINGS.keys()
    for name, values in SWEEPS.items():
        assert list(values) == sorted({*values})
        assert MEANINGS[name].default in {*values, 0}
        assert len(values_of(name, MEANINGS[name].strict)) > 1


def test_each_value_tells_its_firings_and_the_calls_that_differ(bench: Bench) -> None:
    (sweep,) = bench.tuned("repeated.failed").sweeps
    assert [(s.value, [(f.scope, f.turn) for f in s.fires]) for s in sweep.steps] == [
        (2, [("long", 2), ("short", 2)]),
        (3, [("long", 3), ("short", 3)]),
        (4, [("long", 4)]),
        (5, [("long", 5)]),
        (6, []),
    ]
    last = sweep.steps[-1].difference
    assert ([f.scope for f in last.vanished], last.appeared) == (["long", "short"], ())


def test_a_value_that_can_change_nothing_is_not_run(bench: Bench) -> None:
    tuned = bench.tuned("timeouts.count", "cost.share", "no_progress.calls")
    assert bench.ran == [
        ("timeouts.count", 2),
        *(("no_progress.calls", v) for v in (8, 11, 15, 20)),
    ]
    assert runs(tuned.base, ["timeouts.count", "cost.share", "no_progress.calls"]) == 5
    assert all(sweep.silent for sweep in tuned.sweeps)


@pytest.mark.parametrize("name", [check.threshold for check in CHECKS if check.share_of is None])
def test_a_value_that_is_not_run_would_have_changed_nothing(name: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path, SESSION_FILES / "outcomes.jsonl")
    base = bench.under()
    now = base.configuration.thresholds
    assert base.fires
    for value in SWEEPS[name]:
        if inert(name, value, now, {fire.rule for fire in base.fires}):
            assert bench.run(name, value) == base.fires


def test_people_see_each_value_and_the_calls_behind_the_change(bench: Bench) -> None:
    tuned = bench.tuned("repeated.failed", said=verdicts("right", "wrong"))
    lines = list(sweep_lines(tuned.sweeps[0], tuned, 1))
    assert lines[0] == "repeated.failed (now 3): the same failing call, nothing changed"
    assert [" ".join(line.split()) for line in lines[2:4]] == [
        "* 3 2 firings 250.00 per 1,000 calls precision 50% (1 of 2 judged)",
        "4 1 firing 125.00 per 1,000 calls +1 -2 none judged",
    ]
    assert lines[6] == "  fires now:"
    assert lines[7].startswith("    = turn 3 of long, line 3 of ")
    assert lines[8] == "    = ... 1 more; --json names all"
    assert lines[9] == "  at 2 fires newly:"


def test_programs_see_every_firing(bench: Bench) -> None:
    found = json.loads(json.dumps(tuned_json(bench.tuned("repeated.failed"))))
    assert (found["files"], found["sessions"], found["calls"]) == (2, 2, 8)
    (sweep,) = found["thresholds"]
    assert [step["per_1000_calls"] for step in sweep["steps"]] == [250, 250, 125, 125, 0]
    assert [fire["turn"] for fire in sweep["steps"][2]["appeared"]] == [4]
    assert {fire["session"] for fire in found["firings"]} == {"long", "short"}


def test_a_fragment_is_a_file_of_settings_that_sets_what_was_chosen(
    bench: Bench, tmp_path: Path
) -> None:
    tuned = bench.tuned(*(name for name in SWEEPS if rule_of(name) in ("repeated", "timeouts")))
    text = fragment(tuned, ["repeated.failed"])
    assert tomllib.loads(text) == {"rules": {"repeated": {"failed": 3}, "timeouts": {}}}
    assert "# firings per 1,000 calls at 2: 250, 3: 250, 4: 125, 5: 125, 6: 0\n" in text
    path = tmp_path / "floorboss.toml"
    path.write_text(text)
    assert isinstance(load({"state_dir": tmp_path, "config": path}, {}), Settings)


def verdicts(long: str, short: str) -> Labels:
    found = labels(
        f'{{"session": "long", "turn": 3, "rule": "repeated", "verdict": "{long}"}}\n\n'
        f'{{"session": "short", "seq": 8, "rule": "repeated", "verdict": "{short}"}}\n'
    )
    assert isinstance(found, Labels)
    return found


def test_verdicts_become_a_precision_for_each_value(bench: Bench) -> None:
    said = verdicts("right", "wrong")
    tuned = bench.tuned("repeated.failed", said=said)
    judged = [said.judged(step.fires) for step in tuned.sweeps[0].steps]
    assert judged[1] == Judged(right=1, wrong=1, unjudged=0)
    assert judged[2] == Judged(right=0, wrong=0, unjudged=1)
    assert [one.precision for one in judged] == [None, 0.5, None, None, None]
    assert said.unmatched(tuned.fires) == 0
    assert said.unmatched([]) == 2


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no JSON"),
        ("[]", "expected an object"),
        ('{"session": "s", "rule": "repeated", "verdict": "right"}', "its turn or a seq"),
        ('{"session": "s", "turn": true, "rule": "repeated", "verdict": "right"}', "whole number"),
        ('{"session": "s", "turn": 1, "rule": "repeted", "verdict": "right"}', '"repeated"'),
        ('{"session": "s", "turn": 1, "rule": "repeated", "verdict": "yes"}', '"right" or "wrong"'),
    ],
)
def test_a_verdict_that_cannot_be_taken_is_named_with_its_line(line: str, why: str) -> None:
    found = labels(f"\n{line}")
    assert isinstance(found, Malformed)
    assert found.detail.startswith("line 2: ")
    assert why in found.detail
