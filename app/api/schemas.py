"""What OpenAPI says where routes read their bodies themselves, and who may call a route.

The bodies' own checks are elsewhere (body.py, decisions.py); a test compares both. In OpenAPI 3.1
the list of a security requirement names roles; an empty requirement: without a token as well.
"""

from __future__ import annotations

from typing import Any, Final, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field

from app.harness.neutral import SCHEMA
from app.service.tokens import Role

REF: Final = "#/components/schemas/{model}"
EVENT: Final[dict[str, Any]] = {"$ref": REF.format(model="Event")}


class Problem(BaseModel):
    """An error, as in RFC 9457; it never repeats what was sent."""

    type: str = Field(description="`/problems/` and a code that stays the same.")
    title: str
    status: int
    detail: str = Field(description="What is wrong, for people.")
    at: str | None = Field(default=None, description="Which field, where one is wrong.")


PROBLEM: Final[dict[int | str, dict[str, Any]]] = {
    "default": {
        "description": "A problem document.",
        "content": {"application/problem+json": {"schema": {"$ref": REF.format(model="Problem")}}},
    }
}
# Control characters and line breaks; of the format characters only those that turn text around.
CLASSES: Final = {
    r"\p{C}": r"\u0000-\u001f\u007f-\u009f\u202a-\u202e",
    r"\p{Zl}": r"\u2028",
    r"\p{Zp}": r"\u2029",
}
TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token's role decides. `operator` may do what `harness` may; any token reads.",
}


def access(role: Role) -> dict[str, Any]:
    """The security requirement of a route for `role`; readers on loopback need no token."""
    needed = {"token": [role]}
    return {"security": [needed, {}] if role == "reader" else [needed]}


def body(name: str, *, required: bool = True) -> dict[str, Any]:
    """A request body of one JSON object, described among the components as `name`."""
    schema = {"$ref": REF.format(model=name)}
    return {
        "requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}
    }


EVENTS_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"oneOf": [EVENT, {"type": "array", "items": EVENT}]}},
            "application/x-ndjson": {"schema": {"type": "string"}},
        },
    }
}
EVENTS_RESULT: Final[dict[int | str, dict[str, Any]]] = {
    201: {"description": "`results`, one per event: seq, duplicate, mode, posture, fired."},
    409: {"description": "An event_id stands for another event, or hooks report this session."},
    429: {"description": "Too many events; wait as Retry-After says."},
    503: {"description": "The log cannot be written; the first `stored` events were."},
}
HOOK_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}
HOOK: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The harness's own answer, `{}` for nothing; also to what cannot be read,"
        " to an unknown harness, and when nothing can be logged."
    },
    401: {"description": "The token is missing or wrong: the harness goes on unwatched."},
}
VERDICT: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "seq, verdict (none, ask, deny), rule, reason, mode, posture. Where seq is"
        " null nothing could be logged: what may change something is denied."
    }
}
DECIDED: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "`summary`, `entries` that were written and what is `in_force` now; with"
        " `dry_run` what would be, the `expected_state` to send, and the `difference`: tools, paths"
        " and commands that would be `freer` or `stricter`, each with its verdict before and after."
    },
    404: {"description": "The log has no such entry."},
    409: {"description": "The state changed, it was decided already, or another verb is right."},
    410: {"description": "The proposal is void."},
    428: {"description": "`expected_state` is missing."},
}


def document(app: FastAPI, *models: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI document of `app`, with the bodies that FastAPI does not see."""
    made = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    event = SCHEMA.json_schema(ref_template=REF)
    schemas.update(event.pop("$defs", {}))
    schemas["Event"] = {**event, "required": ["session_id"]}
    described: tuple[type[BaseModel], ...] = (Problem, *models)
    for model in described:
        schema = model.model_json_schema(ref_template=REF)
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    components["securitySchemes"] = {"token": TOKEN}
    return cast("dict[str, Any]", _portable(made))


def _portable(value: Any) -> Any:
    """Patterns without Unicode classes, which few readers of a schema know; never stricter."""
    match value:
        case {"pattern": str(pattern), **rest}:
            for named, spelled in CLASSES.items():
                pattern = pattern.replace(named, spelled)
            return {**_portable(rest), "pattern": pattern}
        case dict():
            return {name: _portable(inner) for name, inner in value.items()}
        case list():
            return [_portable(inner) for inner in value]
        case _:
            return value
