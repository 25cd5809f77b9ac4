"""A small application wired as the real one is: guards outside, problems inside, three roles."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp

from app.api.auth import Reads, forbidden, principal, sees_text
from app.api.body import events_in, named_session
from app.api.guards import Guards
from app.api.headers import by_name
from app.api.problems import answer, install
from app.domain.events import Event
from app.harness.base import Fault
from app.service.tokens import Principal, Role, Tokens

Headers = Mapping[str, str] | Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]]
HERE = "http://127.0.0.1:8737"


@dataclass
class SmallApp:
    """What was stored and who approved, behind the real edge."""

    tokens: Tokens
    reads: Reads = "outline"
    hosts: tuple[str, ...] = ()
    stored: list[Event] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)

    def build(self) -> ASGIApp:
        app = FastAPI()
        install(app)
        app.add_api_route("/controller/events", self._events, methods=["POST"])
        app.add_api_route("/controller/approve/{seq}", self._approve, methods=["POST"])
        app.add_api_route("/controller/log", self._log, methods=["GET"])
        app.add_api_route("/broken", self._broken, methods=["GET"])
        app.add_api_route("/cors", self._cors, methods=["GET"])
        return Guards(app, self.hosts)

    async def _events(self, request: Request) -> Response:
        who = self._caller(request, "harness")
        session = named_session(request.scope["query_string"], by_name(request.scope["headers"]))
        if isinstance(who, Fault):
            return answer(who)
        if isinstance(session, Fault):
            return answer(session)
        events = await events_in(request.receive, by_name(request.scope["headers"]), session)
        if isinstance(events, Fault):
            return answer(events)
        self.stored += events
        return Response(status_code=201)

    async def _approve(self, seq: int, request: Request) -> Response:
        who = self._caller(request, "operator")
        if isinstance(who, Fault):
            return answer(who)
        self.approved.append(f"{seq} by {who.name}")
        return Response(status_code=200)

    async def _log(self, request: Request, limit: int = 100) -> Response:
        who = self._caller(request, "reader")
        if isinstance(who, Fault):
            return answer(who)
        return Response("text" if sees_text(who) else "outline")

    async def _broken(self) -> Response:
        raise RuntimeError("canary-8f1c")

    async def _cors(self) -> Response:
        return Response(headers={"Access-Control-Allow-Origin": "*"})

    def _caller(self, request: Request, needs: Role) -> Principal | Fault:
        who = principal(by_name(request.scope["headers"]), self.tokens, self.reads)
        return who if isinstance(who, Fault) else forbidden(who, needs) or who


def ask(
    app: ASGIApp,
    method: str,
    path: str,
    *,
    headers: Headers = (),
    content: bytes | None = None,
    without: str | None = None,
) -> httpx.Response:
    """The answer of `app`; `without` names a header that is not sent although a client would."""

    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            given: Any = headers if isinstance(headers, Mapping) else list(headers)
            request = client.build_request(method, path, headers=given, content=content)
            if without is not None:
                del request.headers[without]
            return await client.send(request)

    return asyncio.run(run())
