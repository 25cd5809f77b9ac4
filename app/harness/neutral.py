"""The neutral event: what a harness of one's own reports, as JSON, checked field by field.

`NeutralEvent` is the schema (the one in `/docs`); `event` turns a parsed value into an `Event`.
Numbers are numbers, not strings, booleans or 1.0; names hold no control characters; arguments
and result may hold any text. A field that is not known is refused with the nearest known one
named, so that a typing error is not a silent loss; fields that start with `x_` are the sender's
own and are dropped. The seed prototype's `success` and `cumulative_tokens` are older names of
`outcome` and `context_tokens`.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, cast

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError, with_config
from pydantic_core import ErrorDetails, PydanticCustomError
from typing_extensions import TypedDict

from app.domain.events import (
    Coverage,
    DeniedBy,
    Event,
    EventKind,
    Json,
    Outcome,
    TestCounts,
    Usage,
)
from app.harness.base import Fault

LARGEST: Final = 2**53 - 1  # every reader of JSON agrees on integers up to here (RFC 7493)
OWN: Final = "x_"  # fields of the sender's own begin with this
NEEDS_TOOL: Final = ("tool", "attempt")
RFC3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)

MILLISECONDS: Final = 24  # characters of a time in UTC, down to a thousandth of a second

# Letters, marks, numbers, punctuation, symbols and the plain space: no control or format
# character (bidi and NUL among them), no private or unassigned one, no line or paragraph break.
NAME: Final = r"^[^\p{C}\p{Zl}\p{Zp}]+$"
SESSION: Final = r"^[^\p{C}\p{Zl}\p{Zp}/]+$"


def _moment(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text.upper()) if RFC3339.fullmatch(text) else None
        if moment and len(text) == MILLISECONDS and text[10] == "T" and text[-1] == "Z":
            return text  # as it would be written here
        utc = moment.astimezone(UTC) if moment else None
    except (ValueError, OverflowError):
        utc = None
    if utc is None:
        raise PydanticCustomError("moment", "expected a time as in RFC 3339, with its offset")
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _one_session(text: str) -> str:
    if text == "*":
        raise PydanticCustomError("session", "expected the id of one session, which `*` is not")
    return text


Name = Annotated[str, Field(min_length=1, max_length=256, pattern=NAME)]
SessionId = Annotated[
    str, Field(min_length=1, max_length=128, pattern=SESSION), AfterValidator(_one_session)
]
Folder = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
Count = Annotated[int, Field(ge=0, le=LARGEST)]
ExitCode = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]  # negative: ended by that signal
Amount = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Moment = Annotated[
    str, AfterValidator(_moment), Field(max_length=64, json_schema_extra={"format": "date-time"})
]


@with_config(strict=True, extra="forbid")
class UsageBody(TypedDict, total=False):
    """What a turn cost."""

    input_tokens: Count | None
    output_tokens: Count | None
    cost: Amount | None
    seconds: Amount | None


@with_config(strict=True, extra="forbid")
class TestsBody(TypedDict, total=False):
    """How many tests a run reported."""

    passed: Count | None
    failed: Count | None
    errors: Count | None
    skipped: Count | None


@with_config(strict=True, extra="forbid")
class CoverageBody(TypedDict, total=False):
    """A coverage report."""

    percent: Percent | None
    required: Percent | None
    uncovered: list[str] | None


@with_config(strict=True, extra="forbid")
class NeutralEvent(TypedDict, total=False):
    """One thing a harness reports; only the session is always needed, a tool for its calls."""

    session_id: SessionId
    kind: EventKind | None
    harness: Name | None
    event_id: Name | None
    agent_id: Name | None
    parent_agent_id: Name | None
    turn_id: Name | None
    batch_id: Name | None
    call_id: Name | None
    tool: Name | None
    arguments: dict[str, Any] | None  # of JSON values, as all that is read
    outcome: Outcome | None
    denied_by: DeniedBy | None
    rule: Name | None
    exit_code: ExitCode | None
    result: str | None
    duration_ms: Count | None
    context_tokens: Count | None
    context_limit: Count | None
    usage: UsageBody | None
    tests: TestsBody | None
    coverage: CoverageBody | None
    occurred_at: Moment | None
    cwd: Folder | None
    permission_mode: Name | None
    success: bool | None  # older name of outcome: true is ok, false is error
    cumulative_tokens: Count | None  # older name of context_tokens


SCHEMA: Final = TypeAdapter(NeutralEvent)
KNOWN: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset(NeutralEvent.__annotations__),
    "usage": frozenset(UsageBody.__annotations__),
    "tests": frozenset(TestsBody.__annotations__),
    "coverage": frozenset(CoverageBody.__annotations__),
}
RENAMED: Final = {"success": "outcome", "cumulative_tokens": "context_tokens"}
OTHER: Final = frozenset({*RENAMED, "usage", "tests", "coverage"})  # than the event's own fields
EXPECTED: Final[Mapping[str, str]] = {
    "dict_type": "expected an object",
    "list_type": "expected an array",
    "string_type": "expected a string",
    "string_pattern_mismatch": "expected a name without control, bidi or private characters",
    "int_type": "expected an integer",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
}


def event(value: Json, *, session: str | None = None) -> Event | Fault:
    """The event that one parsed JSON value reports; `session` stands in for a missing session_id.

    The value comes out of `strict_json`, so it holds no NaN and no lone surrogate.
    """
    if not isinstance(value, dict):
        return invalid("", "expected an object, one event")
    fields = _own_removed(value)
    if isinstance(fields, Fault):
        return fields
    if session is not None and fields.get("session_id") is None:
        fields = {**fields, "session_id": session}
    try:
        valid = SCHEMA.validator.validate_python(fields)
    except ValidationError as error:
        return _first(error.errors(include_url=False, include_input=False))
    return _event({name: field for name, field in valid.items() if field is not None})


def to_json(event: Event) -> dict[str, Json]:
    """The JSON that `event` reads as this event; what holds its default is left out."""
    return {name: _json(value) for name, value in _said(event)}


def invalid(at: str, expected: str, code: str = "invalid_event") -> Fault:
    """The 422 for the field at path `at`; `expected` says what it should be, never what it was."""
    return Fault(
        code=code, detail=f"{at}: {expected}." if at else f"{expected}.", status=422, at=at
    )


def _own_removed(value: dict[str, Json]) -> dict[str, Json] | Fault:
    extra = value.keys() - KNOWN[""]
    if not extra:
        return value
    unknown = [name for name in extra if not name.startswith(OWN)]
    if unknown:
        return _unknown("", min(unknown))
    return {name: field for name, field in value.items() if name not in extra}


def _unknown(at: str, name: str) -> Fault:
    known = sorted(KNOWN[at])
    near = difflib.get_close_matches(name[:64], known, n=1, cutoff=0.0)[0]
    hint = f"one field is not known, the nearest known one is `{near}`"
    own = "" if at else f"; fields of your own start with `{OWN}`"
    return invalid(at, hint + own, code="unknown_field")


def _first(errors: Iterable[ErrorDetails]) -> Fault:
    error = next(iter(errors))
    *parents, last = error["loc"]
    if error["type"] == "extra_forbidden":
        return _unknown(".".join(map(str, parents)), str(last))
    expected = EXPECTED.get(error["type"]) or error["msg"].replace("Input should be", "expected")
    return invalid(".".join(map(str, error["loc"])), expected)


def _event(valid: dict[str, Any]) -> Event | Fault:
    for older, name in RENAMED.items():
        if older in valid and name in valid:
            return invalid(older, f"expected either this or `{name}`, its newer name")
    if "session_id" not in valid:
        return invalid("session_id", "expected a session's id; it is always needed")
    if valid.get("kind", "tool") in NEEDS_TOOL and "tool" not in valid:
        return invalid("tool", "expected the name of the tool that the call is about")
    if OTHER.isdisjoint(valid):
        return Event(**valid)
    return Event(**dict(map(_field, valid.items())))


def _field(field: tuple[str, Any]) -> tuple[str, Any]:
    match field:
        case ("success", success):
            return "outcome", "ok" if success else "error"
        case ("cumulative_tokens", tokens):
            return "context_tokens", tokens
        case ("usage", body):
            return "usage", Usage(**body)
        case ("tests", body):
            return "tests", TestCounts(**body)
        case ("coverage", body):
            return "coverage", Coverage(**{**body, "uncovered": tuple(body.get("uncovered") or ())})
        case _:
            return field


def _said(value: Event | Usage | TestCounts | Coverage) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        if held is not None and held != field.default and held not in ({}, ()):
            yield field.name, held


def _json(value: Any) -> Json:
    match value:
        case Usage() | TestCounts() | Coverage():
            return {name: _json(held) for name, held in _said(value)}
        case tuple():
            return [*value]
        case Mapping():
            return dict(value)
        case _:
            return cast(Json, value)
