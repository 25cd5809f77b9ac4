"""One request to a model: to an address that was judged, and nothing that comes back is followed.

    look the host up once  ->  judge every address  ->  connect to the first that answers, by its
    number  ->  post  ->  read at most 64 KiB of an answer 200, as it comes

No redirect, no proxy and no credentials of the environment, no cookie, no compression, one deadline
for all of it. The certificate is checked for the host's name.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Final, TypeAlias

import httpx

from app.config.endpoint import Address, Endpoint, barred, bracketed
from app.domain.advice import Rejected
from app.domain.briefing import BRIEF
from app.harness import strict_json
from app.harness.base import Fault
from app.proposer.providers import Provider

LARGEST: Final = 64 * 1024  # bytes of an answer
ADDRESSES: Final = 3  # of one host that are tried
Resolve = Callable[[str, int], Awaitable[tuple[Address, ...]]]
Places: TypeAlias = Sequence[tuple[Any, ...]]  # as getaddrinfo has them


async def looked_up(host: str, port: int) -> tuple[Address, ...]:
    """The addresses of a host, as the system orders them.

    A look-up cannot be ended. It has a thread that an end of floorboss does not wait for, as it
    would for one of the loop's own.
    """
    told: Future[Places] = Future()
    threading.Thread(target=_look_up, args=(host, port, told), daemon=True).start()
    numbers = (str(place[0]).partition("%")[0] for *_, place in await asyncio.wrap_future(told))
    return tuple(map(ip_address, dict.fromkeys(numbers)))


def _look_up(host: str, port: int, told: Future[Places]) -> None:
    if not told.set_running_or_notify_cancel():
        return
    try:
        told.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError) as fault:
        told.set_exception(fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A model's server, and how it is asked."""

    provider: Provider
    endpoint: Endpoint
    private_hosts: tuple[str, ...]
    model: str
    key: str | None
    timeout: float  # seconds, for all of a call
    tls: ssl.SSLContext
    resolve: Resolve = field(default=looked_up)

    async def ask(self, question: str) -> str | Rejected:
        """The text of a model's answer, or why there is none."""
        try:
            async with asyncio.timeout(self.timeout):
                return await self._ask(question)
        except TimeoutError:
            seconds = f"{self.timeout:g} seconds"
            return Rejected(why="timeout", detail=f"the server did not answer within {seconds}")
        except (httpx.HTTPError, OSError, UnicodeError) as fault:
            return Rejected(why="unreachable", detail=f"no answer: {type(fault).__name__}")

    async def _ask(self, question: str) -> str | Rejected:
        addresses = await self.resolve(self.endpoint.host, self.endpoint.port)
        for address in addresses:
            why = barred(address, self.endpoint, self.private_hosts)
            if why is not None:
                return Rejected(why="address", detail=why)
        body = self.provider.request(self.model, BRIEF, question)
        content = json.dumps(body).encode()
        for address in addresses[:ADDRESSES]:
            try:
                return await self._posted(address, content)
            except httpx.ConnectError:
                continue  # nothing was sent
        return Rejected(why="unreachable", detail="nobody listens at the endpoint")

    async def _posted(self, address: Address, content: bytes) -> str | Rejected:
        place, there = bracketed(str(address)), self.endpoint
        async with (
            httpx.AsyncClient(verify=self.tls, trust_env=False, timeout=self.timeout) as client,
            client.stream(
                "POST",
                f"{there.scheme}://{place}:{there.port}{there.path}",
                content=content,
                headers=self._headers(),
                extensions={"sni_hostname": there.host},
                follow_redirects=False,
            ) as response,
        ):
            wrong = _refused(response)
            return wrong or self._text(await _read(response))

    def _headers(self) -> Mapping[str, str]:
        return {
            "Host": self.endpoint.place,
            "User-Agent": "floorboss",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
            **self.provider.headers(self.key),
        }

    def _text(self, body: bytes | Rejected) -> str | Rejected:
        if isinstance(body, Rejected):
            return body
        answer = strict_json.parse(body)
        if isinstance(answer, Fault):
            return Rejected(why="no_text", detail=f"the server's answer: {answer.detail}")
        return self.provider.text(answer)


def _refused(response: httpx.Response) -> Rejected | None:
    """Why the body of a response is not read."""
    status = response.status_code
    if 300 <= status < 400:
        return Rejected(why="redirect", detail=f"the server answered {status}; none is followed")
    if status != 200:
        return Rejected(why="status", detail=f"the server answered {status}")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        return Rejected(
            why="encoded", detail="the server compressed its answer without being asked"
        )
    return None


async def _read(response: httpx.Response) -> bytes | Rejected:
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > LARGEST:
            return Rejected(why="too_large", detail=f"the answer has more than {LARGEST} bytes")
    return bytes(content)
