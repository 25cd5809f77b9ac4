"""Narrowing and counters, by the numbers of docs/cases.md: what the core alone decides."""

from __future__ import annotations

from typing import Any

import pytest

from app.config import ConfigFault, Settings, load
from app.domain.calls import Target
from app.domain.checks import tripped
from app.domain.modes import MODES, ProfileName
from app.domain.narrowing import Widened, automatic, narrow
from app.domain.policy import decide
from app.domain.profiles import MEANINGS
from app.domain.restrictions import Call, InForce, Policy
from tests.domain.floor import Floor, configured, short
from tests.domain.thresholds import ROWS


@pytest.mark.parametrize(
    ("had", "has"),
    [
        (("/src/**",), ("/src/a/**",)),
        (("/src/**",), ("/src/**", "/src/a/**")),
        (("/src/",), ("/src",)),
        (("/src/",), ("/src/x.py",)),
        (("*.md",), ("README.md",)),
        ((), ("/docs/",)),
        (None, ("/src/",)),
        (("/src/",), None),
    ],
)
def test_nar_04_a_machine_adds_no_write_pattern_tighter_looking_or_not(had: Any, has: Any) -> None:
    own, new = Policy(write_paths=had), Policy(write_paths=has)
    refused = narrow(own, new)
    assert isinstance(refused, Widened)
    assert refused.why == "adds_write_pattern"
    assert not automatic(own, new, InForce(policies=(own,)), InForce(policies=(new,)))


@pytest.mark.parametrize(
    ("had", "has"),
    [
        (("/src/", "/docs/"), ("/docs/",)),
        (("/src/", "/docs/"), ()),
        (("*.md",), ()),
        (None, ()),
    ],
)
def test_nar_04_a_machine_takes_patterns_away_and_may_close_all(had: Any, has: Any) -> None:
    own, new = Policy(write_paths=had), Policy(write_paths=has)
    assert narrow(own, new) == new
    assert automatic(own, new, InForce(policies=(own,)), InForce(policies=(new,)))


def test_nar_07_failed_edits_between_reads_that_work_trip_at_four() -> None:
    """Half of all calls work, so that no rate would ever notice."""
    floor, fired = Floor(), []
    for at in range(20):
        edit = floor.call(
            f"edit {at}",
            **{"class": "edit"},
            tool="Edit",
            outcome="error",
            failed=True,
            path="a.py",
            edit=f"a.py {at}",
        )
        read = floor.call(f"read {at}", **{"class": "read"}, tool="Read")
        fired += [(at + 1, entry) for entry in (*edit, *read) if entry.kind == "applied"]
    ((at, change),) = fired
    assert (at, short([change])) == (4, ["applied mode debug tighten"])
    assert change.body["because"][0]["value"] == 4  # type: ignore[index,call-overload]
    stream = floor.session().streams[""]
    assert [slot.weight for slot in stream.rates] == [0, 1] * 5


def paired(floor: Floor, identity: str, at: int) -> list[str]:
    """A call that was asked about and then worked, within a few milliseconds."""
    asked = floor.asks(
        call_id=f"c{at}", tool="Read", **{"class": "read"}, effects=["read"], identity=identity
    )
    moment = f"2026-11-30T14:02:11.{at:03d}Z"
    entries = floor.call(
        identity, **{"class": "read"}, ref=asked.entry.seq, occurred_at=moment, call_id=f"c{at}"
    )
    return short(entries[1:])


def test_nar_10_thirty_times_the_same_trivial_call_earns_nothing() -> None:
    floor = Floor(configured(thresholds={"repeated.ok": 0, "no_progress.stale": 0}))
    floor.sets("policy", {"posture": "ask"})
    assert [said for at in range(30) for said in paired(floor, "ls", at)] == []


def test_nar_10_thirty_different_calls_earn_a_proposal_however_fast_they_came() -> None:
    floor = Floor()
    floor.sets("policy", {"posture": "ask"})
    said = [said for at in range(30) for said in paired(floor, f"read {at}", at)]
    assert said == ["proposed policy auto loosen"]


