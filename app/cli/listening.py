"""The socket and the server on it: uvicorn, which ends as we say and not as it would."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.config import Settings

WAITING: Final = 512  # connections that the kernel holds until they are accepted
KEEP_ALIVE: Final = 75  # seconds an idle connection stays open; a harness keeps one per session
LAST_ANSWERS: Final = 10  # seconds that requests under way have at the end
HEAD: Final = 64 << 10  # bytes of a request's head, after its first piece
INTERIM: Final = b"HTTP/1.1 100 "
TOO_LONG: Final = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n"
# SIGHUP: the terminal was closed. Where nohup has it ignored, it stays so.
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def bound(settings: Settings) -> socket.socket:
    """A socket at the configured address, not listening yet; OSError where there can be none."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except OSError:
        found.close()
        raise
    return found


class OneWrite:
    """The way out for one answer: its head waits for its body, so that one system call sends both.

    Not for HEAD, whose answer has no body to wait for.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head: bytes | None = None  # None: it did not come; empty: it is gone

    def write(self, data: bytes) -> None:
        """Keep the head, send what comes before and after it."""
        if self._head is None and not data.startswith(INTERIM):
            self._head = data
        else:
            self._transport.write(self._kept() + data)

    def close(self) -> None:
        """Close behind what was written."""
        kept = self._kept()
        if kept:
            self._transport.write(kept)
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether nothing goes out any more."""
        return self._transport.is_closing()

    def _kept(self) -> bytes:
        kept, self._head = self._head or b"", self._head and b""
        return kept


class Protocol(HttpToolsProtocol):
    """Refuses a head (the line and the headers of a request) that grows without end.

    The library bounds none, and puts a long line together anew with every piece that comes: 200 MB
    of it, which need no token, held everything else for more than a minute.
    """

    _head = 0  # which head is under way; 0: none
    _heads = 0
    _length = 0  # bytes of it that came since its first piece

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._heads += 1
        self._head, self._length = self._heads, 0

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._head = 0
        super().on_headers_complete()
        if self.scope["method"] != "HEAD":
            self.cycle.transport = cast(asyncio.Transport, OneWrite(self.transport))

    def data_received(self, data: bytes) -> None:
        """Take one piece; close where it is only more of the same head."""
        head = self._head
        super().data_received(data)
        if head and head == self._head:
            self._length += len(data)
            if self._length > HEAD and not self.transport.is_closing():
                self.transport.write(TOO_LONG)
                self.transport.close()


class Server(uvicorn.Server):
    """Calls `ready` once it listens and `ending` when it ends; its caller closes what is behind.

    Answers that never end by themselves have to be ended in `ending`, or they would be waited for.
    """

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], ending: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready, self._ending = ready, ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say that the end has come, then wait for the answers under way."""
        self._ending()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal. uvicorn would raise it once more, before the log is closed."""
        heard = [each for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
        earlier = {each: signal.signal(each, self.handle_exit) for each in heard}
        try:
            yield
        finally:
            for each, handler in earlier.items():
                signal.signal(each, handler)


def server(
    app: FastAPI, settings: Settings, ready: Callable[[], None], ending: Callable[[], None]
) -> Server:
    """The server of one application; the client's address is taken from the connection only."""
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=Protocol,
        ws="none",
        lifespan="on",
        backlog=WAITING,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=LAST_ANSWERS,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_config=None,
        ssl_certfile=settings.auth.tls_cert,
        ssl_keyfile=settings.auth.tls_key,
    )
    return Server(config, ready, ending)
