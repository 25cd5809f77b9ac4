"""What is handed over: its schema, its names, and when a diagnosis counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.artifacts import (
    LOOKED,
    NAMES,
    Stopped,
    assessed,
    kinds,
    misfit,
    named,
    names_of,
    output_of,
    schema,
    text_in,
)
from app.domain.modes import MODES
from tests.domain.floor import configured

CASES = json.loads((Path(__file__).parents[1] / "cases" / "artifacts.json").read_text())
DEBUG = MODES["default"]["debug"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_counts_and_what_is_missing(case: dict[str, Any]) -> None:
    """The tightening is entry 40, the calls behind it are 37 and 39."""
    given = case["given"]
    names = names_of(given.get("call", {}), given.get("programs", ()))
    stopped = Stopped(seq=40, seqs=(37, 39), names=names) if given.get("stopped", True) else None
    kind, looked = given.get("kind", "diagnosis"), given.get("looked", 41)
    found = assessed(kind, case["when"], stopped, looked)
    if "lacks" in case["then"]:
        assert not found.valid
        assert case["then"]["lacks"] in found.why
    else:
        assert (found.valid, found.why) == (True, "")


def test_a_huge_text_is_looked_through_as_far_as_own_routes_take_one() -> None:
    stopped = Stopped(seq=40, names=("calc.py", *(f"n{at}" for at in range(NAMES))))
    for length, valid in ((0, True), (LOOKED - len(" calc.py"), True), (LOOKED, False)):
        text = f"{'a' * length} calc.py"
        assert assessed("diagnosis", text, stopped, 41).valid is valid


def test_the_parts_of_a_mode_are_all_or_none() -> None:
    whole: dict[str, Any] = dict.fromkeys(DEBUG.output, "x")
    assert misfit(whole, DEBUG.output) is None
    for wrong in (
        {**whole, "more": "x"},
        {key: whole[key] for key in DEBUG.output[1:]},
        {**whole, "where": " "},
        {**whole, "where": 3},
    ):
        said = misfit(wrong, DEBUG.output)
        assert said is not None
        assert all(part in said for part in DEBUG.output)
    assert misfit(whole, ()) == "this kind has no parts: hand over text"


def test_parts_that_do_not_fit_do_not_count() -> None:
    found = assessed("plan", "goal: x", None, 0, "hand over text")
    assert (found.valid, found.why) == (False, "hand over text")


def test_the_schema_names_what_a_mode_wants() -> None:
    text = {"type": "string", "minLength": 1}
    assert schema(DEBUG) == {
        "title": "diagnosis",
        "anyOf": [
            text,
            {
                "type": "object",
                "properties": dict.fromkeys(DEBUG.output, text),
                "required": ["failing", "expected", "actual", "where", "hypothesis"],
                "additionalProperties": False,
            },
        ],
    }
    assert schema(MODES["default"]["implementation"]) is None


def test_kinds_and_their_parts_come_from_the_modes() -> None:
    configuration = configured()
    assert kinds(configuration) == ("diagnosis", "assessment", "plan")
    assert output_of("diagnosis", None, configuration) == DEBUG.output
    assert output_of("plan", DEBUG, configuration) == MODES["default"]["plan"].output
    assert output_of("artifact", DEBUG, configuration) == ()


def test_parts_are_read_as_lines() -> None:
    assert text_in({"parts": {"failing": "a", "where": "b"}}) == "failing: a\nwhere: b"
    assert text_in({"text": "free"}) == "free"


@given(st.text(), st.text(min_size=1))
def test_a_name_is_found_exactly_where_it_stands_alone(text: str, name: str) -> None:
    assert named(f"{text} {name} ", (name,)) == (name,)
    if name not in text:
        assert named(text, (name,)) == ()


@given(st.text(max_size=200), st.integers(0, 99), st.sampled_from(["diagnosis", "plan", "x"]))
def test_what_does_not_count_says_what_it_lacks(text: str, looked: int, kind: str) -> None:
    found = assessed(kind, text, Stopped(seq=40, names=("src/a.py",)), looked)
    assert found.valid == (found.why == "")