def blocked(floor: Floor, at: int) -> None:
    """One more attempt at what the mode forbids, and its end."""
    asked = floor.asks(call_id=f"b{at}", targets=[{"path": "src/a.py", "zone": "project"}])
    assert asked.verdict == "deny"
    floor.call(
        "e",
        **{"class": "edit"},
        outcome="blocked",
        ref=asked.entry.seq,
        call_id=f"b{at}",
        ours=True,
    )


def test_nar_14_one_blocked_call_again_and_again_is_counted_and_never_tightens() -> None:
    floor = Floor()
    floor.sets("mode", {"mode": "debug"})
    figures = []
    for at in range(8):
        blocked(floor, at)
        stream = floor.session().streams[""]
        figures.append((stream.interventions, stream.blocked_then_blocked, stream.after_terminal))
    assert figures[:3] == [(1, 0, 0), (2, 1, 0), (3, 2, 1)]
    assert figures[-1] == (8, 7, 6)
    by_machine = [e for e in floor.log if e.kind == "applied" and e.actor == "machine"]
    assert {entry.action for entry in by_machine} == {"notice"}
    assert floor.mode() == "debug"


HARD = (
    Target(path=".claude/settings.json", zone="guarded"),
    Target(path=".git/hooks/pre-commit", zone="guarded"),
    Target(path="tests/a.py", zone="test"),
)


@pytest.mark.parametrize("profile", ["default", "strict"])
@pytest.mark.parametrize("target", HARD, ids=lambda target: target.path)
def test_nar_14_what_is_hard_is_denied_however_often_it_was_tried(
    target: Target, profile: ProfileName
) -> None:
    """A rule of the core has no rate: nothing that was counted enters the verdict."""
    floor = Floor(configured(profile, standing={}))
    said = [
        floor.asks(call_id=f"h{at}", targets=[{"path": target.path, "zone": target.zone}]).verdict
        for at in range(40)
    ]
    assert set(said) == {"deny"}
    edit = Call(tool="Edit", tool_class="edit", effects=("write",), targets=(target,))
    for mode in MODES[profile].values():
        writes_it = target.zone in mode.writes
        assert (decide(InForce(modes=(mode,)), edit).verdict == "deny") is not writes_it


@pytest.mark.parametrize("name", list(MEANINGS))
def test_nar_15_a_threshold_of_zero_turns_its_check_off(name: str) -> None:
    row = ROWS[name]
    for value in (0, row.tried, 0.1, 0.99, 20):
        if name == "success_rate.distinct" or (name == "review.to_mode" and not value):
            continue  # 0 asks for no different calls, and for no change of mode
        stream = row.reach(min(value, row.highest or value))
        found = tripped(stream, {**row.beside, name: 0})
        responses = {trip.response for trip in found}
        assert responses <= ({"notice"} if name == "review.to_mode" else set())


@pytest.mark.parametrize("name", list(MEANINGS))
@pytest.mark.parametrize("number", ["-1", "-0.001", "nan", "-nan", "inf", "-inf", '"3"', "true"])
def test_nar_15_a_threshold_that_means_nothing_is_refused_at_start(
    name: str, number: str, tmp_path: Any
) -> None:
    rule, _, key = name.partition(".")
    (tmp_path / "floorboss.toml").write_text(f"[rules.{rule}]\n{key} = {number}\n")
    fault = load({"state_dir": tmp_path}, {})
    assert isinstance(fault, ConfigFault)
    assert f"rules.{name}" in str(fault)


@pytest.mark.parametrize("name", list(MEANINGS))
def test_nar_15_zero_is_taken_by_every_threshold(name: str, tmp_path: Any) -> None:
    rule, _, key = name.partition(".")
    (tmp_path / "floorboss.toml").write_text(f"[rules.{rule}]\n{key} = 0\n")
    settings = load({"state_dir": tmp_path}, {})
    assert isinstance(settings, Settings)
    assert settings.configuration().thresholds[name] == 0
