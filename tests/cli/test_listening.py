"""What the server writes: the head of an answer with the start of its body, nothing else late."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from app.cli.listening import OneWrite, Protocol

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
END = b"the end"


class Recording(asyncio.Transport):
    """A transport that keeps what is written to it, piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, data: object) -> None:
        assert isinstance(data, bytes)
        self.written.append(data)

    def close(self) -> None:
        self.written.append(END)

    def is_closing(self) -> bool:
        return END in self.written


@pytest.mark.parametrize(
    ("pieces", "written"),
    [
        ([HEAD, b"body"], [HEAD + b"body"]),
        ([HEAD, b""], [HEAD]),
        ([HEAD, b"a", b"b"], [HEAD + b"a", b"b"]),
        (
            [b"HTTP/1.1 100 Continue\r\n\r\n", HEAD, b"a"],
            [b"HTTP/1.1 100 Continue\r\n\r\n", HEAD + b"a"],
        ),
        ([HEAD, END], [HEAD, END]),
        ([HEAD, b"a", END], [HEAD + b"a", END]),
        ([END], [END]),
    ],
)
def test_a_head_waits_for_the_body_and_for_nothing_else(
    pieces: list[bytes], written: list[bytes]
) -> None:
    transport = Recording()
    out = OneWrite(transport)
    for piece in pieces:
        out.close() if piece is END else out.write(piece)
    assert (transport.written, out.is_closing()) == (written, END in written)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers as the path says."""
    body: bytes = (await receive())["body"]
    headers = [] if scope["path"] == "/chunked" else [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if scope["path"] == "/broken":
        raise RuntimeError
    await send({"type": "http.response.body", "body": body})


@contextmanager
def served() -> Iterator[Callable[[bytes, bytes], bytes]]:
    """A function that sends a request and returns what comes until `end`, or the connection's."""
    config = uvicorn.Config(app, http=Protocol, loop="uvloop", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()

    def ask(request: bytes, end: bytes) -> bytes:
        with socket.create_connection(listening.getsockname(), timeout=10) as client:
            client.sendall(request)
            got = b""
            while not got.endswith(end) and (more := client.recv(65_536)):
                got += more
            return got

    yield ask
    server.should_exit = True
    thread.join()


def test_every_kind_of_answer_arrives_whole() -> None:
    post = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n%b\r\n"
    with served() as ask:
        plain = post % (b"/", b"") + b"body"
        assert ask(plain, b"body").count(b"HTTP/1.1 200") == 1
        assert ask(plain * 3, b"body").count(b"\r\n\r\nbody") >= 1
        assert ask(post % (b"/chunked", b"") + b"body", b"0\r\n\r\n").endswith(
            b"4\r\nbody\r\n0\r\n\r\n"
        )
        head = ask(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        last = ask(post % (b"/", b"Connection: close\r\n") + b"body", b"never")
        assert last.endswith(b"\r\n\r\nbody")
        assert ask(post % (b"/broken", b"") + b"body", b"never").startswith(b"HTTP/1.1 200")
        waits = ask(post % (b"/", b"Expect: 100-continue\r\n"), b"Continue\r\n\r\n")
        assert waits == b"HTTP/1.1 100 Continue\r\n\r\n"
