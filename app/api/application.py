"""The HTTP application: guards outside, problem documents for every error, routes by noun."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api import (
    artifacts,
    decisions,
    events,
    health,
    hooks,
    log,
    problems,
    reads,
    stream,
    tokens,
)
from app.api.docs import docs
from app.api.guards import Guards
from app.api.hotpath import HotPath
from app.api.schemas import PROBLEM, document
from app.api.wiring import Wiring
from app.service.archive import LogUnavailable

TICK = 1.0  # seconds between looks at what is due
VERSION: Final = "1"  # of the routes; the program's own is nobody's business who has no token
_log = logging.getLogger("floorboss.api")


class Application(FastAPI):
    """FastAPI with something in front of all of it; a middleware would stand behind its own."""

    front: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take whatever the server has: `front` passes on what it does not answer."""
        await self.front(scope, receive, send)


def application(wiring: Wiring) -> Application:
    """The application over one wiring; it neither opens nor closes what it stands on."""
    app = routes()
    app.state.wiring = wiring
    settings = wiring.settings
    # outermost: nothing reaches a handler past the guards
    hot = HotPath(app.front, parts=wiring)
    app.front = Guards(hot, hosts=(settings.host, *settings.auth.hosts))
    return app


def routes() -> Application:
    """Every route and what describes it, with nothing in front and nothing behind them yet."""
    app = Application(
        title="floorboss",
        summary="The floor manager of an agent system.",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        lifespan=_ticking,
    )
    app.front = super(Application, app).__call__
    problems.install(app)
    app.add_exception_handler(LogUnavailable, _unreadable)
    for part in (events, artifacts, hooks, log, stream, reads, decisions, tokens, health):
        app.include_router(part.router, responses=PROBLEM)
    app.add_api_route("/docs", docs, include_in_schema=False)
    app.openapi = partial(_described, app)  # type: ignore[method-assign]  # as FastAPI documents
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = document(
            app, artifacts.Artifact, decisions.Decision, decisions.Proposal, tokens.NewToken
        )
    return app.openapi_schema


async def _unreadable(_: Request, error: Exception) -> Response:
    return problems.problem(
        503,
        "log_unavailable",
        f"The log cannot be read: {error}. Try again later.",
        headers={"Retry-After": "1"},
    )


@asynccontextmanager
async def _ticking(app: FastAPI) -> AsyncIterator[None]:
    """While the application runs, write what is due: counts of refusals, and of what was lost."""
    parts: Wiring = app.state.wiring

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            try:
                await parts.control.flush()
            except Exception:  # the next second is another chance
                _log.exception("what was due could not be written")

    ticking = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking
