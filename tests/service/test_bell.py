"""The bell: no ring is missed, many are one, and nobody waits after the end."""

from __future__ import annotations

import asyncio
from threading import Thread

from app.domain.state import Book
from app.service.bell import Bell


def rung(bell: Bell, times: int = 1) -> None:
    def work() -> None:
        for _ in range(times):
            bell.ring(Book(), ())

    thread = Thread(target=work)
    thread.start()
    thread.join()


def test_a_ring_between_looking_and_waiting_is_not_missed() -> None:
    async def work() -> bool:
        bell = Bell()
        ahead = bell.next()
        rung(bell, times=3)
        return await ahead.wait()

    assert asyncio.run(work())


def test_everybody_who_waits_hears_it_and_the_next_ring_is_another_one() -> None:
    async def work() -> list[bool]:
        bell = Bell()
        first = [bell.next(), bell.next()]
        rung(bell)
        heard = [await each.wait() for each in first]
        return [*heard, bell.next().is_set()]

    assert asyncio.run(work()) == [True, True, False]


def test_a_bell_nobody_waits_for_may_ring_and_so_may_one_whose_loop_ended() -> None:
    async def wait() -> None:
        bell.next()

    bell = Bell()
    rung(bell)
    asyncio.run(wait())
    rung(bell)

    async def again() -> bool:
        ahead = bell.next()
        rung(bell)
        return await ahead.wait()

    assert asyncio.run(again())


def test_nobody_waits_after_the_end() -> None:
    async def work() -> list[bool]:
        bell = Bell()
        before = bell.next()
        bell.close()
        return [await before.wait(), await bell.next().wait(), bell.closed]

    assert asyncio.run(work()) == [True, True, True]
