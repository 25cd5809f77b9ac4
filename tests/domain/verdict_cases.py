"""Cases of verdicts as JSON: how calls, modes and policies are written down in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.domain.calls import Target
from app.domain.modes import MODES, Mode
from app.domain.restrictions import Call, InForce, Policy, policy_of

CASES = Path(__file__).parents[1] / "cases"


def cases(name: str) -> list[Any]:
    """The cases of one file, each under its own name."""
    read = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["name"]) for case in read]


def call_of(written: dict[str, Any]) -> Call:
    return Call(
        tool=written["tool"],
        tool_class=written["tool_class"],
        effects=tuple(written["effects"]),
        targets=tuple(Target(path=path, zone=zone) for path, zone in written.get("targets", ())),
        part=written.get("part"),
        commands=tuple(written.get("commands", ())),
    )


def in_force_of(given: dict[str, Any]) -> InForce:
    modes = MODES[given.get("profile", "default")]
    return InForce(
        modes=tuple(modes[name] for name in given["modes"]),
        policies=tuple(policy_of(policy) for policy in given.get("policies", ())),
    )


def value_of(written: dict[str, Any]) -> Mode | Policy:
    if "mode" in written:
        return MODES["default"][written["mode"]]
    return policy_of(written)
