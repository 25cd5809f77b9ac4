"""A model server that answers what a test says, on loopback, with a real socket.

with scripted(text('{"action": "noop"}')) as server:
    server.url                       where to ask it
    server.asked                     every request it got: path, headers, body
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}


@dataclass
class Request:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """What was posted."""
        found: dict[str, Any] = json.loads(self.body)
        return found


Reply = Callable[["Handler"], None]


@dataclass
class Scripted:
    """A running server."""

    port: int
    replies: Sequence[Reply]  # one for each request, the last for all further ones
    released: threading.Event = field(default_factory=threading.Event)  # whoever hangs may go on
    asked: list[Request] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    most: int = 0  # requests answered at the same time
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def place(self) -> str:
        """Where it is, as settings list it."""
        return f"127.0.0.1:{self.port}"

    def url(self, provider: str = "openai") -> str:
        """Where it is asked as this provider is."""
        return f"http://{self.place}{PATHS[provider]}"

    def toml(self, **more: Any) -> str:
        """Settings that have a daemon ask it."""
        provider = more.get("provider", "openai")
        said = {
            "enabled": True,
            "provider": provider,
            "endpoint": self.url(provider),
            "private_hosts": [self.place],
            "model": "watcher",
            "models": ["small", "large"],
            **more,
        }
        return "[proposer]\n" + "".join(f"{key} = {json.dumps(said[key])}\n" for key in said)


class Handler(BaseHTTPRequestHandler):
    """Keeps what was asked and gives the next reply."""

    scripted: Scripted
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Whatever the script says."""
        server = self.scripted
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with server.lock:
            number = len(server.asked)
            server.asked.append(Request(self.path, dict(self.headers), body))
            server.now += 1
            server.most = max(server.most, server.now)
        server.arrived.release()
        try:
            with suppress(ConnectionError):
                server.replies[min(number, len(server.replies) - 1)](self)
        finally:
            with server.lock:
                server.now -= 1

    do_GET = do_POST

    def say(self, content: bytes, status: int = 200, **headers: str) -> None:
        """One whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test says what matters."""


def text(said: str, finish: str = "stop", **message: Any) -> Reply:
    """The model answers with this text, in the form of the path that was asked."""

    def reply(handler: Handler) -> None:
        if handler.path == PATHS["anthropic"]:
            reason = {"stop": "end_turn", "length": "max_tokens"}[finish]
            body = {"content": [{"type": "text", "text": said}], "stop_reason": reason, **message}
        else:
            whole = {"role": "assistant", "content": said, **message}
            body = {"choices": [{"message": whole, "finish_reason": finish}]}
        handler.say(json.dumps(body).encode(), Content_Type="application/json")

    return reply


def answer(**value: Any) -> Reply:
    """The model answers with this object and nothing around it."""
    return text(json.dumps(value))


def raw(content: bytes, status: int = 200, **headers: str) -> Reply:
    """The server says exactly this."""
    return lambda handler: handler.say(content, status, **headers)


def hang(handler: Handler) -> None:
    """Says nothing until the test lets it go."""
    handler.scripted.released.wait()


def drip(handler: Handler) -> None:
    """Sends headers, then a byte now and then, until the test lets it go."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.scripted.released.wait(0.02):
        handler.wfile.write(b" ")


def endless(handler: Handler) -> None:
    """Sends ten megabytes, or as much of them as anybody reads."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(10 * 1024 * 1024))
    handler.end_headers()
    for _ in range(160):
        handler.wfile.write(b" " * 65536)


@contextmanager
def scripted(*replies: Reply) -> Iterator[Scripted]:
    """A server that gives these replies, one for each request."""
    handler = type("Told", (Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        running = Scripted(server.server_address[1], replies)
        handler.scripted = running  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield running
        finally:
            running.released.set()
            server.shutdown()
