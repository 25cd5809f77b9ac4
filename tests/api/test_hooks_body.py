"""How a hook's body is put together: whole, or its start and why there is no more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from hashlib import sha256

import pytest
from starlette.types import Message, Receive

from app.api.hooks import CUT_OFF, Body, gathered
from app.harness.claude_code.reading import HEAD
from app.harness.tolerant_json import LARGEST, TOO_LARGE


def sends(*messages: Message) -> Receive:
    """A client that sends `messages`, each a little late, and then nothing more."""
    left = iter(messages)

    async def receive() -> Message:
        await asyncio.sleep(0.001)
        for message in left:
            return message
        return await asyncio.Future[Message]()

    return receive


def chunk(body: bytes, more: bool = True) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def digest(sent: Iterable[bytes]) -> str:
    return sha256(b"".join(sent)).hexdigest()[:16]


def test_a_body_in_pieces_is_whole() -> None:
    receive = sends(chunk(b"ab"), chunk(b""), chunk(b"c", more=False))
    assert asyncio.run(gathered(receive)) == Body(data=b"abc", digest=digest([b"abc"]))


def test_a_body_that_is_there_at_once_is_whole() -> None:
    async def receive() -> Message:
        return chunk(b"abc", more=False)

    assert asyncio.run(gathered(receive)) == Body(data=b"abc", digest=digest([b"abc"]))


@pytest.mark.parametrize(
    "last", [(), ({"type": "http.disconnect"},)], ids=["it stalls", "it hangs up"]
)
def test_of_a_body_without_end_the_start_is_kept(last: tuple[Message, ...]) -> None:
    taken = asyncio.run(gathered(sends(chunk(b"ab"), *last), seconds=0.1))
    assert taken == Body(data=b"ab", digest=digest([b"ab"]), fault=CUT_OFF)


@pytest.mark.parametrize("sizes", [(LARGEST + 1,), (100, LARGEST), (LARGEST, 1, 5_000)])
def test_of_a_body_that_is_too_large_the_start_is_kept(sizes: tuple[int, ...]) -> None:
    sent = [b"xyz"[at : at + 1] * size for at, size in enumerate(sizes)]
    taken = asyncio.run(gathered(sends(*map(chunk, sent), chunk(b"", more=False))))
    start = b"".join(sent)[:HEAD]
    assert taken == Body(data=start, digest=digest(sent), fault=TOO_LARGE)
