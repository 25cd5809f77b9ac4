"""Who may call: the operator lists, makes and revokes tokens. A token's text is shown once."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from app.api.body import object_in
from app.api.headers import by_name
from app.api.problems import answer as faulty
from app.api.problems import problem
from app.api.schemas import access
from app.api.schemas import body as body_of
from app.api.wiring import Attempted, answer, deciding, wiring
from app.domain.events import Json
from app.harness.base import Fault
from app.service.tokens import Role, TokenRefused

router = APIRouter(tags=["tokens"])
Name = Annotated[str, Path(max_length=64)]


class NewToken(BaseModel):
    """The token somebody wants."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    name: Annotated[str, Field(max_length=64)]
    role: Role


@router.get("/controller/tokens", openapi_extra=access("operator"))
async def tokens(request: Request) -> Response:
    """The tokens in force, by name, role and the id that stands in their text."""
    who = await deciding(request, Attempted(verb="token list"))
    if isinstance(who, Response):
        return who
    items: list[Json] = [
        {"name": token.name, "role": token.role, "id": token.id}
        for token in wiring(request).tokens.all
    ]
    return answer({"items": items})


@router.post(
    "/controller/tokens",
    status_code=201,
    openapi_extra={**body_of("NewToken"), **access("operator")},
)
async def new(request: Request) -> Response:
    """Make a token; the answer holds it, this once."""
    who = await deciding(request, Attempted(verb="token new"))
    if isinstance(who, Response):
        return who
    body = await object_in(request.receive, by_name(request.scope["headers"]))
    if isinstance(body, Fault):
        return faulty(body)
    try:
        wanted = NewToken.model_validate(body)
    except ValidationError:
        return problem(
            422, "invalid_request", "A token has a name and a role: harness, operator or reader."
        )
    made = await run_in_threadpool(wiring(request).tokens.mint, wanted.name, wanted.role)
    if isinstance(made, TokenRefused):
        return problem(409, "token_refused", made.why)
    return answer({"name": wanted.name, "role": wanted.role, "token": made}, 201)


@router.delete("/controller/tokens/{name}", openapi_extra=access("operator"))
async def revoke(request: Request, name: Name) -> Response:
    """Revoke a token: from now on nobody is that one."""
    who = await deciding(request, Attempted(verb="token revoke"))
    if isinstance(who, Response):
        return who
    refused = await run_in_threadpool(wiring(request).tokens.revoke, name)
    if refused is not None:
        return problem(404, "unknown_token", refused.why)
    return answer({"revoked": name})
