"""What a person reads before deciding about a way back that an agent handed something over for."""

from __future__ import annotations

from typing import Any

import pytest

from app.cli.review import asked, waiting

BACK: dict[str, Any] = {"actor": "machine", "kind": "proposed", "body": {"return": 51}}
TEXT = "cart.py\x1b[2K is stale\nand so is " + "x" * 90


def test_what_was_handed_over_stands_behind_bars() -> None:
    artifact = {"seq": 60, "kind": "diagnosis", "valid": True, "text": TEXT}
    _, head, *lines = asked({**BACK, "artifact": artifact})
    assert head == "The agent handed over its diagnosis in 60. In its own words:"
    assert lines[0] == "| cart.py\\x1b[2K is stale"
    assert all(line.startswith("| ") and len(line) <= 80 for line in lines)


def test_where_nothing_was_handed_over_nothing_stands_there() -> None:
    assert [*asked(BACK)] == ["floorboss itself offers this, as the way back from 51."]


@pytest.mark.parametrize(
    ("mode", "standing", "told"),
    [
        ("debug", {"diagnosis": {"used": 3, "of": 3}}, ["diagnosis is used up (3 of 3)"]),
        ("debug", {"diagnosis": {"used": 2, "of": 3}}, []),
        ("debug", {"plan": {"used": 3, "of": 3}}, []),  # leads out of another mode
        ("plan", {"plan": {"used": 0, "of": 0}}, []),  # the configuration has none
    ],
)
def test_a_way_back_says_that_the_standing_approval_for_it_is_used_up(
    mode: str, standing: dict[str, Any], told: list[str]
) -> None:
    now = {"mode": mode, "posture": "yolo", "also": [], "seqs": [51], "standing": standing}
    nothing: dict[str, Any] = {"tools": [], "paths": [], "commands": []}
    proposal = {
        "returns": 51,
        "verb": "approve",
        "difference": {"freer": nothing, "stricter": nothing},
    }
    entry = {**BACK, "seq": 52, "scope": "s", "action": "mode", "at": "2026-01-01T00:00:00Z",
             "summary": "return debug -> implementation waits for a person"}  # fmt: skip
    lines = [
        each for each in waiting(entry, None, now, proposal, "") if "standing approval" in each
    ]
    assert len(lines) == len(told)
    assert all(words in line for words, line in zip(told, lines, strict=True))
