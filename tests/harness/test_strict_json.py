"""What strict JSON takes and what it refuses, case by case (tests/cases/input_contract.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.harness.base import Fault
from app.harness.strict_json import DEPTH, lines, parse

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "input_contract.json").read_text(encoding="utf-8")
)


def body(given: dict[str, Any]) -> bytes:
    match given:
        case {"hex": digits}:
            return bytes.fromhex(digits)
        case {"repeat": [before, unit, times, after]}:
            return str(before + unit * times + after).encode()
        case {"nested": [levels, opening, closing]}:
            return str(opening * levels + given.get("core", "") + closing * levels).encode()
        case _:
            return str(given["text"]).encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_hostile_bodies_are_refused_with_a_stable_code(case: dict[str, Any]) -> None:
    fault = parse(body(case["given"]))
    assert isinstance(fault, Fault)
    assert {"code": fault.code, "status": fault.status} == case["then"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_fault_is_one_short_sentence_whatever_the_body(case: dict[str, Any]) -> None:
    fault = parse(body(case["given"]))
    assert isinstance(fault, Fault)
    assert len(fault.detail) < 100
    assert fault.detail.isascii()


@pytest.mark.parametrize(
    "text",
    ['{"secret-8f1c": 1, "secret-8f1c": 2}', '["secret-8f1c", NaN]', '"secret-8f1c', '"\\q8f1c"'],
)
def test_a_fault_never_repeats_the_input(text: str) -> None:
    fault = parse(text.encode())
    assert isinstance(fault, Fault)
    assert "8f1c" not in fault.detail + fault.at
    assert "\\q" not in fault.detail


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' {"a": [1, -2.5, true, null]} \n', {"a": [1, -2.5, True, None]}),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\\\\ud800"', "\\ud800"),
        ('"\\u0000\\u202e\\u001b"', "\x00\u202e\x1b"),
        ('{"n": 9223372036854775808}', {"n": 2**63}),
        ("1e308", 1e308),
        ('{"": {"": 1}}', {"": {"": 1}}),
    ],
)
def test_what_is_plain_json_comes_out_as_it_is(text: str, value: object) -> None:
    assert parse(text.encode()) == value


@pytest.mark.parametrize("core", [b"", b"1", b'{"a": 2}'])
def test_the_deepest_allowed_level_is_allowed(core: bytes) -> None:
    levels = DEPTH - core.count(b"{")
    assert not isinstance(parse(b"[" * levels + core + b"]" * levels), Fault)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert parse(b"[" + b"[]," * 1000 + b"{}]") == [*([[]] * 1000), {}]


def test_brackets_inside_strings_are_not_levels() -> None:
    assert parse(b'"' + b"[" * 1000 + b'"') == "[" * 1000


def test_lines_are_values_and_blank_lines_are_none() -> None:
    assert lines(b'{"a": 1}\r\n\n  \n[2]\n') == ({"a": 1}, [2])


def test_a_bad_line_is_named_by_its_number() -> None:
    fault = lines(b'{"a": 1}\n\n{"a": NaN}\n')
    assert isinstance(fault, Fault)
    assert (fault.code, fault.at) == ("non_finite_number", "line 3")


def test_no_lines_are_no_values() -> None:
    assert lines(b"\n\n") == ()
