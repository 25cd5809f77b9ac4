"""The socket and the server on it: uvicorn, which ends as we say and not as it would."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from fastapi import FastAPI

from app.config import Settings

WAITING: Final = 512  # connections that the kernel holds until they are accepted
KEEP_ALIVE: Final = 75  # seconds an idle connection stays open; a harness keeps one per session
LAST_ANSWERS: Final = 10  # seconds that requests under way have at the end
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
        http="httptools",
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
