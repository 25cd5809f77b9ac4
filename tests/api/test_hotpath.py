"""The way in front of FastAPI and the route behind it answer alike, byte for byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from starlette.types import ASGIApp

from app.api.application import routes
from app.api.guards import Guards
from app.api.hotpath import ROUTES
from tests.api.running import FAILING, Running
from tests.api.small_app import ask

EVENT: Final = {"session_id": "s", "tool": "Read", "outcome": "ok"}
JSON: Final = {"Content-Type": "application/json"}
LINES: Final = {"Content-Type": "application/x-ndjson"}
PATH: Final = "/controller/events"


def dumped(*values: object) -> bytes:
    return b"\n".join(json.dumps(value).encode() for value in values)


# name, path, headers, body: every status of the route, and every reason for it
REQUESTS: Final[list[tuple[str, str, dict[str, str], bytes | None]]] = [
    ("one event", PATH, JSON, dumped(EVENT)),
    ("with an id", PATH, JSON, dumped({**EVENT, "event_id": "e"})),
    ("repeated", PATH, JSON, dumped([{**EVENT, "event_id": "e"}] * 2)),
    ("another text", PATH, JSON, dumped({**EVENT, "result": "\u00e4\u2028\U0001f600"})),
    ("an array that trips a rule", PATH, JSON, dumped([{**FAILING, "session_id": "t"}] * 12)),
    ("an attempt", PATH, JSON, dumped({**EVENT, "kind": "attempt"})),
    ("lines", PATH, LINES, dumped(EVENT, EVENT)),
    ("session in the query", f"{PATH}?session=q", JSON, dumped({"tool": "Read"})),
    ("two sessions", f"{PATH}?session=q&session=r", JSON, dumped({"tool": "Read"})),
    ("a query that is no text", f"{PATH}?session=%ff", JSON, dumped({"tool": "Read"})),
    ("another body under the id", PATH, JSON, dumped({**EVENT, "event_id": "e", "tool": "x"})),
    ("no token", PATH, {**JSON, "Authorization": ""}, dumped(EVENT)),
    ("an unknown token", PATH, {**JSON, "Authorization": "Bearer no"}, dumped(EVENT)),
    ("a reader's token", PATH, {**JSON, "Authorization": "reader"}, dumped(EVENT)),
    ("an operator's token", PATH, {**JSON, "Authorization": "operator"}, dumped(EVENT)),
    ("no media type", PATH, {}, dumped(EVENT)),
    ("another media type", PATH, {"Content-Type": "text/plain"}, dumped(EVENT)),
    ("compressed", PATH, {**JSON, "Content-Encoding": "gzip"}, dumped(EVENT)),
    ("no body", PATH, JSON, b""),
    ("no JSON", PATH, JSON, b"{"),
    ("no event", PATH, JSON, b"[]"),
    ("no session", PATH, JSON, dumped({"tool": "Read"})),
    ("an unknown field", PATH, JSON, dumped({**EVENT, "outcom": "ok"})),
    ("too large", PATH, JSON, dumped({**EVENT, "result": "x" * (1 << 20)})),
    ("too many", PATH, LINES, dumped(*[EVENT] * 10_001)),
    ("too large a request", PATH, LINES, b" " * ((16 << 20) + 1)),
    ("from another site", PATH, {**JSON, "Sec-Fetch-Site": "cross-site"}, dumped(EVENT)),
    ("another host", PATH, {**JSON, "Host": "evil.example"}, dumped(EVENT)),
    ("a slash more", f"{PATH}/", JSON, dumped(EVENT)),
    ("percent-encoded", "/controller/%65vents", JSON, dumped(EVENT)),
]


@pytest.fixture
def ways(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two daemons with the same past: one as it is, one with FastAPI's routes alone."""
    both = [Running(tmp_path_factory.mktemp(name) / "state") for name in ("front", "behind")]
    behind = routes()
    behind.state.wiring = both[1].daemon.app.state.wiring
    behind.add_middleware(Guards)
    yield [(both[0], both[0].daemon.app), (both[1], behind)]
    for running in both:
        running.daemon.close()


