"""Every error is a problem document (RFC 9457), and none repeats what was sent.

`type` is `/problems/<code>`; the code is stable, the sentence in `detail` is for people.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from app.domain.events import Json
from app.harness.base import Fault

MEDIA_TYPE: Final = "application/problem+json"
LOG: Final = logging.getLogger("floorboss.api")

# Names of RFC 9110 that Python before 3.13 has under their older ones.
TITLES: Final = {413: "Content Too Large", 422: "Unprocessable Content"}
CODES: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "media_type",
}
ALWAYS: Final[Mapping[int, Mapping[str, str]]] = {
    401: {"WWW-Authenticate": 'Bearer realm="floorboss"'},
    408: {"Connection": "close"},  # the rest of the body may still come, or never
}


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **extra: Json,
) -> Response:
    """One error as its answer; `extra` become further members of the document."""
    body = {
        "type": f"/problems/{code}",
        "title": TITLES.get(status) or _phrase(status),
        "status": status,
        "detail": detail,
        **extra,
    }
    return Response(
        json.dumps(body).encode(),
        status_code=status,
        headers={**ALWAYS.get(status, {}), **(headers or {})},
        media_type=MEDIA_TYPE,
    )


def answer(fault: Fault, *, headers: Mapping[str, str] | None = None, **extra: Json) -> Response:
    """The answer to a request whose input, or whose sender, was not taken."""
    where: dict[str, Json] = {"at": fault.at} if fault.at else {}
    return problem(fault.status, fault.code, fault.detail, headers=headers, **where, **extra)


def invalid_body(error: ValidationError) -> Response:
    """What a body should have been, by the names of our own fields only."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"] if first["type"] != "extra_forbidden" else ()))
    return problem(422, "invalid_request", f"{place or 'body'}: {first['msg']}.", at=place)


def internal_error(error: Exception) -> Response:
    """The answer to a fault of our own; the log gets the place, and not the text it was about."""
    stack = "".join(traceback.format_tb(error.__traceback__))
    LOG.error("unhandled %s\n%s", type(error).__name__, stack)
    return problem(500, "internal_error", "floorboss failed here; its own log says where.")


def install(app: FastAPI) -> None:
    """Make every error of `app` a problem document, and redirect nothing.

    A redirect would make a client send its token to an address that it did not choose.
    """
    app.router.redirect_slashes = False
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unhandled)


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = CODES.get(error.status_code, "refused")
    return problem(error.status_code, code, str(error.detail), headers=error.headers)


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors: list[Json] = [
        {"at": _place(each), "type": str(each["type"])} for each in error.errors()
    ]
    return problem(
        422, "invalid_request", "A part of the request is not what it should be.", errors=errors
    )


async def _unhandled(_: Request, error: Exception) -> Response:
    return internal_error(error)


def _place(error: Mapping[str, Any]) -> str:
    """Where, by our own names only: the name of an unknown field was chosen by the sender."""
    place: Iterable[object] = error["loc"]
    known = list(map(str, place))
    return ".".join(known[:-1] if error["type"] == "extra_forbidden" else known)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
