"""`floorboss simulate` as a real command: its text, its JSON, its pictures, and what it refuses."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.exits import MISUSED
from tests.charts.reading import size, title
from tests.cli.processes import environment, run
from tests.replay.runs import neutral_file

Typed = Callable[..., subprocess.CompletedProcess[str]]
PUSH = 'push = {programs = ["git push"], verdict = "deny", base_rate = 0.9, floor = 0.2}'
FEWEST = ("storm", "--runs", 60)


@pytest.fixture
def typed(state: Path) -> Typed:
    """Types a command."""

    def simulate(*said: object) -> subprocess.CompletedProcess[str]:
        return run("simulate", *map(str, said), env=environment(state))

    return simulate


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    """A session that pushes forty times, and one that pushes nothing."""
    push = {"tool": "Bash", "arguments": {"command": "git push"}, "outcome": "error"}
    look = {"tool": "Bash", "arguments": {"command": "ls"}, "outcome": "ok"}
    events = [{"session_id": "looping", "call_id": f"c{n}", **push} for n in range(40)]
    return neutral_file(tmp_path / "loop.jsonl", [*events, {"session_id": "calm", **look}])


def draws(said: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """What was drawn in the first session."""
    assert (said.returncode, said.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(said.stdout)["sessions"][0]["draws"]
    return found


def test_a_storm_is_told_in_lines_that_fit_a_terminal(typed: Typed, tmp_path: Path) -> None:
    said = typed(*FEWEST, "--plots", tmp_path / "plots")
    assert (said.returncode, said.stderr) == (0, "")
    assert max(map(len, said.stdout.splitlines())) <= 80
    (completed,) = (line for line in said.stdout.splitlines() if line.startswith("runs completed"))
    assert completed.split()[2:4] == ["0", "%"]
    assert " 100 % (" in completed
    names = {"storm-one-cost", "storm-two-costs", "storm-regions"}
    found = {path.name for path in (tmp_path / "plots").iterdir()}
    assert found == {f"{name}.{end}" for name in names for end in ("svg", "png")}
    assert title((tmp_path / "plots/storm-regions.svg").read_bytes())
    assert size((tmp_path / "plots/storm-regions.png").read_bytes())[0] == 800


def test_as_json_it_has_every_point_and_what_was_run(typed: Typed) -> None:
    said = typed(*FEWEST, "--json", "--seed", "another")
    assert (said.returncode, said.stderr) == (0, "")
    found = json.loads(said.stdout)
    assert (found["seed"], found["runs"]) == ("another", 60)
    sweep = found["parameters"]["sweep"]
    places = len(sweep["floors"]) * len(sweep["tolerances"])
    assert len(found["two_costs"]["points"]) == places * len(sweep["strengths"])
    assert len(found["two_costs"]["places"]) == places * len(sweep["harms"])
    winners = {place["winner"] for place in found["two_costs"]["places"]}
    assert {"between", "none", "open"} <= winners
    assert all(p["cost"]["low"] <= p["cost"]["high"] for p in found["two_costs"]["points"])


@pytest.mark.parametrize("runs", [58, 61, -2])
def test_too_few_runs_are_refused(typed: Typed, runs: int) -> None:
    said = typed("storm", "--runs", runs)
    assert (said.returncode, said.stdout) == (MISUSED, "")
    assert "an even number, 60 or more" in said.stderr


def test_a_loop_is_stopped_again_and_then_let_through_by_backoff(typed: Typed, loop: Path) -> None:
    said = typed("replay", loop, "--rule", PUSH)
    assert (said.returncode, said.stderr) == (0, "")
    assert max(map(len, said.stdout.splitlines())) <= 80
    head, looping, rates, every, quiet = (line.split() for line in said.stdout.splitlines()[:5])
    counted = dict(zip(head, looping, strict=True))
    assert counted["session"] == "looping"
    assert (counted["calls"], counted["asked"]) == ("40", "40")
    for name in ("stopped", "freed", "again", "escal."):
        assert int(counted[name]) > 0
    assert int(counted["stopped"]) + int(counted["freed"]) <= 40
    assert rates[:3] == ["rate", "over", "time:"]
    assert len(rates[3:]) == 10
    assert float(counted["low"]) <= min(map(float, rates[3:])) < max(map(float, rates[3:])) <= 0.9
    assert every[:4] == ["all", "2", "41", "40"]
    assert quiet == ["In", "1", "of", "2", "sessions", "no", "soft", "rule", "was", "asked."]
    assert "might have acted otherwise" in said.stdout


def test_without_strength_nothing_is_freed_and_the_rate_stays(typed: Typed, loop: Path) -> None:
    said = draws(typed("replay", loop, "--rule", PUSH, "--set", "push.strength=0", "--json"))
    assert {draw["rate"] for draw in said} == {0.9}
    assert "let_through" not in {draw["came"] for draw in said}
    full = draws(typed("replay", loop, "--rule", PUSH, "--set", "push.strength=1", "--json"))
    assert [draw["came"] for draw in full].count("let_through") > 0
    assert min(draw["rate"] for draw in full) >= 0.2


def test_the_settings_soft_rules_are_used_where_no_other_is_named(
    typed: Typed, loop: Path, tmp_path: Path
) -> None:
    settings = tmp_path / "own.toml"
    settings.write_text(
        'enforcement = "observe"\n[soft.push]\nprograms = ["git push"]\nverdict = "deny"\n'
        "base_rate = 0.9\nfloor = 0.2\n"
    )
    said = typed("replay", loop, "--config", settings, "--json")
    assert draws(said) == draws(typed("replay", loop, "--rule", PUSH, "--json"))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ((), "no soft rule: name a file of settings that has one, or say --rule"),
        (("--rule", "push"), "a soft rule is one line"),
        (("--rule", "push = 3"), "soft.push is a table"),
        (("--rule", 'push = {tools = ["edits"]}'), 'the nearest one is "edit"'),
        (("--rule", 'push = {tools = ["edit"]}'), "verdict is missing"),
        (("--rule", PUSH, "--set", "push.strenth=1"), 'the nearest is "push.strength"'),
        (("--rule", PUSH, "--set", "push.strength=much"), "expected push.strength=NUMBER"),
        (("--rule", PUSH, "--set", "push.floor=2"), "expected a number from 0 to 1"),
        (("--rule", PUSH, "--set", "pull.strength=1"), "no threshold"),
    ],
)
def test_what_cannot_be_taken_is_refused(
    typed: Typed, loop: Path, said: tuple[str, ...], why: str
) -> None:
    ended = typed("replay", loop, *said)
    assert (ended.returncode, ended.stdout) == (MISUSED, "")
    assert why in ended.stderr
