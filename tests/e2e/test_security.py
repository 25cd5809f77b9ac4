"""What a page in a browser, a program without the role, or a look at the disk can get: nothing."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.process import OPERATOR, Process, bearer, launched, served

FAILING = {"tool": "Bash", "arguments": {"command": "make all"}, "outcome": "error"}
HOSTS = ["evil.com", "127.0.0.1.nip.io", "localhost.", "0.0.0.0", "", "[::2]", "127.0.0.1@evil.com"]


def waiting(process: Process, session: str) -> dict[str, Any]:
    """The way back that waits after a session was tightened."""
    for _ in range(12):
        event = {"session_id": session, **FAILING}
        for entry in process.ask("POST", "/controller/events", event)[1]["results"][0]["fired"]:
            if entry["kind"] == "proposed":
                found: dict[str, Any] = entry
                return found
    raise AssertionError("nothing tripped")


def raw(
    process: Process, method: str, path: str, headers: Iterable[tuple[str, str]]
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """One request with exactly these headers, `Host` included."""
    with closing(process.connection()) as connection:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.headers, response.read()


def host(process: Process, name: str = "127.0.0.1") -> tuple[str, str]:
    return "Host", f"{name}:{process.port}"


def head(process: Process) -> Any:
    return process.ask("GET", "/controller/checkpoint")[1]


@pytest.mark.parametrize("verb", ["approve", "apply", "revert", "dismiss"])
def test_a_harness_cannot_decide_and_is_named_in_the_log(shared: Process, verb: str) -> None:
    proposal = waiting(shared, f"h-{verb}")
    seq = proposal["ref"] if verb == "revert" else proposal["seq"]
    path = f"/controller/overrides?scope=h-{verb}"
    before = shared.ask("GET", path)[1]
    body = {"expected_state": before["state"]}
    statuses = [shared.ask("POST", f"/controller/{verb}/{seq}", body)[0] for _ in range(3)]
    assert statuses == [403] * 3
    assert shared.ask("GET", path)[1] == before
    (kept,) = shared.log(f"&scope=h-{verb}&kind=refused")
    assert (kept["ref"], kept["body"]["attempted"], kept["body"]["by"]) == (
        seq,
        verb,
        "harness:harness",
    )


def test_a_harness_cannot_propose_and_decide(shared: Process) -> None:
    wish = {"scope": "h-p", "action": "mode", "value": {"mode": "plan"}, "reason": "x"}
    assert shared.ask("POST", "/controller/propose", {**wish, "decide": True})[0] == 403
    kinds = [entry["kind"] for entry in shared.log("&scope=h-p")]
    assert kinds == ["refused"]


def test_the_operator_decides_what_the_harness_could_not(shared: Process) -> None:
    seq = waiting(shared, "o")["seq"]
    state = shared.ask("GET", "/controller/overrides?scope=o")[1]["state"]
    status, answer = shared.ask(
        "POST", f"/controller/approve/{seq}", {"expected_state": state}, bearer(OPERATOR)
    )
    assert (status, answer["in_force"]["mode"]) == (200, "implementation")


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("POST", "/controller/approve/{seq}/", {}),
        ("POST", "//controller/approve/{seq}", {}),
        ("POST", "/controller//approve/{seq}", {}),
        ("POST", "/Controller/Approve/{seq}", {}),
        ("POST", "/controller/%61pprove/{seq}", {}),
        ("POST", "/controller/approve%2f{seq}", {}),
        ("POST", "/controller/log/../approve/{seq}", {}),
        ("POST", "/controller/log/%2e%2e/approve/{seq}", {}),
        ("POST", "/controller/approve/{seq};a=b", {}),
        ("POST", "/controller/events/../approve/{seq}?dry_run=true", {}),
        ("POST", "http://127.0.0.1/controller/approve/{seq}", {}),
        ("GET", "/controller/approve/{seq}", {}),
        ("GET", "/controller/approve/{seq}", {"X-HTTP-Method-Override": "POST"}),
        ("GET", "/controller/approve/{seq}?_method=POST", {"X-HTTP-Method": "POST"}),
        ("POST", "/controller/log/{seq}", {"X-Original-URL": "/controller/approve/{seq}"}),
        ("POST", "/controller/log/{seq}", {"X-Rewrite-URL": "/controller/approve/{seq}"}),
        ("HEAD", "/controller/approve/{seq}", {}),
        ("OPTIONS", "/controller/approve/{seq}", {}),
        ("TRACE", "/controller/approve/{seq}", {}),
        ("PUT", "/controller/approve/{seq}", {}),
        ("PATCH", "/controller/approve/{seq}", {}),
    ],
)
def test_no_other_spelling_of_a_path_or_method_needs_a_lesser_role(
    shared: Process, method: str, path: str, more: dict[str, str]
) -> None:
    session = sha256(f"{method} {path} {more}".encode()).hexdigest()
    seq = waiting(shared, session)["seq"]
    before = shared.ask("GET", f"/controller/overrides?scope={session}")[1]
    headers = [host(shared), *shared.harness.items(), *more.items(), ("Content-Length", "0")]
    status, answered, body = raw(shared, method, path.format(seq=seq), headers)
    assert status in (400, 403, 404, 405, 422), body
    assert answered["Location"] is None
    assert shared.ask("GET", f"/controller/overrides?scope={session}")[1] == before


@pytest.mark.parametrize("token", [True, False])
def test_a_host_that_is_not_ours_is_refused_before_anything_else(
    shared: Process, token: bool
) -> None:
    sent = list(bearer(OPERATOR).items()) if token else [("Authorization", "Bearer nobody")]
    before = head(shared)
    for name in HOSTS:
        for given in (name, f"{name}:{shared.port}"):
            status, _, body = raw(shared, "GET", "/controller/tokens", [("Host", given), *sent])
            assert (status, json.loads(body)["type"]) == (400, "/problems/host"), given
    for several in ([], [host(shared), host(shared)], [host(shared), ("Host", "evil.com")]):
        status, _, _ = raw(shared, "POST", "/controller/approve/1", [*several, *sent])
        assert status == 400
    assert head(shared) == before


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_this_machine_pass(shared: Process, name: str) -> None:
    for given in (name, f"{name}:{shared.port}"):
        assert raw(shared, "GET", "/healthz", [("Host", given)])[0] == 200


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "nonsense"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.com"}, 403),
        ({"Sec-Fetch-Site": "none"}, 201),
        ({"Sec-Fetch-Site": "same-origin"}, 201),
        ({"Sec-Fetch-Mode": "cors"}, 201),
        ({}, 201),
    ],
)
def test_a_page_of_another_origin_is_refused_even_with_a_token(
    shared: Process, more: dict[str, str], status: int
) -> None:
    before = head(shared)
    event = {"session_id": "page", "kind": "prompt"}
    headers = {**bearer(OPERATOR), **more}
    assert shared.ask("POST", "/controller/events", event, headers)[0] == status
    assert (head(shared) == before) == (status == 403)


def test_no_answer_lets_another_origin_read_it(shared: Process) -> None:
    before = head(shared)
    for method, path, more in (
        ("GET", "/controller/log", []),
        ("GET", "/healthz", []),
        ("GET", "/nothing", []),
        ("GET", "/openapi.json", []),
        ("GET", "/docs", []),
        ("GET", "/controller/log", [("Origin", "https://evil.com")]),
        ("POST", "/controller/events", [("Content-Length", "0")]),
        ("POST", "/controller/approve/x", [("Content-Length", "0")]),
        ("OPTIONS", "/controller/events", [("Access-Control-Request-Method", "POST")]),
        ("OPTIONS", "*", []),
    ):
        _, answered, _ = raw(shared, method, path, [host(shared), *more])
        names = [name.lower() for name in answered]
        assert [name for name in names if name.startswith("access-control-")] == [], path
        assert "set-cookie" not in names
        assert answered["X-Content-Type-Options"] == "nosniff"
    assert raw(shared, "OPTIONS", "/controller/events", [host(shared)])[0] == 405
    assert head(shared) == before


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]
)
@pytest.mark.parametrize(
    "path", ["/controller/events", "/controller/decide", "/controller/propose"]
)
def test_what_a_form_can_send_is_taken_nowhere(shared: Process, kind: str, path: str) -> None:
    before = head(shared)
    headers = {**bearer(OPERATOR), "Content-Type": kind}
    body = b'{"session_id": "form", "tool": "Read"}'
    assert shared.ask("POST", path, body, headers)[0] == 415
    assert shared.ask("POST", path, body, {"Content-Type": kind})[0] == 401
    assert head(shared) == before


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_operators_secret_lies_nowhere_and_no_token_is_said_aloud(tmp_path: Path) -> None:
    with served(tmp_path / "state") as process:
        harness = process.harness["Authorization"].partition(" ")[2]
        seq = waiting(process, "s")["seq"]
        state = process.ask("GET", "/controller/overrides?scope=s")[1]["state"]
        for path, body, token in (
            ("/controller/approve/999", {"expected_state": state}, OPERATOR),
            (f"/controller/approve/{seq}", {"expected_state": state, "reason": "x"}, OPERATOR),
            (f"/controller/approve/{seq}", {"expected_state": state}, harness),
            ("/controller/events", {"session_id": "s", "tool": "Read"}, OPERATOR),
            ("/controller/events", {"session_id": 5}, harness),
            ("/controller/decide", {"session_id": "s", "tool": "Read"}, harness),
            (f"/nowhere?token={OPERATOR}", {}, OPERATOR),
            ("/controller/propose", {"scope": OPERATOR}, OPERATOR),
        ):
            process.ask("POST", path, body, bearer(token))
        held = files(process.folder)
        assert {"controls.db", "controls.db-wal"} <= {path.name for path in held}
        secret = OPERATOR.encode()
        assert [path for path, content in held.items() if secret in content] == []
        with_harness = {path.name for path, content in held.items() if harness.encode() in content}
        assert with_harness == {"harness.token", "harness.header"}
        digest = sha256(harness.encode()).hexdigest().encode()
        assert digest in held[process.folder / "tokens.json"]
        line = Path(f"/proc/{process.popen.pid}/cmdline").read_bytes()
        assert process.end() == 0
        assert process.popen.stdout
        said = process.popen.stdout.read() + process.welcome.encode() + line
        said += (process.folder / "stderr").read_bytes()
    assert [token for token in (secret, harness.encode()) if token in said] == []
    assert [path for path, content in files(tmp_path).items() if secret in content] == []


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_an_open_address_without_encryption_is_refused_before_it_listens(
    tmp_path: Path, address: str
) -> None:
    with launched(tmp_path / "state", ["--host", address]) as popen:
        out, errors = popen.communicate(timeout=60)
    assert popen.returncode == 2
    assert out == b""
    assert b"can be reached from other machines" in errors
    assert not (tmp_path / "state").exists()


def test_a_published_port_is_served_to_tokens_only(tmp_path: Path) -> None:
    toml = '[auth]\npublished_on = "192.0.2.1:443"\n'
    with served(tmp_path / "state", toml=toml) as process:
        assert process.ask("GET", "/controller/log", headers={})[0] == 401
        assert process.ask("GET", "/controller/log")[0] == 200
        _, answered, _ = raw(process, "GET", "/healthz", [host(process)])
        assert answered["Strict-Transport-Security"] is None
