"""The busiest routes, answered in front of FastAPI by the very functions that it would call.

FastAPI's own handling of a request (routing, dependencies, stacks of exit callbacks) costs more
CPU time than checking, classifying and counting an event. Everything else about a request is the
same on both ways: the guards stand outside both, one function reads and answers, and every route
here is a route of FastAPI's as well, which describes it. A test asks both ways alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api import events, hooks
from app.api.wiring import Wiring

Handler: TypeAlias = Callable[[Wiring, Scope, Receive], Awaitable[Response]]

ROUTES: Final[Mapping[str, Handler]] = {  # all of them are posted to
    "/controller/events": events.report,
    **{f"/hooks/{name}": partial(hooks.report, name) for name in hooks.DIALECTS},
}


class HotPath:
    """Answers POST requests to the paths of `routes`; passes every other request on to `app`."""

    def __init__(self, app: ASGIApp, parts: Wiring, routes: Mapping[str, Handler] = ROUTES) -> None:
        self._app, self._parts, self._routes = app, parts, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            handler = self._routes.get(scope["path"])
            if handler is not None:
                response = await handler(self._parts, scope, receive)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)
