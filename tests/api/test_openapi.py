"""The description of the routes is whole, true of what they take, and printed in docs/routes.md."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.application import routes
from app.api.reference import reference
from app.harness.neutral import KNOWN

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = routes().openapi()
OPERATIONS: list[tuple[str, str, dict[str, Any]]] = [
    (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        yield from (each for inner in value.values() for each in references(inner))
    if isinstance(value, list):
        yield from (each for inner in value for each in references(inner))


def test_every_reference_leads_to_a_component() -> None:
    known = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert set(references(DOCUMENT)) <= known
    assert set(references(DOCUMENT)) >= {f"#/components/schemas/{n}" for n in ("Event", "Problem")}


def test_the_document_is_plain_json_of_openapi_3_1() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    assert json.loads(json.dumps(DOCUMENT, allow_nan=False)) == DOCUMENT
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names) > 15


@pytest.mark.parametrize(
    ("path", "operation"), [(path, operation) for _, path, operation in OPERATIONS]
)
def test_a_route_says_what_it_takes_who_may_and_how_it_fails(
    path: str, operation: dict[str, Any]
) -> None:
    asked = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"}
    assert asked == set(re.findall(r"\{(\w+)\}", path))
    assert operation["description"].endswith(".")
    problem = operation["responses"]["default"]["content"]
    assert list(problem) == ["application/problem+json"]
    assert "security" in operation
    assert "HTTPValidationError" not in json.dumps(operation)


def patterns(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["pattern"]] if isinstance(value.get("pattern"), str) else [])
        yield from (each for inner in value.values() for each in patterns(inner))
    if isinstance(value, list):
        yield from (each for inner in value for each in patterns(inner))


def test_every_pattern_is_one_that_any_reader_understands_and_refuses_no_name() -> None:
    found = set(patterns(DOCUMENT))
    assert len(found) >= 2
    for pattern in map(re.compile, found):
        assert pattern.search("a")
        assert not pattern.search("\u0000")
    assert any(re.compile(pattern).search("héllo wörld 日本 :._-") for pattern in found)


def test_an_event_is_described_with_all_its_fields() -> None:
    event = DOCUMENT["components"]["schemas"]["Event"]
    assert set(event["properties"]) == KNOWN[""]
    assert event["required"] == ["session_id"]


def test_the_page_of_the_routes_is_up_to_date() -> None:
    page = (ROOT / "docs" / "routes.md").read_text(encoding="utf-8")
    assert page == reference(routes().openapi()), "run .venv/bin/python docs/generate.py"


def test_the_page_names_every_route_once() -> None:
    titles = re.findall(r"^### `(\w+) (\S+)`$", reference(routes().openapi()), re.MULTILINE)
    assert sorted(titles) == sorted((method.upper(), path) for method, path, _ in OPERATIONS)
