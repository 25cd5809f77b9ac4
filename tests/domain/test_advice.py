"""What a model may answer: the table of tests/cases/advice.json, and the eight words."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any, get_args

import pytest

from app.domain.advice import FORMS, Advice, Noop, Rejected, TightenPolicy, parsed
from app.domain.advised import WORDS

CASES = json.loads((Path(__file__).parents[1] / "cases" / "advice.json").read_text())
EIGHT = {
    "compact",
    "switch_model",
    "tighten_policy",
    "abort",
    "warn_user",
    "noop",
    "propose_instruction",
    "propose_skill",
}


def described(found: Advice | Rejected) -> dict[str, Any]:
    if isinstance(found, Rejected):
        return {"rejected": found.why, "attempted": found.attempted}
    return {"type": type(found).__name__}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_answer_is_one_of_eight_or_refused(case: dict[str, Any]) -> None:
    found = parsed(case["given"], case["when"]["models"])
    assert described(found) == case["then"]


def test_there_are_eight_words_and_each_makes_its_own_type() -> None:
    assert set(FORMS) == set(WORDS.values()) == EIGHT
    assert set(WORDS) == set(get_args(Advice))
    assert all(form.make is kind for kind, word in WORDS.items() for form in [FORMS[word]])


def test_each_of_the_eight_stands_in_the_table() -> None:
    named = {case["given"]["action"] for case in CASES if "type" in case["then"]}
    assert named == EIGHT


@pytest.mark.parametrize("kind", get_args(Advice), ids=lambda kind: kind.__name__)
def test_the_types_are_frozen(kind: type[Advice]) -> None:
    made = object.__new__(kind)
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(kind)[0].name, "x")


def test_what_is_left_out_of_a_policy_is_not_asked_for() -> None:
    found = parsed({"action": "tighten_policy", "policy": {"shell_denials": ["npm"]}}, ())
    assert isinstance(found, TightenPolicy)
    assert found.named == {"shell_denials"}


def test_no_model_is_named_where_the_settings_name_none() -> None:
    found = parsed({"action": "switch_model", "model": "large"}, ())
    assert isinstance(found, Rejected)
    assert found.why == "fields"


def test_a_reason_is_kept() -> None:
    assert parsed({"action": "noop", "reason": "why not"}, ()) == Noop(reason="why not")
