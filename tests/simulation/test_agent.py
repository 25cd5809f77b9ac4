"""An agent under one soft rule: the three cases, and what holds for every run."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.simulation.agent import run, world
from app.simulation.parameters import Workload, rule
from app.simulation.sweep import cases
from tests.simulation.shipped import GIVEN, ROOT

CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/cases/storm.json").read_text())
SHARES = st.floats(0, 1)
WORKLOADS = st.builds(
    Workload,
    budget=st.integers(1, 60),
    needed=st.integers(1, 5),
    harmful_share=SHARES,
    harmful_tries=st.integers(1, 4),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_run_comes_to_what_the_case_says(case: dict[str, Any]) -> None:
    workload = {"stub": GIVEN.stub, "two_costs": GIVEN.two_costs}[case["workload"]]
    under = rule(GIVEN, case["strength"], case["floor"])
    found = run(under, case["tolerance"], world(workload, case["seed"], case["run"]))
    assert found._asdict() == pytest.approx(case["then"]), case["why"]


def test_the_three_cases_are_the_fixed_the_relaxed_and_the_one_that_gives_way() -> None:
    found = {case.name: point for case, point in cases(GIVEN, "storm", 60)}
    fixed, backoff, full = (found[name] for name in ("fixed", "backoff", "full_backoff"))
    assert fixed.completed.value == 0
    assert {each.steps for each in fixed.runs} == {GIVEN.stub.budget}
    assert backoff.completed.low > 0.5
    assert full.completed.value == 1
    assert full.mean("blocks").below(backoff.mean("blocks"))
    assert backoff.mean("blocks").below(fixed.mean("blocks"))
    assert min(each.lowest for each in full.runs) < min(each.lowest for each in backoff.runs)


@given(WORKLOADS, st.text(max_size=5), st.integers(0, 99), SHARES, SHARES, SHARES)
def test_what_holds_for_every_run(
    workload: Workload, seed: str, number: int, strength: float, floor: float, tolerance: float
) -> None:
    under = rule(GIVEN, strength, floor * GIVEN.base_rate)
    before = world(workload, seed, number)
    found = run(under, tolerance, before)
    assert found == run(under, tolerance, world(workload, seed, number))
    assert under.floor <= found.lowest <= under.base_rate
    assert found.steps == found.calls + found.blocks <= workload.budget
    assert found.again <= max(0, found.blocks - 1)
    assert found.harms <= min(found.calls, sum(before.steps))
    assert not found.completed or found.calls >= workload.needed + found.harms
    assert found.completed or found.steps == workload.budget


@given(st.text(max_size=5), st.integers(0, 99), SHARES)
@settings(max_examples=30)
def test_a_tool_that_bears_less_than_the_floor_never_works(
    seed: str, number: int, strength: float
) -> None:
    found = run(rule(GIVEN, strength, 0.5), 0.49, world(GIVEN.stub, seed, number))
    assert not found.completed


def test_another_seed_and_another_number_are_another_run() -> None:
    worlds = [[world(GIVEN.two_costs, seed, number) for number in range(20)] for seed in "ab"]
    assert len({each.lots for some in worlds for each in some}) == 40
    first, second = ([each.steps for each in some] for some in worlds)
    assert first != second
    assert len({*first}) > 10


def test_where_nothing_is_harmful_no_harm_is_let_through() -> None:
    harmless = replace(GIVEN.two_costs, harmful_share=0.0)
    found = [run(rule(GIVEN, 1, 0), 0.9, world(harmless, "s", number)) for number in range(20)]
    assert {each.harms for each in found} == {0}
