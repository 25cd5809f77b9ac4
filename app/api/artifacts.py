"""What an agent hands over: a diagnosis, an assessment, a plan."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from app.api.body import named_session, object_in
from app.api.events import conflict
from app.api.headers import by_name
from app.api.problems import answer as faulty
from app.api.problems import invalid_body, problem
from app.api.schemas import access, body
from app.api.wiring import answer, caller, unavailable, wiring
from app.domain.events import Event, Json
from app.domain.observations import text_of
from app.domain.views import entry_view
from app.harness.base import Fault
from app.harness.neutral import Name, SessionId
from app.service.control import Handed
from app.service.handover import Unfit
from app.service.intake import Arrival, Conflict
from app.service.writer import Unavailable

router = APIRouter(tags=["harness"])
LONGEST: Final = 100_000  # characters of a text; the log keeps 4,000 of them
HANDED: Final[dict[int | str, dict[str, Any]]] = {
    201: {
        "description": "seq, duplicate, kind, valid, why (what it lacks), next (what happens"
        " with it now, in a sentence), mode and posture as they"
        " are now, fired."
    },
    409: {"description": "The event_id stands for another event."},
    422: {"description": "It is not what the mode wants; `detail` says what is."},
}


def _said(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("empty", "expected a text that is not empty")
    return text


class Artifact(BaseModel):
    """What a mode wants handed over: free text, or the parts that `GET /controller/modes` names.

    Without `kind` it is what the mode in force wants.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    session_id: SessionId
    agent_id: Name | None = None
    kind: Name | None = None
    text: Annotated[str, Field(max_length=LONGEST), AfterValidator(_said)] | None = None
    parts: Annotated[dict[str, JsonValue], Field(min_length=1, max_length=64)] | None = None
    event_id: Name | None = None
    call_id: Name | None = None


@router.post(
    "/controller/artifacts",
    status_code=201,
    openapi_extra={**body("Artifact"), **access("harness")},
    responses=HANDED,
)
async def artifacts(request: Request) -> Response:
    """Hand over a diagnosis, an assessment or a plan; also where hooks report the session."""
    who = caller(request, "harness")
    if isinstance(who, Fault):
        return faulty(who)
    event = await _event(request, who.name)
    if isinstance(event, Response):
        return event
    parts = wiring(request)
    slower = parts.limits.refusal(who.name, 1)
    if slower is not None:
        return slower
    result = await parts.control.hand_over(Arrival(event=event))
    match result:
        case Handed():
            return answer(_view(result), 201)
        case Unfit(at=at, expected=expected):
            return problem(422, "invalid_request", f"{at}: {expected}.", at=at)
        case Conflict():
            return await conflict(parts, result, who)
        case Unavailable(cause=cause):
            return unavailable(cause)


async def _event(request: Request, harness: str) -> Event | Response:
    """The event of what is handed over, or the answer to what is none."""
    headers = by_name(request.scope["headers"])
    session = named_session(request.scope["query_string"], headers)
    said = session if isinstance(session, Fault) else await object_in(request.receive, headers)
    if isinstance(said, Fault):
        return faulty(said)
    if isinstance(session, str) and said.get("session_id") is None:
        said = {**said, "session_id": session}
    try:
        given = Artifact.model_validate(said)
    except ValidationError as error:
        return invalid_body(error)
    if (given.text is None) == (given.parts is None):
        return problem(422, "invalid_request", "text: expected either text or parts.", at="text")
    return _event_of(given, harness)


def _event_of(given: Artifact, harness: str) -> Event:
    kind: dict[str, Json] = {} if given.kind is None else {"kind": given.kind}
    content: dict[str, Json] = (
        {"text": given.text} if given.parts is None else {"parts": dict(given.parts)}
    )
    return Event(
        session_id=given.session_id,
        kind="artifact",
        harness=harness,
        agent_id=given.agent_id,
        event_id=given.event_id,
        call_id=given.call_id,
        arguments={**kind, **content},
    )


def _view(handed: Handed) -> Json:
    told, stored = handed.answer, handed.entry.body
    return {
        "seq": told.seq,
        "duplicate": told.duplicate,
        "kind": stored.get("handover"),
        "valid": stored.get("valid"),
        "why": text_of(stored, "lacks"),
        "next": handed.next,
        "mode": told.mode,
        "posture": told.posture,
        "also": [*told.also],
        "fired": [entry_view(entry, text=True) for entry in told.fired],
    }
