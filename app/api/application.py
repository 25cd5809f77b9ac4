"""The HTTP application: guards outside, problem documents for every error, routes by noun."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI

from app.api import decisions, events, health, log, problems, reads
from app.api.guards import Guards
from app.api.wiring import Wiring

TICK = 1.0  # seconds between looks at what is due


def application(wiring: Wiring) -> FastAPI:
    """The application over one wiring; it neither opens nor closes what it stands on."""
    app = FastAPI(
        title="floorboss",
        summary="The floor manager of an agent system.",
        docs_url="/docs",
        redoc_url=None,
        lifespan=_ticking,
    )
    app.state.wiring = wiring
    problems.install(app)
    for part in (events, log, reads, decisions, health):
        app.include_router(part.router)
    settings = wiring.settings
    app.add_middleware(Guards, hosts=(settings.host, *settings.auth.hosts))
    return app


@asynccontextmanager
async def _ticking(app: FastAPI) -> AsyncIterator[None]:
    """While the application runs, write what is due: the counts of refusals."""
    parts: Wiring = app.state.wiring

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            await parts.control.flush()

    ticking = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking
