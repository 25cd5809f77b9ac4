"""What a person reads before deciding about a way back that an agent handed something over for."""

from __future__ import annotations

from typing import Any

from app.cli.review import asked

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
