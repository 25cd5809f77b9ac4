"""What no web page gets past, token or not; and what every answer carries."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.guards import Guards
from app.service.tokens import Tokens
from tests.api.small_app import SmallApp, ask

EVENT = b'{"session_id": "s", "tool": "Bash"}'


@pytest.fixture
def small(tmp_path: Path) -> SmallApp:
    return SmallApp(Tokens(tmp_path), hosts=("boss.example", "0.0.0.0", "", "FD00::1"))


@pytest.fixture
def app(small: SmallApp) -> ASGIApp:
    return small.build()


@pytest.fixture
def token(small: SmallApp) -> dict[str, str]:
    text = small.tokens.ensure_harness().read_text().strip()
    return {"Authorization": f"Bearer {text}", "Content-Type": "application/json"}


@pytest.mark.parametrize("with_token", [False, True])
@pytest.mark.parametrize(
    "host",
    [
        "evil.com",
        "evil.com:8737",
        "127.0.0.1.nip.io",
        "localhost.",
        "localhost.evil.com",
        "0.0.0.0:8737",
        "[::]",
        "",
        ":8737",
        "127.0.0.1:",
        "127.0.0.1:x",
        "127.0.0.1:123456",
        "127.0.0.1 evil.com",
        "evil.com@127.0.0.1",
        "127.0.0.1/",
        "127.1",
        "::1",
        "[::1",
        "[::1]evil.com",
        "2130706433",
        "localhost,evil.com",
    ],
)
def test_another_host_is_refused_before_the_token_is_looked_at(
    small: SmallApp, app: ASGIApp, token: dict[str, str], host: str, with_token: bool
) -> None:
    headers = {**(token if with_token else {}), "Host": host}
    got = ask(app, "POST", "/controller/events", headers=headers, content=EVENT)
    assert (got.status_code, got.json()["type"]) == (400, "/problems/host")
    assert small.stored == []


def test_no_host_is_refused(app: ASGIApp) -> None:
    assert ask(app, "GET", "/controller/log", without="host").status_code == 400


@pytest.mark.parametrize("second", ["127.0.0.1", "evil.com"])
def test_two_hosts_are_refused(app: ASGIApp, second: str) -> None:
    headers = [("Host", "127.0.0.1"), ("Host", second)]
    assert ask(app, "GET", "/controller/log", headers=headers).status_code == 400


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:8737",
        "localhost",
        "LOCALHOST:1",
        "LocalHost",
        "[::1]",
        "[::1]:65535",
        "boss.example",
        "Boss.Example:443",
        "[fd00::1]:8737",
    ],
)
def test_loopback_and_configured_names_pass_in_any_case_and_on_any_port(
    app: ASGIApp, host: str
) -> None:
    assert ask(app, "GET", "/controller/log", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "SAME-ORIGIN", "", "x", "none, none"])
def test_a_page_of_another_site_is_refused_even_with_a_token(
    small: SmallApp, app: ASGIApp, token: dict[str, str], site: str
) -> None:
    headers = {**token, "Sec-Fetch-Site": site}
    got = ask(app, "POST", "/controller/events", headers=headers, content=EVENT)
    assert (got.status_code, got.json()["type"]) == (403, "/problems/cross_site")
    assert small.stored == []


def test_one_site_of_two_is_enough_to_be_refused(app: ASGIApp) -> None:
    headers = [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")]
    assert ask(app, "GET", "/controller/log", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Mode": "cors"},
        {"Origin": "http://127.0.0.1:8737"},
        {"Origin": "https://127.0.0.1:8737"},
    ],
)
def test_clients_and_our_own_pages_pass(
    app: ASGIApp, token: dict[str, str], headers: dict[str, str]
) -> None:
    got = ask(app, "POST", "/controller/events", headers={**token, **headers}, content=EVENT)
    assert got.status_code == 201


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:3000",
        "http://127.0.0.1",
        "http://localhost:8737",
        "http://evil.com",
        "null",
        "",
        "file://127.0.0.1:8737",
        "http://127.0.0.1:8737/",
        "http://evil.com@127.0.0.1:8737",
    ],
)
def test_another_origin_is_refused_even_with_a_token(
    small: SmallApp, app: ASGIApp, token: dict[str, str], origin: str
) -> None:
    headers = {**token, "Origin": origin}
    got = ask(app, "POST", "/controller/events", headers=headers, content=EVENT)
    assert got.status_code == 403
    assert small.stored == []


@pytest.mark.parametrize("path", ["/controller/events", "/controller/log", "/nowhere", "/docs"])
def test_a_preflight_is_never_answered(app: ASGIApp, path: str) -> None:
    headers = {"Origin": "http://127.0.0.1:8737", "Access-Control-Request-Method": "POST"}
    got = ask(app, "OPTIONS", path, headers=headers)
    assert got.status_code == 405
    assert "allow" in got.headers


@pytest.mark.parametrize("media", ["text/plain", "application/x-www-form-urlencoded"])
def test_what_a_page_may_send_without_a_preflight_is_not_taken(
    small: SmallApp, app: ASGIApp, token: dict[str, str], media: str
) -> None:
    headers = {**token, "Content-Type": media}
    got = ask(app, "POST", "/controller/events", headers=headers, content=EVENT)
    assert got.status_code == 415
    assert small.stored == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/controller/log"),
        ("GET", "/cors"),
        ("GET", "/nowhere"),
        ("GET", "/broken"),
        ("GET", "/openapi.json"),
        ("GET", "/docs"),
        ("OPTIONS", "/controller/log"),
        ("POST", "/controller/events"),
    ],
)
def test_every_answer_is_closed_to_other_origins_and_to_caches(
    app: ASGIApp, method: str, path: str
) -> None:
    headers = ask(app, method, path).headers
    assert [name for name in headers if name.startswith("access-control-")] == []
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "set-cookie" not in headers
    assert "strict-transport-security" not in headers


@pytest.mark.parametrize("path", ["/", "/docs", "/nowhere"])
def test_no_page_may_load_or_run_anything(app: ASGIApp, path: str) -> None:
    assert "-src" not in ask(app, "GET", path).headers["content-security-policy"][11:]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "//controller/approve/1", 404),
        ("POST", "/controller//approve/1", 404),
        ("POST", "/controller/approve/1/", 404),
        ("POST", "/Controller/Approve/1", 404),
        ("POST", "/controller/./approve/1", 404),
        ("POST", "/controller/log/../approve/1", 404),
        ("POST", "/%2fcontroller/approve/1", 404),
        ("POST", "/controller/%61pprove/1", 403),
        ("POST", "/controller/approve%2f1", 403),
        ("GET", "/controller/approve/1", 405),
        ("HEAD", "/controller/approve/1", 405),
        ("PUT", "/controller/approve/1", 405),
        ("OPTIONS", "/controller/approve/1", 405),
        ("GET", "//evil.com/%2e%2e", 404),
    ],
)
def test_no_spelling_of_a_path_reaches_a_handler_with_a_weaker_role(
    small: SmallApp, app: ASGIApp, token: dict[str, str], method: str, path: str, status: int
) -> None:
    got = asyncio.run(raw(app, method, path, token))
    assert got[0]["status"] == status
    assert b"location" not in dict(got[0]["headers"])
    assert small.approved == []


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"])
def test_a_header_does_not_change_the_method(
    small: SmallApp, app: ASGIApp, token: dict[str, str], name: str
) -> None:
    got = ask(app, "GET", "/controller/approve/1", headers={**token, name: "POST"})
    assert got.status_code == 405
    got = ask(app, "GET", "/controller/log?_method=POST", headers={**token, name: "DELETE"})
    assert got.status_code == 200
    assert small.approved == []


def test_an_error_of_ours_does_not_reach_the_server(app: ASGIApp) -> None:
    assert ask(app, "GET", "/broken").status_code == 500


def test_half_an_answer_is_broken_off_and_not_completed() -> None:
    async def half(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    with pytest.raises(RuntimeError):
        asyncio.run(raw(Guards(half), "GET", "/", {}))


def test_a_web_socket_is_closed_and_the_lifespan_passes() -> None:
    seen: list[str] = []
    sent: list[Message] = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def send(message: Message) -> None:
        sent.append(message)

    async def both() -> None:
        await Guards(inner)({"type": "websocket"}, nothing, send)
        await Guards(inner)({"type": "lifespan"}, nothing, send)

    asyncio.run(both())
    assert seen == ["lifespan"]
    assert [message["type"] for message in sent] == ["websocket.close"]


async def nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def raw(app: ASGIApp, method: str, path: str, headers: dict[str, str]) -> list[Message]:
    """What a server would send for `path` exactly as it was written; a client would tidy it."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    decoded = path.replace("%2f", "/").replace("%61", "a").replace("%2e", ".")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": decoded,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1:8737"), *pairs],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8737),
    }
    await app(scope, nothing, send)
    return sent
