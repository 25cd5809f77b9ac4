"""One request to a model: what is sent, where it goes, and where it never goes."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import pytest

from app.config.endpoint import Address
from app.domain.advice import Rejected
from app.domain.briefing import BRIEF
from app.proposer.client import Resolve, looked_up
from tests.e2e.process import ROOT
from tests.proposer.asking import asked, client, told
from tests.proposer.server import answer, raw, scripted, text

KEY = "key-of-this-test"
NAMED = "https://models.example.com/v1/chat/completions"


def leads_to(*turns: str) -> tuple[Resolve, list[str]]:
    """A name that leads to these addresses, one lookup after the other, and who looked it up."""
    looked: list[str] = []

    async def resolve(host: str, port: int) -> tuple[Address, ...]:
        looked.append(host)
        return tuple(map(ip_address, turns[min(len(looked), len(turns)) - 1].split()))

    return resolve, looked


@contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """Somebody on loopback who must not be reached, and what reached them."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                heard.append(b"a connection")
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_both_kinds_of_servers_are_asked_and_understood(provider: str) -> None:
    with scripted(answer(action="noop")) as server:
        assert asked(server, provider) == '{"action": "noop"}'


def test_anthropic_is_asked_as_its_messages_api_says() -> None:
    with scripted(answer(action="noop")) as server:
        asked(server, "anthropic", key=KEY)
        (request,) = server.asked
        assert request.path == "/v1/messages"
        assert request.json == {
            "model": "watcher",
            "max_tokens": 4_096,
            "system": BRIEF,
            "messages": [{"role": "user", "content": "{}"}],
        }
        assert request.headers["x-api-key"] == KEY
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert "Authorization" not in request.headers


def test_the_key_of_a_compatible_server_is_a_bearer_token() -> None:
    with scripted(answer(action="noop")) as server:
        asked(server, "openai", key=KEY)
        (request,) = server.asked
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        assert request.headers["Host"] == server.place


def test_without_a_key_none_is_sent() -> None:
    with scripted(answer(action="noop")) as server:
        asked(server, "openai")
        asked(server, "anthropic")
        names = {name.lower() for request in server.asked for name in request.headers}
        assert not names & {"authorization", "x-api-key", "cookie"}


def test_neither_request_has_tools() -> None:
    with scripted(answer(action="noop")) as server:
        asked(server, "openai")
        asked(server, "anthropic")
        assert [key for request in server.asked for key in request.json if "tool" in key] == []


@pytest.mark.parametrize(
    ("provider", "reply", "why"),
    [
        ("anthropic", text("x", content=[{"type": "tool_use", "name": "Bash"}]), "tool_use"),
        ("anthropic", text("x", stop_reason="tool_use"), "tool_use"),
        ("anthropic", text("x", finish="length"), "cut_off"),
        ("anthropic", text("x", content="noop"), "no_text"),
        ("anthropic", raw(b"[]"), "no_text"),
        ("openai", text("", function_call={"name": "Bash"}), "tool_use"),
        ("openai", raw(b'{"choices": [{"message": 3}]}'), "no_text"),
        ("openai", raw(b'{"choices": [], "choices": []}'), "no_text"),
    ],
)
def test_what_is_no_answer_of_a_model_is_refused(provider: str, reply: Any, why: str) -> None:
    with scripted(reply) as server:
        found = asked(server, provider)
        assert isinstance(found, Rejected)
        assert found.why == why


def test_what_a_model_thinks_before_it_answers_is_left_out() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "said"}]
    with scripted(text("", content=blocks)) as server:
        assert asked(server, "anthropic") == "said"


def test_no_proxy_and_no_password_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with listener() as (port, heard):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        with scripted(answer(action="noop")) as server:
            assert asked(server) == '{"action": "noop"}'
            assert "Authorization" not in server.asked[0].headers
        assert heard == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_inp_15_a_redirect_is_not_followed(status: int) -> None:
    with (
        listener() as (port, heard),
        scripted(raw(b"", status, Location=f"http://127.0.0.1:{port}/")) as server,
    ):
        found = asked(server)
        assert isinstance(found, Rejected)
        assert found.why == "redirect"
        assert heard == []


@pytest.mark.parametrize(
    "addresses",
    ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "8.8.8.8 127.0.0.1"],
)
def test_inp_15_a_name_that_leads_to_such_an_address_is_refused_before_any_byte(
    addresses: str,
) -> None:
    with listener() as (port, heard):
        resolve, _ = leads_to(addresses)
        found = told(NAMED.replace("com/", f"com:{port}/"), resolve)
        assert isinstance(found, Rejected)
        assert found.why == "address"
        assert heard == []


def test_inp_15_a_name_is_looked_up_once_and_what_was_judged_is_what_is_reached() -> None:
    resolve, looked = leads_to("93.184.215.14", "127.0.0.1")
    with listener() as (port, heard):
        with pytest.raises(ExceptionGroup) as caught:  # the guard of all tests
            told(NAMED.replace("com/", f"com:{port}/"), resolve)
        assert "socket.connect to '93.184.215.14'" in str(caught.value.exceptions[0])
        assert looked == ["models.example.com"]
        found = told(NAMED.replace("com/", f"com:{port}/"), resolve)
        assert isinstance(found, Rejected)
        assert found.why == "address"
        assert heard == []


def test_a_listed_name_is_reached_by_its_address_and_asked_by_its_name() -> None:
    resolve, _ = leads_to("127.0.0.1")
    with scripted(answer(action="noop")) as server:
        place = f"models.localhost:{server.port}"
        found = told(f"http://{place}/v1/chat/completions", resolve, place)
        assert found == '{"action": "noop"}'
        assert server.asked[0].headers["Host"] == place


def test_the_next_address_is_tried_where_nobody_listens_at_the_first() -> None:
    resolve, _ = leads_to("127.0.0.2 127.0.0.1")
    with scripted(answer(action="noop")) as server:
        place = f"models.localhost:{server.port}"
        assert told(f"http://{place}/v1/chat/completions", resolve, place) == '{"action": "noop"}'


def test_where_nobody_listens_at_all_the_call_led_nowhere() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found = told(f"http://127.0.0.1:{port}/v1", looked_up, f"127.0.0.1:{port}")
    assert isinstance(found, Rejected)
    assert found.why == "unreachable"


def test_a_name_that_nobody_knows_led_nowhere() -> None:
    async def unknown(host: str, port: int) -> tuple[Address, ...]:
        raise socket.gaierror(-2, "Name or service not known")

    found = told(NAMED, unknown)
    assert isinstance(found, Rejected)
    assert found.why == "unreachable"


HANGING = """
import asyncio, socket, time
from tests.proposer.asking import client
socket.getaddrinfo = lambda *said, **more: time.sleep(120)
print(asyncio.run(client("https://slow.example/v1/messages", timeout=0.1).ask("{}")).why)
"""


def test_an_end_waits_for_no_name_server() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("timeout\n", "", 0)


def test_a_server_without_a_certificate_for_the_name_is_not_asked() -> None:
    resolve, _ = leads_to("127.0.0.1")
    with scripted(answer(action="noop")) as server:
        place = f"models.example.com:{server.port}"
        found = told(f"https://{place}/v1", resolve, place)
        assert isinstance(found, Rejected)
        assert found.why == "unreachable"
        assert server.asked == []


def test_a_question_is_sent_as_it_is() -> None:
    with scripted(answer(action="noop")) as server:
        question = json.dumps({"calls": 3})
        asyncio.run(client(server.url(), server.place).ask(question))
        assert server.asked[0].json["messages"][1]["content"] == question
