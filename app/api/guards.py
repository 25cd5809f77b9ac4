"""What holds for every request before anything else looks at it, and for every answer.

    one Host header, with a name of ours     else 400   a page that rebinds its name to 127.0.0.1
    no OPTIONS                               else 405   no preflight is ever answered
    Sec-Fetch-Site none or same-origin       else 403   another site, or another port of this host
    Origin, where there is one, is Host      else 403   browsers without Sec-Fetch-Site

All before authentication: a stolen or remembered token does not help a web page. Sec-Fetch-Mode
says nothing: Node sends it. An error that nobody handled is answered here, so that the connection
lives on and the next event on it is not lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.headers import Headers, RawHeaders, by_name
from app.api.problems import internal_error, problem

LOOPBACK: Final = frozenset({b"127.0.0.1", b"localhost", b"[::1]"})
EVERY_ADDRESS: Final = frozenset({b"", b"0.0.0.0", b"[::]"})  # to bind to, never to ask for
HOST: Final = re.compile(rb"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")
SAME_SITE: Final = frozenset({b"same-origin", b"none"})

NOTHING: Final = b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
ALWAYS: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", NOTHING),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


class Guards:
    """The outermost ASGI application; `hosts` are names allowed beside those of loopback."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = LOOPBACK | (frozenset(map(_as_in_host, hosts)) - EVERY_ADDRESS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._guarded(scope, receive, _Answer(send))
            case "websocket":
                await send({"type": "websocket.close", "code": 1008})
            case _:
                await self._app(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        refused = refusal(scope["method"], by_name(scope["headers"]), self._hosts)
        if refused is not None:
            await refused(scope, receive, answer)
            return
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            await answer.fail(error, scope, receive)


def refusal(method: str, headers: Headers, hosts: Collection[bytes]) -> Response | None:
    """Why no handler may see this request; None: one may."""
    for passes, status, code, detail in CHECKS:
        if not passes(method, headers, hosts):
            return problem(status, code, detail, headers=MORE.get(status))
    return None


def _names_us(_: str, headers: Headers, hosts: Collection[bytes]) -> bool:
    given = headers.get(b"host", ())
    return len(given) == 1 and _name_in(given[0]) in hosts


@lru_cache(maxsize=64)  # each client sends the same one every time
def _name_in(host: bytes) -> bytes | None:
    found = HOST.fullmatch(host.lower())
    return found[1] if found else None


def _is_no_preflight(method: str, *_: object) -> bool:
    return method != "OPTIONS"


def _is_of_this_site(_: str, headers: Headers, __: object) -> bool:
    return SAME_SITE.issuperset(headers.get(b"sec-fetch-site", ()))


def _has_our_origin(_: str, headers: Headers, __: object) -> bool:
    given = headers.get(b"origin")
    if given is None:
        return True
    host = headers[b"host"][0].lower()
    return {b"http://" + host, b"https://" + host}.issuperset(value.lower() for value in given)


Check = Callable[[str, Headers, Collection[bytes]], bool]
CHECKS: Final[tuple[tuple[Check, int, str, str], ...]] = (
    (_names_us, 400, "host", "The Host header does not name this daemon."),
    (
        _is_no_preflight,
        405,
        "method_not_allowed",
        "OPTIONS is not answered: no other origin may do anything.",
    ),
    (_is_of_this_site, 403, "cross_site", "The request comes from a page of another site."),
    (_has_our_origin, 403, "cross_site", "The request comes from a page of another origin."),
)
MORE: Final = {405: {"Allow": "GET, POST"}}


def _as_in_host(name: str) -> bytes:
    lower = name.strip().lower().encode()
    return b"[%b]" % lower if b":" in lower and not lower.startswith(b"[") else lower


class _Answer:
    """Sends one answer, with the headers every answer has, and knows how far it got."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._started = self._complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            message = {**message, "headers": self._headers(message.get("headers", ()))}
        elif message["type"] == "http.response.body":
            self._complete = not message.get("more_body", False)
        await self._send(message)

    async def fail(self, error: Exception, scope: Scope, receive: Receive) -> None:
        """Answer 500 where nothing was answered; half an answer can only be broken off."""
        if self._complete:
            return
        if self._started:
            raise error
        await internal_error(error)(scope, receive, self)

    def _headers(self, given: RawHeaders) -> list[tuple[bytes, bytes]]:
        dropped, added = _changed(tuple([name for name, _ in given]))
        return [*[pair for pair in given if pair[0] not in dropped], *added]


@lru_cache(maxsize=64)  # answers name few different headers
def _changed(names: tuple[bytes, ...]) -> tuple[frozenset[bytes], RawHeaders]:
    """Of an answer with these headers the ones that go, and what is added."""
    lower = {name.lower() for name in names}
    dropped = frozenset(name for name in names if name.lower().startswith(b"access-control-"))
    return dropped, tuple(pair for pair in ALWAYS if pair[0] not in lower)
