"""JSON of hook routes: a value wherever there can be one, and never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.harness.base import Fault
from app.harness.tolerant_json import BRACKETS, CUTTABLE, DEPTH, LARGEST, MEMBERS, digest_of, parse


def nested(levels: int, inside: str = "") -> bytes:
    return ("[" * levels + inside + "]" * levels).encode()


def depth_of(value: Any) -> int:
    match value:
        case [inner]:
            return 1 + depth_of(inner)
        case list():
            return 1
        case _:
            return 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": NaN, "b": Infinity, "c": -Infinity, "d": 1e999}',
         {"a": "NaN", "b": "Infinity", "c": "-Infinity", "d": "1e999"}),
        ('"\\ud83d"', "\ufffd"),
        ('"\\ude00\\ud83d"', "\ufffd\ufffd"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('{"\\ud800": ["\\ud800x"]}', {"\ufffd": ["\ufffdx"]}),
        ("\ufeff[1]", [1]),
        ('"a\nb"', "a\nb"),
        ('"\\u0000"', "\0"),
        (" [1e2] ", [100.0]),
        ("1" * 400, "1" * 400),
        ("-" + "1" * 308, "-" + "1" * 308),
        ("9" * 308, int("9" * 308)),
        ("null", None),
    ],
)  # fmt: skip
def test_what_can_be_made_sense_of_is_a_value(text: str, value: object) -> None:
    assert parse(text.encode("utf-8", "surrogatepass")) == value


def test_bytes_that_are_no_utf_8_become_the_sign_for_that() -> None:
    assert parse(b'"caf\xe9"') == "caf\ufffd"
    assert parse(b'"\xed\xa0\xbd"') == "\ufffd" * 3


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_body"),
        (b" \n", "empty_body"),
        (b"\xef\xbb\xbf", "empty_body"),
        (b"{", "bad_json"),
        (b"{} {}", "bad_json"),
        (b'{"a": "b', "bad_json"),
        ('{"a": 1}'.encode("utf-16"), "bad_json"),
        (b'"' + b'\\"' * 20_000, "bad_json"),
        (b"[" * 50_000, "too_deep"),
        (nested(CUTTABLE), "too_deep"),
        (b"[" + b"[]," * BRACKETS + b"1]", "too_many"),
        (b"[" + b"1," * MEMBERS + b"1]", "too_many"),
        (b"[" + b'{"a":[1]},' * (MEMBERS // 2) + b"1]", "too_many"),
        (b'"' + b"x" * LARGEST + b'"', "too_large"),
    ],
)
def test_what_cannot_be_read_is_a_fault_without_any_of_it(data: bytes, code: str) -> None:
    fault = parse(data)
    assert isinstance(fault, Fault)
    assert fault.code == code


def test_a_body_may_hold_as_many_values_as_can_be_judged() -> None:
    assert parse(b"[" + b"1," * (MEMBERS - 1) + b"1]") == [1] * MEMBERS


def test_what_lies_deeper_than_the_limit_becomes_its_digest() -> None:
    assert depth_of(parse(nested(DEPTH))) == DEPTH
    value = parse(nested(DEPTH + 1, '"secret"'))
    assert depth_of(value) == DEPTH
    assert json.dumps(value).strip('[]"') == digest_of(b'["secret"]')


@pytest.mark.parametrize("levels", [65, 500, 2_000, 50_000])
def test_any_depth_is_cut_at_the_limit(levels: int) -> None:
    value = parse(b'{"session_id": "s", "deep": ' + nested(levels, '"]\\"["') + b', "x": "[{"}')
    assert isinstance(value, dict)
    assert depth_of(value["deep"]) == DEPTH - 1
    assert (value["session_id"], value["x"]) == ("s", "[{")


def test_what_lies_beside_a_deep_place_stays() -> None:
    deep = nested(3_000).decode()
    value = parse(f'[{deep}, 1, {{"k": [{deep}, "\\\\", "\\"]"]}}, 2]'.encode())
    assert isinstance(value, list)
    assert (value[1], value[3]) == (1, 2)
    held = value[2]
    assert isinstance(held, dict)
    assert isinstance(held["k"], list)
    assert held["k"][1:] == ["\\", '"]']
