"""The profile `strict`: for each rule of the seeds the smallest sequence that fires it.

A row's calls fire its rule with the last of them and not before. They are the smallest: without
any one of them (but for those that only stand `beside` what counts) the rule stays quiet, as it
does where `instead` stands in the place of the only call, or of any that ended otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.profiles import MEANINGS, THRESHOLDS
from tests.replay.cases import Case, lines_of
from tests.replay.scoring import Firing, configuration, result

Raw = dict[str, Any]
ROWS: Final[list[Raw]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "strict_smallest.json").read_text("utf-8")
)
EACH: Final = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['seed']} {row['says']}")


def calls_of(row: Raw) -> list[Raw]:
    """The calls of a row; `times` makes several of one, which `{n}` tells apart."""
    found = [_numbered(call, n) for call in row["calls"] for n in range(call.get("times", 1))]
    return [{"session_id": "s", **call} for call in found]


def _numbered(call: Raw, n: int) -> Raw:
    text = json.dumps({key: value for key, value in call.items() if key != "times"})
    numbered: Raw = json.loads(text.replace("{n}", str(n)))
    return numbered


def fired(row: Raw, calls: Iterable[Raw]) -> list[Firing]:
    """What a row's rule says to some calls, in `strict`."""
    events = [{key: value for key, value in call.items() if key != "beside"} for call in calls]
    case = Case(name="s", stuck=True, lines=tuple(lines_of(events)), rules=frozenset({row["rule"]}))
    said = [f"{name}={number}" for name, number in row.get("set", {}).items()]
    found = result(case, configuration("strict", said)).fired
    return [each for each in found if each.rule == row["rule"]]


@EACH
def test_the_smallest_sequence_fires_its_rule_with_its_last_call(row: Raw) -> None:
    calls = calls_of(row)
    (found,) = fired(row, calls)
    assert (found.turn, found.mode) == (len(calls), row["mode"])


@EACH
def test_with_any_one_call_less_it_does_not(row: Raw) -> None:
    for less in _less(row):
        assert fired(row, less) == []


def _less(row: Raw) -> Iterator[list[Raw]]:
    calls = calls_of(row)
    for at, call in enumerate(calls):
        before, after = calls[:at], calls[at + 1 :]
        if "beside" not in call:
            yield before + after
        instead = {"session_id": "s", **row.get("instead", {})}
        if "instead" in row and (len(calls) == 1 or instead["outcome"] != call["outcome"]):
            yield [*before, instead, *after]


@EACH
def test_the_numbers_are_those_of_the_seeds(row: Raw) -> None:
    for name, number in row.get("numbers", {}).items():
        assert (THRESHOLDS["strict"][name], f"seed {row['seed']}" in MEANINGS[name].source) == (
            number,
            True,
        )
    for name in row.get("set", {}):
        assert THRESHOLDS["strict"][name] == 0


def test_every_number_that_comes_from_a_seed_has_its_row() -> None:
    from_seeds = {name for name, meaning in MEANINGS.items() if "seed" in meaning.source}
    assert {name for row in ROWS for name in (*row.get("numbers", ()), *row.get("set", ()))} == (
        from_seeds
    )
