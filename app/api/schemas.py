"""What OpenAPI says of the routes that read their bodies themselves; bodies.py enforces it."""

from __future__ import annotations

from typing import Any, Final

from app.harness.neutral import SCHEMA

_EVENT: Final[dict[str, Any]] = SCHEMA.json_schema(ref_template="#/components/schemas/{model}")
_EVENT.pop("$defs", None)


def event_body() -> dict[str, Any]:
    """A request body of one neutral event."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": _open()}}}}


def _open() -> dict[str, Any]:
    return {"type": "object", "title": "Event", "properties": _flat(), "required": ["session_id"]}


def _flat() -> dict[str, Any]:
    """The properties of an event without references, which a fragment of OpenAPI cannot have."""
    properties: dict[str, Any] = _EVENT.get("properties", {})
    return {
        name: schema if "$ref" not in str(schema) else {"type": "object", "title": name}
        for name, schema in properties.items()
    }


EVENTS_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"oneOf": [_open(), {"type": "array", "items": _open()}]}
            },
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
    }
}
EVENTS_RESULT: Final[dict[int | str, dict[str, Any]]] = {
    201: {"description": "One result per event: seq, duplicate, mode, posture, fired."},
    409: {"description": "An event_id stands for another event, or hooks report this session."},
    429: {"description": "Too many events; wait as Retry-After says."},
    503: {"description": "The log cannot be written; the first `stored` events were."},
}
VERDICT: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "seq, verdict (none, ask, deny), rule, reason, mode, posture."}
}
