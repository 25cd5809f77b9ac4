"""What stands in the body of an entry, read back with its types."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.entries import Draft, Entry, agent_of
from app.domain.events import Json, Usage
from app.domain.stream import Cause


def text_of(body: Mapping[str, Json], key: str) -> str | None:
    """A text of a body; None where there is none."""
    value = body.get(key)
    return value if isinstance(value, str) else None


def whole_of(body: Mapping[str, Json], key: str) -> int | None:
    """A whole number of a body; None where there is none."""
    value = body.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def part_of(body: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    """An object inside a body; empty where there is none."""
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def call_name(agent: str | None, call_id: str, identity: object) -> str:
    """What names one call of a session: a reused id with other arguments is another call."""
    name = agent or ""  # its length, as an agent and a call's id may hold any sign
    return f"{len(name)}|{name}|{call_id}|{identity}"


def attempt_name(entry: Entry | Draft) -> str | None:
    """The name of the call that a decided entry is about; None: the harness gave it no id."""
    call_id, event_id = text_of(entry.body, "call_id"), text_of(entry.body, "event_id")
    if call_id is not None:
        return call_name(agent_of(entry.scope), call_id, entry.body.get("identity"))
    return None if event_id is None else f"event:{event_id}"


def usage_of(entry: Entry) -> Usage:
    """What a turn or a report of usage cost; None where the harness did not say."""
    usage = part_of(entry.body, "usage")
    cost, seconds = usage.get("cost"), usage.get("seconds")
    return Usage(
        input_tokens=whole_of(usage, "input_tokens"),
        output_tokens=whole_of(usage, "output_tokens"),
        cost=float(cost) if isinstance(cost, int | float) else None,
        seconds=float(seconds) if isinstance(seconds, int | float) else None,
    )


def causes_of(body: Mapping[str, Json]) -> tuple[Cause, ...]:
    """The comparisons an entry names as its reason; empty for what a person asked for."""
    because = body.get("because")
    causes = because if isinstance(because, list) else []
    return tuple(_cause(cause) for cause in causes if isinstance(cause, dict) and "key" in cause)


def _cause(cause: Mapping[str, Json]) -> Cause:
    threshold, value, seqs = cause.get("threshold"), cause.get("value"), cause.get("seqs")
    return Cause(
        rule=text_of(cause, "rule") or "",
        key=text_of(cause, "key") or "",
        threshold=float(threshold) if isinstance(threshold, int | float) else 0.0,
        target=text_of(cause, "target"),
        value=float(value) if isinstance(value, int | float) else 0.0,
        seqs=tuple(s for s in seqs if isinstance(s, int)) if isinstance(seqs, list) else (),
        agent=text_of(cause, "agent") or "",
    )
