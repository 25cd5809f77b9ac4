"""What the routes stand on: the service behind them, who may use them, and answers in JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, cast

from fastapi import Request
from starlette.responses import Response

from app.api.auth import Reads, forbidden, principal
from app.api.headers import Headers, by_name
from app.api.limits import Limits
from app.api.problems import answer as faulty
from app.api.problems import problem
from app.config import Settings
from app.domain.decisions import Refusal, refused
from app.domain.entries import EVERYWHERE, Action
from app.domain.events import Json
from app.harness.base import Fault
from app.service.archive import Archive
from app.service.bell import Bell
from app.service.control import Control
from app.service.tokens import Principal, Role, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """Everything a route may use."""

    control: Control
    reader: Archive
    tokens: Tokens
    settings: Settings
    limits: Limits
    bell: Bell = field(default_factory=Bell)  # rings when something was committed
    reads: Reads = field(init=False)  # of the settings, which find it out anew for each request

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", self.settings.reads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """What a caller wanted, for the entry that keeps a refusal."""

    verb: str
    scope: str = EVERYWHERE
    action: Action = "notice"
    seq: int = 0


def wiring(request: Request) -> Wiring:
    """The wiring of the application that answers this request."""
    return cast(Wiring, request.app.state.wiring)


def caller(request: Request, needs: Role) -> Principal | Fault:
    """Who asks, if their role may do what the route is for."""
    return sender(wiring(request), by_name(request.scope["headers"]), needs)


def sender(parts: Wiring, headers: Headers, needs: Role) -> Principal | Fault:
    """Who sent these headers, if their role may do what the route is for."""
    who = principal(headers, parts.tokens, parts.reads)
    return who if isinstance(who, Fault) else forbidden(who, needs) or who


async def deciding(
    request: Request,
    attempted: Attempted | Callable[[], Awaitable[Attempted]],
    needs: Role = "operator",
) -> Principal | Response:
    """Who decides or proposes, or the answer to whoever may not; a wrong role is logged.

    `attempted`, where finding it out needs the log, is asked for only then.
    """
    who = caller(request, needs)
    if isinstance(who, Principal):
        return who
    if who.status == 403:
        known = attempted if isinstance(attempted, Attempted) else await attempted()
        await _keep(request, known)
    return faulty(who)


async def _keep(request: Request, attempted: Attempted) -> None:
    parts = wiring(request)
    who = principal(by_name(request.scope["headers"]), parts.tokens, parts.reads)
    assert isinstance(who, Principal)  # nobody gets 401, and only a known token 403
    refusal = Refusal(
        why="wrong_role",
        detail=f"{attempted.verb} is not for the role {who.role}",
        scope=attempted.scope,
        action=attempted.action,
        seq=attempted.seq,
    )
    await parts.control.refuse(refused(refusal, actor_of(who), attempted.verb))


def actor_of(who: Principal) -> str:
    """How the log names a caller: a person's token as `human:`, any other by its role."""
    return f"human:{who.name}" if who.role == "operator" else f"{who.role}:{who.name}"


def answer(value: Json, status: int = 200) -> Response:
    """A JSON answer; compact, as it is mostly read by programs."""
    return JsonAnswer(compact(value).encode(), status)


class JsonAnswer(Response):
    """An answer that is JSON already; nothing about its headers has to be found out."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        self.body, self.status_code, self.background = body, status, None
        self.raw_headers = [
            (b"content-length", b"%d" % len(body)),
            (b"content-type", b"application/json"),
        ]


# made once: `json.dumps` with options makes an encoder each time, for the price of the encoding
compact: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def unavailable(cause: str, **extra: Json) -> Response:
    """The answer when nothing can be logged: come again, with the same event_id."""
    return problem(
        503,
        "log_unavailable",
        f"Nothing was stored: {cause}. Send it again later.",
        headers={"Retry-After": "1"},
        **extra,
    )
