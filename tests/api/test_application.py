"""What holds for every route: roles, problem documents, no echo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from app.service.tokens import CallerRole
from tests.api.running import FAILING, Running

EVENT = {"session_id": "roles", "tool": "Read"}
WISH = {"scope": "roles", "action": "mode", "value": {"mode": "plan"}, "reason": "because"}
HANDED = {"session_id": "roles", "kind": "plan", "text": "first the test"}
CANARY = "canary-71b2"

# method, path, body, and who may: h harness, o operator, r reader, n nobody in particular
ROUTES: tuple[tuple[str, str, object, str], ...] = (
    ("POST", "/controller/events", EVENT, "ho"),
    ("POST", "/controller/decide", EVENT, "ho"),
    ("POST", "/controller/artifacts", HANDED, "ho"),
    ("POST", "/hooks/{harness}", {}, "ho"),
    ("POST", "/controller/propose", WISH, "ho"),
    ("POST", "/controller/propose", {**WISH, "decide": True}, "o"),
    ("POST", "/controller/apply/{seq}", None, "o"),
    ("POST", "/controller/approve/{seq}", None, "o"),
    ("POST", "/controller/revert/{seq}", None, "o"),
    ("POST", "/controller/dismiss/{seq}", None, "o"),
    ("GET", "/controller/tokens", None, "o"),
    ("POST", "/controller/tokens", {}, "o"),
    ("DELETE", "/controller/tokens/{name}", None, "o"),
    ("GET", "/controller/log", None, "hrno"),
    ("GET", "/controller/log/{seq}", None, "hrno"),
    ("GET", "/controller/stream", None, "hrno"),
    ("GET", "/controller/overrides", None, "hrno"),
    ("GET", "/controller/sessions", None, "hrno"),
    ("GET", "/controller/sessions/{scope}", None, "hrno"),
    ("GET", "/controller/modes", None, "hrno"),
    ("GET", "/controller/modes/{name}", None, "hrno"),
    ("GET", "/controller/verify", None, "hrno"),
    ("GET", "/controller/checkpoint", None, "hrno"),
    ("GET", "/metrics", None, "hrno"),
    ("GET", "/healthz", None, "hrno"),
)
ROLES: dict[str, CallerRole] = {"h": "harness", "o": "operator", "r": "reader", "n": "outline"}
DECLARED = {"ho": ["harness"], "o": ["operator"], "hrno": ["reader"]}


def filled(path: str) -> str:
    return path.format(seq=999_999, name="nobody", scope="s", harness="claude-code")


@pytest.mark.parametrize(("method", "path", "body", "may"), ROUTES)
def test_each_role_may_use_its_own_routes_and_no_others(
    shared: Running, method: str, path: str, body: object, may: str
) -> None:
    shared.daemon.bell.close()  # a stream ends at once
    for letter, role in ROLES.items():
        response = shared.ask(method, filled(path), body, role=role)
        hook = path.startswith("/hooks/")  # which knows a wrong token only
        refused = 401 if role == "outline" or hook else 403
        assert (response.status_code == refused) == (letter not in may), (role, response.text)
        assert response.status_code < 500


def test_the_table_of_roles_names_every_route(shared: Running) -> None:
    described = shared.get("/openapi.json")["paths"]
    listed = {(method.upper(), path) for path, methods in described.items() for method in methods}
    assert {(method, path) for method, path, _, _ in ROUTES} == listed


def test_a_route_is_described_with_the_role_it_asks_for(shared: Running) -> None:
    described = shared.get("/openapi.json")["paths"]
    for method, path, body, may in ROUTES:
        if path == "/healthz" or (isinstance(body, dict) and "decide" in body):
            continue  # anyone; and a route that asks for more when its body does
        needed: list[dict[str, list[str]]] = [{"token": DECLARED[may]}]
        optional: list[dict[str, list[str]]] = [{}] if may == "hrno" else []
        assert described[path][method.lower()]["security"] == needed + optional, path
    assert described["/healthz"]["get"]["security"] == []


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", f"/{CANARY}", 404, "not_found"),
        ("GET", f"/controller/log/{CANARY}", 422, "invalid_request"),
        ("GET", f"/controller/log/{10**30}", 422, "invalid_request"),
        ("GET", "/controller/log/-1", 422, "invalid_request"),
        ("GET", "/controller/log/999999", 404, "unknown_seq"),
        ("GET", f"/controller/log?kind={CANARY}", 422, "invalid_request"),
        ("GET", f"/controller/log?before={CANARY}", 422, "invalid_request"),
        ("GET", "/controller/log?limit=1001", 422, "invalid_request"),
        ("GET", f"/controller/log?after={10**30}", 422, "invalid_request"),
        ("GET", f"/controller/sessions/nobody-{CANARY}", 404, "unknown_scope"),
        ("GET", f"/controller/sessions/{'x' * 401}", 422, "invalid_request"),
        ("GET", f"/controller/modes/{CANARY}", 404, "unknown_mode"),
        ("GET", "/controller/log/", 404, "not_found"),
        ("GET", "//controller/log", 404, "not_found"),
        ("GET", "/Controller/Log", 404, "not_found"),
        ("GET", "/controller/events", 405, "method_not_allowed"),
        ("POST", "/controller/log", 405, "method_not_allowed"),
        ("HEAD", "/controller/log", 405, None),
        ("DELETE", "/controller/log", 405, "method_not_allowed"),
        ("PUT", "/controller/approve/1", 405, "method_not_allowed"),
        ("OPTIONS", "/controller/events", 405, "method_not_allowed"),
        ("POST", f"/controller/approve/{CANARY}", 422, "invalid_request"),
        ("POST", f"/controller/approve/1?dry_run={CANARY}", 422, "invalid_request"),
        ("POST", "/controller/approve/999999", 404, "unknown_seq"),
    ],
)
def test_every_error_is_a_problem_document_that_repeats_nothing(
    shared: Running, method: str, path: str, status: int, code: str | None
) -> None:
    response = shared.ask(method, path, role="operator")
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert CANARY not in response.text
    assert "location" not in response.headers
    if code is not None:
        problem = response.json()
        assert (problem["type"], problem["status"]) == (f"/problems/{code}", status)
        assert problem["title"]
        assert problem["detail"]


def strings_replaced(value: Any) -> Iterable[Any]:
    """`value` once for each place in it, with the canary there, as a value and as a key."""
    if isinstance(value, dict):
        yield {**value, CANARY: 1}
        for key, inner in value.items():
            yield from ({**value, key: changed} for changed in strings_replaced(inner))
    yield CANARY
    yield [CANARY]
    yield {CANARY: CANARY}


FULL = {
    **{"session_id": "echo", **FAILING},
    "duration_ms": 5,
    "usage": {"cost": 0.5},
    "tests": {"passed": 1},
    "coverage": {"percent": 50.0},
    "occurred_at": "2026-01-01T00:00:00Z",
    "kind": "tool",
    "exit_code": 1,
}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/controller/events", FULL),
        ("/controller/decide", FULL),
        ("/controller/artifacts", {**HANDED, "agent_id": "a", "event_id": "e", "call_id": "c"}),
        ("/controller/artifacts", {"session_id": "echo", "kind": "plan", "parts": {"goal": "x"}}),
        ("/controller/propose", {**WISH, "scope": "echo", "expected_state": "0", "decide": True}),
        ("/controller/propose", {**WISH, "action": "policy", "value": {"posture": "ask"}}),
        ("/controller/approve/999999", {"expected_state": "0", "reason": "why"}),
    ],
)
def test_no_error_repeats_any_part_of_a_body(shared: Running, path: str, body: Any) -> None:
    faults = 0
    for changed in strings_replaced(body):
        response = shared.ask("POST", path, changed, role="operator")
        if response.status_code >= 400:
            faults += 1
            assert response.status_code < 500
            assert CANARY not in response.text
    assert faults > 3


def test_the_documentation_page_and_the_description_need_no_token(shared: Running) -> None:
    page = shared.ask("GET", "/docs", role="outline").text
    assert "POST /controller/events" in page
    assert not any(part in page for part in ("<script", "://", "<link"))
    assert shared.ask("GET", "/docs/oauth2-redirect", role="outline").status_code == 404
    assert shared.get("/openapi.json", "outline")["info"]["title"] == "floorboss"
