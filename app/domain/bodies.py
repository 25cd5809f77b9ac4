"""What stands in the body of an entry that puts something in force, and why it was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from app.domain.checks import Trip
from app.domain.entries import RESTRICTIONS, Action
from app.domain.events import Json
from app.domain.modes import Mode, definition
from app.domain.restrictions import InForce, Policy, policy_json
from app.domain.state import Value


def value_body(value: Value) -> dict[str, Json]:
    """How a value stands in an entry's body: the whole of it, never a difference."""
    match value:
        case Mode():
            return {"mode": value.name, "definition": definition(value)}
        case Policy():
            return {"policy": policy_json(value)}
        case None:
            return {}
        case _:
            assert_never(value)


def was(value: Value) -> Json:
    """What an entry says was there before: a mode's name, or a whole policy."""
    match value:
        case Mode():
            return value.name
        case Policy():
            return policy_json(value)
        case None:
            return None
        case _:
            assert_never(value)


def held_names(held: InForce) -> dict[str, Json]:
    """What is in force, by name: of the narrowest scope, and the further modes beside it."""
    names: list[Json] = [mode.name for mode in held.modes]
    return {"mode": names[0], "posture": held.policies[0].posture, "also": names[1:]}


def because(trip: Trip, agent: str) -> dict[str, Json]:
    """The evidence an entry carries: which check, its number and threshold, the calls behind it."""
    cause: dict[str, Json] = {
        "rule": trip.rule,
        "key": trip.key,
        "value": trip.value,
        "threshold": trip.threshold,
        "seqs": list(trip.seqs),
        "detail": trip.detail,
    }
    if trip.target is not None:
        cause["target"] = trip.target
    return {**cause, "agent": agent} if agent else cause


def carried(action: Action, proposed: Mapping[str, Json]) -> dict[str, Json]:
    """What an action that restricts nothing says in place of a value, taken from its proposal."""
    if action in RESTRICTIONS:
        return {}
    return {key: proposed[key] for key in ("model", "notice") if key in proposed}


def agreed(proposed: Mapping[str, Json]) -> Json:
    """Why what a person said yes to is in force; what a way back takes back is no cause of it."""
    causes = None if "return" in proposed else proposed.get("because")
    return causes or [{"rule": "person"}]
