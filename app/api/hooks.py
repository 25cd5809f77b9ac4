"""What a harness's own hooks call: its payload in, its own answer out.

Always 200, except for a missing or wrong token: a harness obeys no other status, and some stop
every tool on one. What cannot be read is judged as a call of an unknown tool; what cannot be logged
does not happen, as far as it could change something.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope

from app.api.body import OFF_LOOP, SECONDS, at_once
from app.api.headers import by_name
from app.api.problems import answer as faulty
from app.api.schemas import HOOK, HOOK_BODY, access
from app.api.wiring import Wiring, answer, sender, wiring
from app.classification.edge import changes_nothing
from app.config import Settings
from app.config.address import USUAL, url_of
from app.domain.entries import Entry
from app.domain.events import Event, Json
from app.domain.telling import to_agent, to_person
from app.harness.base import Fault, Reply, Report
from app.harness.claude_code.answers import answer as claude_code_answer
from app.harness.claude_code.reading import HEAD
from app.harness.claude_code.reading import read as claude_code_read
from app.harness.claude_code.reading import unreadable as claude_code_unreadable
from app.harness.tolerant_json import LARGEST, NOT_JSON, TOO_LARGE, parse
from app.service.hooks import Heard, hear
from app.service.writer import Unavailable

router = APIRouter(tags=["harness"])
LOG: Final = logging.getLogger("floorboss.hooks")
LOG_UNAVAILABLE: Final = "the log cannot be written"
COMMAND: Final = re.compile(r"\bfloorboss (approve|propose|revert) ")
CUT_OFF: Final = Fault(code="cut_off", detail="The body did not come whole.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one harness's hooks are read and answered."""

    read: Callable[[Mapping[str, Json], str], Report]
    unreadable: Callable[[bytes, Fault, str], Report]
    answer: Callable[[str, Reply], dict[str, Json]]


DIALECTS: Final[Mapping[str, Dialect]] = {
    "claude-code": Dialect(
        read=claude_code_read, unreadable=claude_code_unreadable, answer=claude_code_answer
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A request's body: the whole, or its start and why there is no more; the digest of it all."""

    data: bytes
    digest: str
    fault: Fault | None = None


@router.post(
    "/hooks/{harness}",
    openapi_extra={**HOOK_BODY, **access("harness")},
    responses=HOOK,
)
async def hooks(request: Request, harness: str) -> Response:
    """Report a hook of a harness that speaks its own language (`claude-code`), and be told what
    it shall do: deny, ask, or `{}`. An answer never says `allow`."""
    return await report(harness, wiring(request), request.scope, request.receive)


async def report(harness: str, parts: Wiring, scope: Scope, receive: Receive) -> Response:
    """Take one hook of `harness`, whoever routed it here."""
    who = sender(parts, by_name(scope["headers"]), "harness")
    if isinstance(who, Fault):
        return faulty(replace(who, status=401))
    dialect = DIALECTS.get(harness)
    body = await gathered(receive)
    if dialect is None:
        LOG.warning("a hook of a harness that floorboss does not know was answered with {}")
        return answer({})
    if len(body.data) > OFF_LOOP:
        said = await asyncio.to_thread(_said, dialect, body)
    else:
        said = _said(dialect, body)
    reply = addressed(await _reply(parts, said), parts.settings)
    return answer(dialect.answer(said.hook, reply))


class _Taken:
    """What came of a body so far; of one that is too large or does not end only the start stays."""

    def __init__(self) -> None:
        self._digest, self._kept, self._size = sha256(), BytesIO(), 0
        self.fault: Fault | None = None

    def take(self, message: Message) -> bool:
        """Take the next message; whether one more has to come."""
        chunk: bytes = message.get("body", b"")
        self._digest.update(chunk)
        self._size += len(chunk)
        self._kept.write(chunk)
        if self._size > LARGEST:
            self.fault = TOO_LARGE
            self._kept.seek(self._kept.truncate(HEAD))
        if message["type"] == "http.disconnect":
            self.fault = CUT_OFF
        return bool(message.get("more_body", False))

    def body(self) -> Body:
        """The body, as far as it came."""
        digest = self._digest.hexdigest()[:16]
        return Body(data=self._kept.getvalue(), digest=digest, fault=self.fault)


async def gathered(receive: Receive, seconds: float = SECONDS) -> Body:
    """The body of a request, awaited for at most `seconds`."""
    taken, first = _Taken(), at_once(receive)
    if first is not None and not taken.take(first):
        return taken.body()
    try:
        async with asyncio.timeout(seconds):
            while taken.take(await receive()):
                pass
    except TimeoutError:
        taken.fault = CUT_OFF
    return taken.body()


def _said(dialect: Dialect, body: Body) -> Report:
    value = body.fault or parse(body.data)
    if isinstance(value, dict):
        return dialect.read(value, body.digest)
    fault = value if isinstance(value, Fault) else NOT_JSON
    return dialect.unreadable(body.data[:HEAD], fault, body.digest)


async def _reply(parts: Wiring, said: Report) -> Reply:
    """What is said to a hook; a fault of our own must not let a call through either."""
    try:
        heard = await hear(parts.control, said)
    except Exception:
        LOG.exception("a hook could not be taken")
        return _unlogged(parts, said, "floorboss failed here; its own log says where")
    if isinstance(heard, Unavailable):
        return _unlogged(parts, said, f"{LOG_UNAVAILABLE} ({heard.cause})")
    return reply_to(heard)


def reply_to(heard: Heard) -> Reply:
    """What is said about the events of one hook: the verdict, what they changed, the reminder."""
    fired = _news(heard)
    context = [text for text in (heard.reminder, to_agent(fired)) if text]
    asked = next((one for one in heard.answers if one.verdict is not None), None)
    return Reply(
        verdict=asked.verdict or "none" if asked else "none",
        reason=asked.reason if asked else heard.ended,
        ends_turn=heard.ended is not None or (asked is not None and asked.ends_turn),
        context="\n".join(context) or None,
        message="\n".join(filter(None, (to_person(fired), *heard.handed))) or None,
    )


def addressed(reply: Reply, settings: Settings) -> Reply:
    """The reply; commands in its message would miss a daemon elsewhere, so a line says where it is.

    Where the system chose the port, the settings do not know it, and nothing is said.
    """
    url = url_of(settings)
    commands = COMMAND.search(reply.message or "")
    if commands is None or url == USUAL or not settings.port:
        return reply
    return replace(reply, message=f"{reply.message}\nThis daemon's commands end in --url {url}")


def _news(heard: Heard) -> list[Entry]:
    """What the events caused; a repeated one told it the first time."""
    return [entry for one in heard.answers if not one.duplicate for entry in one.fired]


def _unlogged(parts: Wiring, said: Report, cause: str) -> Reply:
    """What cannot be logged does not happen: deny what may change something, say no more."""
    enforcing = parts.control.configuration.enforcement == "enforce"
    attempts = [event for event in said.events if event.kind == "attempt"]
    if not enforcing or all(_harmless(parts, event) for event in attempts):
        return Reply()
    return Reply(verdict="deny", reason=f"[floorboss -] {cause}; only reading goes on.")


def _harmless(parts: Wiring, event: Event) -> bool:
    return changes_nothing(event, parts.control.writer.book.session(event.scope))