def answered(
    running: Running,
    app: ASGIApp,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes | None,
) -> httpx.Response:
    role = headers.get("Authorization", "harness")
    token = running.tokens.get(role, "")  # type: ignore[call-overload]
    given = {**headers, "Authorization": f"Bearer {token}"} if token else headers
    kept = {name: value for name, value in given.items() if value}
    return ask(app, method, path, headers=kept, content=body)


def seen(response: httpx.Response) -> tuple[int, list[tuple[bytes, bytes]], object]:
    """Status, headers in order, and body; times and what is hashed over them differ by nature."""
    body: Any = response.content
    if b'"hash"' in body:
        body = json.loads(body)
        for result in body["results"]:
            for entry in result["fired"]:
                entry["at"] = entry["hash"] = ""
    headers = [pair for pair in response.headers.raw if pair[0] != b"content-length"]
    length = int(response.headers["content-length"])
    assert length == len(response.content)
    return response.status_code, headers, body


@pytest.mark.parametrize(
    ("path", "headers", "body"), [each[1:] for each in REQUESTS], ids=[each[0] for each in REQUESTS]
)
def test_both_ways_answer_alike(
    ways: Any, path: str, headers: dict[str, str], body: bytes | None
) -> None:
    front, behind = (
        seen(answered(running, app, "POST", path, headers, body)) for running, app in ways
    )
    assert front == behind


def test_what_was_asked_covers_every_answer_the_route_has(ways: Any) -> None:
    running, app = ways[0]
    given = {
        answered(running, app, "POST", path, headers, body).status_code
        for _, path, headers, body in REQUESTS
    }
    assert given >= {201, 400, 401, 403, 404, 409, 413, 415, 422}


HOOK: Final = "/hooks/claude-code"
PRE: Final = {"hook_event_name": "PreToolUse", "session_id": "h", "tool_use_id": "t"}


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (JSON, dumped({**PRE, "tool_name": "Read", "tool_input": {"file_path": "a"}})),
        (JSON, dumped({**PRE, "tool_name": "Write", "tool_input": {"file_path": "/etc/x"}})),
        ({}, dumped({**PRE, "hook_event_name": "Stop"})),
        (JSON, b"{"),
        (JSON, b""),
        (JSON, b"\xff"),
        ({"Authorization": ""}, dumped(PRE)),
        ({"Authorization": "reader"}, dumped(PRE)),
        ({"Origin": "https://evil.example"}, dumped(PRE)),
    ],
)
def test_hooks_are_answered_alike(ways: Any, headers: dict[str, str], body: bytes) -> None:
    front, behind = (answered(running, app, "POST", HOOK, headers, body) for running, app in ways)
    assert (front.status_code, front.headers.raw) == (behind.status_code, behind.headers.raw)
    assert re.sub(rb"[0-9]+", b"N", front.content) == re.sub(rb"[0-9]+", b"N", behind.content)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_answered_alike(ways: Any, method: str) -> None:
    front, behind = (answered(running, app, method, PATH, {}, None) for running, app in ways)
    assert (front.status_code, front.headers, front.content) == (
        behind.status_code,
        behind.headers,
        behind.content,
    )


def test_who_sends_too_much_and_a_log_that_is_closed_are_answered_alike(tmp_path: Path) -> None:
    def spoken(front: bool) -> list[tuple[int, list[tuple[bytes, bytes]], object]]:
        running = Running(tmp_path / str(front), "[limits]\nrate = 0.001\nburst = 2\n")
        app: ASGIApp = running.daemon.app
        if not front:
            app = behind = routes()
            behind.state.wiring = running.daemon.app.state.wiring
            app = Guards(behind)
        running.daemon.control.close()
        asked = (answered(running, app, "POST", PATH, JSON, dumped(EVENT)) for _ in range(3))
        found = [seen(each) for each in asked]
        running.daemon.close()
        return found

    assert [each[0] for each in spoken(True)] == [503, 503, 429]
    assert spoken(front=True) == spoken(front=False)


def test_every_path_in_front_is_a_route_of_the_description() -> None:
    described = routes().openapi()["paths"]
    for path in ROUTES:
        template = "/hooks/{harness}" if path.startswith("/hooks/") else path
        assert "post" in described[template]
