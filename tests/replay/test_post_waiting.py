"""A daemon that is busy is waited for, one that says no is not; nothing is told twice or lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from app.domain.events import Event
from app.replay.address import Address, address_of
from app.replay.lines import Line
from app.replay.post import EVENTS, LONGEST_WAIT, TRIES, Daemon, PostFailed, PostRefused
from app.service.intake import Answer, Conflict

Scripted = tuple[int, dict[str, str], Any]  # status, headers, body


def taken(*seqs: int, duplicate: bool = False) -> Scripted:
    """All events of a request were stored."""
    said = {"duplicate": duplicate, "mode": "plan", "posture": "yolo", "fired": []}
    return 201, {}, {"results": [{"seq": seq, **said} for seq in seqs]}


def busy(status: int, wait: str = "2", **more: Any) -> Scripted:
    """Nothing, or only the first events, were stored."""
    return status, {"Retry-After": wait}, {"detail": "later", **more}


def reused(index: int, stored: int = 0) -> Scripted:
    """One event has the id of another."""
    body = {"type": "/problems/event_id_reused", "detail": f"Event {index}: reused."}
    return 409, {}, {**body, "index": index, "stored": stored}


class Server:
    """A server on loopback that answers as it is told, and remembers what it was sent."""

    def __init__(self, answers: list[Scripted]) -> None:
        self.answers, self.bodies, self.peers = answers, list[list[Any]](), set[Any]()
        self.headers: list[dict[str, str]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """The next answer."""
        text = request.rfile.read(int(request.headers["Content-Length"]))
        self.bodies.append([json.loads(line)["event_id"] for line in text.split(b"\n")])
        self.headers.append(dict(request.headers))
        self.peers.add(request.client_address)
        status, headers, body = self.answers.pop(0)
        content = json.dumps(body).encode()
        request.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)


@contextmanager
def asked(*answers: Scripted) -> Iterator[tuple[Daemon, Server, list[float]]]:
    """A replay's end of the connection, the server, and how long the replay waited."""
    server, waits = Server(list(answers)), list[float]()
    thread = Thread(target=server.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    address = address_of(f"http://127.0.0.1:{server.http.server_port}/below/")
    assert isinstance(address, Address)
    daemon = Daemon(address, "secret", waits.append)
    try:
        yield daemon, server, waits
    finally:
        daemon.close()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def lines(count: int) -> list[Line]:
    return [
        Line(event=Event(session_id="s", tool="Bash", event_id=str(n)), line_no=n)
        for n in range(count)
    ]


def seqs(heard: list[tuple[Line, Answer | Conflict]]) -> list[tuple[int, bool] | str]:
    """Of each event its seq and whether it was known, or why it was left out."""
    return [a.code if isinstance(a, Conflict) else (a.seq, a.duplicate) for _, a in heard]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_daemon_is_waited_for_as_long_as_it_asks(status: int) -> None:
    with asked(busy(status), busy(status, "soon"), busy(status, "9999"), taken(7)) as (d, s, waits):
        assert seqs(list(d.feed(lines(1)))) == [(7, False)]
    assert waits == [2.0, 1.0, LONGEST_WAIT]
    assert s.bodies == [["0"]] * 4
    assert len(s.peers) == 1  # one connection, kept open


def test_what_was_stored_before_the_log_was_full_is_told_as_new() -> None:
    again = [*taken(1, 2, duplicate=True)[2]["results"], *taken(3)[2]["results"]]
    with asked(busy(503, stored=2), (201, {}, {"results": again})) as (daemon, _, _):
        assert seqs(list(daemon.feed(lines(3)))) == [(1, False), (2, False), (3, False)]


def test_what_was_stored_before_a_refusal_is_told_as_new() -> None:
    with asked(reused(2, stored=2), taken(1, 2, duplicate=True), taken(3)) as (daemon, server, _):
        heard = list(daemon.feed(lines(4)))
    assert seqs(heard) == [(1, False), (2, False), "event_id_reused", (3, False)]
    assert server.bodies == [["0", "1", "2", "3"], ["0", "1"], ["3"]]


def test_the_first_and_the_last_event_can_be_refused() -> None:
    with asked(reused(0), reused(1), taken(5)) as (daemon, _, _):
        heard = list(daemon.feed(lines(3)))
    assert seqs(heard) == ["event_id_reused", (5, False), "event_id_reused"]


def test_a_daemon_that_stays_busy_is_given_up() -> None:
    with (
        asked(*[busy(503)] * TRIES) as (daemon, _, waits),
        pytest.raises(PostFailed, match="stays busy: later"),
    ):
        list(daemon.feed(lines(1)))
    assert len(waits) == TRIES


@pytest.mark.parametrize("status", [401, 403, 404, 413, 422, 500])
def test_a_daemon_that_says_no_is_asked_once(status: int) -> None:
    with (
        asked((status, {}, {"detail": "that token is not known"})) as (daemon, server, waits),
        pytest.raises(PostFailed, match=f"answered {status}: that token is not known"),
    ):
        list(daemon.feed(lines(1)))
    assert (len(server.bodies), waits) == (1, [])


@pytest.mark.parametrize(("status", "asked_for"), [(401, 1), (404, 1), (503, TRIES)])
def test_a_no_of_the_daemons_own_is_told_from_that_of_something_else(
    status: int, asked_for: int
) -> None:
    for type_, expected in (("/problems/x", PostRefused), ("about:blank", PostFailed)):
        no: Scripted = (status, {}, {"type": type_, "detail": "no"})
        with asked(*[no] * asked_for) as (daemon, server, _), pytest.raises(PostFailed) as said:
            list(daemon.feed(lines(1)))
        assert (said.type, len(server.bodies)) == (expected, asked_for)


def test_a_success_of_something_else_is_none() -> None:
    with (
        asked((201, {}, {"hello": "world"})) as (daemon, _, _),
        pytest.raises(PostFailed, match="is not floorboss; it answered 201"),
    ):
        list(daemon.feed(lines(1)))


def test_an_answer_of_something_else_is_a_failure_and_no_fault() -> None:
    with (
        asked((404, {}, ["hello"])) as (daemon, _, _),
        pytest.raises(PostFailed, match="no JSON object"),
    ):
        list(daemon.feed(lines(1)))


def test_a_closed_connection_is_opened_again() -> None:
    closing = (201, {"Connection": "close"}, taken(1)[2])
    with asked(closing, taken(2)) as (daemon, server, _):
        assert seqs(list(daemon.feed(lines(1)))) == [(1, False)]
        assert seqs(list(daemon.feed(lines(1)))) == [(2, False)]
    assert len(server.peers) == 2


def test_nobody_there_is_a_failure() -> None:
    with asked() as (daemon, _, _):
        pass
    with pytest.raises(PostFailed, match="cannot be reached"):
        list(daemon.feed(lines(1)))


def test_requests_hold_no_more_than_they_may_and_carry_the_token() -> None:
    more = EVENTS + 1
    with asked(taken(*range(EVENTS)), taken(EVENTS)) as (daemon, server, _):
        assert len(list(daemon.feed(lines(more)))) == more
    assert [len(body) for body in server.bodies] == [EVENTS, 1]
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer secret"}


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("localhost:8737", "expected http"),
        ("ftp://localhost", "expected http"),
        ("http://", "and a host"),
        ("http://[::1", "not an URL"),
        ("http://localhost:99999", "not an URL"),
        ("http://example.org:8737", "https only"),
        ("http://192.168.1.4", "https only"),
    ],
)
def test_a_token_goes_to_no_such_place(url: str, why: str) -> None:
    found = address_of(url)
    assert isinstance(found, str)
    assert why in found


@pytest.mark.parametrize("url", ["http://[::1]:8737", "https://example.org/floorboss/"])
def test_this_machine_and_whatever_is_encrypted_are_places_for_a_token(url: str) -> None:
    found = address_of(url)
    assert isinstance(found, Address)
    assert found.secure == url.startswith("https")
    assert not found.path.endswith("/")
