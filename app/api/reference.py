"""docs/routes.md: every route, who may use it, what it takes and answers; from OpenAPI itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

HEAD: Final = """# Routes

Made from the OpenAPI document by `docs/generate.py`; do not edit by hand. A running daemon has the
same under `/docs` and `/openapi.json`.

JSON everywhere. Every error is a problem document (RFC 9457) whose `type` is `/problems/` and a
code that stays the same; none repeats what was sent. A token goes into `Authorization: Bearer ...`.
`operator` may do what `harness` may; `reader` is anyone with a token, and on loopback anyone, who
then sees entries in outline (setting `auth.reads`).
"""
ORDER: Final = ("harness", "decisions", "log", "state", "tokens", "health")
TITLES: Final[Mapping[str, str]] = {
    "harness": "What a harness calls",
    "decisions": "Deciding",
    "log": "The log",
    "state": "What is in force",
    "tokens": "Tokens",
    "health": "Health",
}


def reference(described: Mapping[str, Any]) -> str:
    """The page, in Markdown, from an OpenAPI document."""
    parts = [HEAD]
    for tag in ORDER:
        parts.append(f"## {TITLES[tag]}\n")
        parts += (
            _route(path, method, operation)
            for path, methods in described["paths"].items()
            for method, operation in methods.items()
            if tag in operation["tags"]
        )
    parts.append("## Bodies\n")
    parts += (
        _body(name, schema)
        for name, schema in described["components"]["schemas"].items()
        if schema.get("properties")
    )
    return "\n".join(parts)


def _route(path: str, method: str, operation: Mapping[str, Any]) -> str:
    lines = [f"### `{method.upper()} {path}`", "", f"Role: {_role(operation['security'])}.", ""]
    lines += [operation["description"], ""]
    lines += [f"- `{one['name']}`: {_type(one['schema'])}" for one in _asked(operation)]
    lines += [f"- body: {text}" for text in _bodies(operation)]
    lines += [
        f"- {status}: {answer['description']}"
        for status, answer in sorted(operation["responses"].items())
        if answer["description"] != "Successful Response" and status != "default"
    ]
    return "\n".join(lines).rstrip() + "\n"


def _role(security: Sequence[Mapping[str, Sequence[str]]]) -> str:
    return ", ".join(role for each in security for role in each.get("token", ())) or "anyone"


def _asked(operation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in operation.get("parameters", ()) if one["in"] == "query"]


def _bodies(operation: Mapping[str, Any]) -> Iterator[str]:
    body = operation.get("requestBody")
    for kind, content in (body or {"content": {}})["content"].items():
        optional = "" if body and body.get("required") else ", or none"
        yield f"{_type(content['schema'])} as `{kind}`{optional}"


def _body(name: str, schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = [
        f"| `{field}` | {_type(one)} | {'yes' if field in needed else ''} |"
        for field, one in schema["properties"].items()
    ]
    text = schema.get("description", "")
    return (
        "\n".join(
            (f"### {name}", "", text, "", "| field | is | needed |", "| --- | --- | --- |", *rows)
        )
        + "\n"
    )


def _type(schema: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return "one of " + " ".join(f"`{word}`" for word in schema["enum"])
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        return " or ".join(_type(one) for one in several if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"array of {_type(schema['items'])}"
    return f"{schema.get('type', 'any JSON')}{_bounds(schema)}"


def _bounds(schema: Mapping[str, Any]) -> str:
    words = {
        "minimum": "at least {}",
        "maximum": "at most {}",
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "default": "else `{}`",
    }
    found = [
        text.format(schema[key] if isinstance(schema[key], str) else json.dumps(schema[key]))
        for key, text in words.items()
        if schema.get(key) not in (None, "")
    ]
    return f" ({', '.join(found)})" if found else ""
