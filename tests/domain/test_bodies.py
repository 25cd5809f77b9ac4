"""What stands in a body is the whole value, and is read back as what it was."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from app.domain.bodies import held_names, value_body, was
from app.domain.configuration import POSTURES
from app.domain.entries import Draft, place
from app.domain.evolve import value_of
from app.domain.modes import MODES, VERDICTS, ProfileName
from app.domain.observations import attempt_name, causes_of, text_of, usage_of, whole_of
from app.domain.restrictions import InForce, Policy

words = st.text("abc-/ ", min_size=1, max_size=8).filter(str.strip)
policies = st.builds(
    Policy,
    posture=st.sampled_from(POSTURES),
    verdicts=st.dictionaries(words, st.sampled_from(VERDICTS), max_size=3).map(Map),
    shell_denials=st.lists(words, max_size=3).map(tuple),
    write_paths=st.none()
    | st.lists(st.sampled_from(["src/", "*.py", "a/**"]), max_size=3).map(tuple),
)
modes = st.sampled_from([m for profile in get_args(ProfileName) for m in MODES[profile].values()])


def entry(action: Any, body: Any, **fields: Any) -> Any:
    draft = Draft(kind="applied", scope="s", action=action, actor="machine", body=body, **fields)
    return place(draft, 3, "2026-11-30T14:02:11.482Z")


@given(modes)
def test_a_mode_is_read_back_from_its_body(mode: Any) -> None:
    assert value_of(entry("mode", value_body(mode))) == mode
    assert was(mode) == mode.name


@given(policies)
def test_a_policy_is_read_back_from_its_body(policy: Policy) -> None:
    assert value_of(entry("policy", value_body(policy))) == policy
    assert value_body(policy) == {"policy": was(policy)}


def test_a_notice_puts_nothing_in_force() -> None:
    assert (value_body(None), was(None)) == ({}, None)
    assert value_of(entry("notice", {"notice": "x"})) is None


def test_what_is_in_force_is_named_narrowest_first() -> None:
    held = InForce(
        modes=(MODES["default"]["plan"], MODES["default"]["debug"]),
        policies=(Policy(posture="ask"), Policy()),
    )
    assert held_names(held) == {"mode": "plan", "posture": "ask", "also": ["debug"]}


def test_only_comparisons_are_causes() -> None:
    body: Any = {
        "because": [
            {"rule": "person"},
            "text",
            {"rule": "repeated", "key": "same:x", "value": 3, "threshold": 3, "seqs": [1, "2", 3],
             "target": "plan", "agent": "a"},
        ]
    }  # fmt: skip
    (cause,) = causes_of(body)
    assert (cause.rule, cause.key, cause.seqs, cause.agent) == ("repeated", "same:x", (1, 3), "a")
    assert causes_of({}) == causes_of({"because": "x"}) == ()


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"call_id": "c", "identity": "i"}, "1|a|c|i"),
        ({"call_id": "c", "identity": "i", "event_id": "e"}, "1|a|c|i"),
        ({"event_id": "e"}, "event:e"),
        ({}, None),
    ],
)
def test_an_attempt_has_the_name_that_its_ids_give_it(body: Any, name: str | None) -> None:
    draft = Draft(kind="decided", scope="s/a", action="tool", actor="machine", body=body)
    assert attempt_name(draft) == name


def test_what_has_another_type_is_not_there() -> None:
    body: Any = {"text": 1, "whole": True, "usage": {"cost": "2", "input_tokens": 3.5}}
    assert (text_of(body, "text"), whole_of(body, "whole")) == (None, None)
    usage = usage_of(entry("mode", body))
    assert (usage.cost, usage.input_tokens, usage.seconds) == (None, None, None)
