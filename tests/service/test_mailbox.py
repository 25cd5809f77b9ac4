"""Answers out of another thread: each to the one who waits, with one wake-up for many."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread
from typing import Any

import pytest

from app.service.mailbox import Mailbox


def answered(futures: list[Future[object]], answers: list[object]) -> None:
    """Answer in a thread that is not the loop's."""

    def work() -> None:
        for future, answer in zip(futures, answers, strict=True):
            if not future.set_running_or_notify_cancel():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    thread = Thread(target=work)
    thread.start()
    thread.join()


class CountedLoop(asyncio.SelectorEventLoop):
    """Counts how often another thread wakes it."""

    woken = 0

    def call_soon_threadsafe(self, *given: Any) -> asyncio.Handle:  # type: ignore[override]
        self.woken += 1
        return super().call_soon_threadsafe(*given)


def test_each_waiter_gets_its_own_answer_and_all_are_woken_at_once() -> None:
    async def work() -> list[object]:
        box = Mailbox(asyncio.get_running_loop())
        futures: list[Future[object]] = [Future() for _ in range(50)]
        waiting = [asyncio.ensure_future(box.receive(future)) for future in futures]
        await asyncio.sleep(0)
        answered(futures, [*range(50)])
        return list(await asyncio.gather(*waiting))

    with asyncio.Runner(loop_factory=CountedLoop) as runner:
        assert runner.run(work()) == list(range(50))
        loop = runner.get_loop()
        assert isinstance(loop, CountedLoop)
        assert loop.woken == 1


def test_what_comes_after_the_box_was_emptied_wakes_the_loop_again() -> None:
    async def work() -> list[object]:
        box, got = Mailbox(asyncio.get_running_loop()), list[object]()
        for number in range(3):
            future: Future[object] = Future()
            waiting = asyncio.ensure_future(box.receive(future))
            await asyncio.sleep(0)
            answered([future], [number])
            got.append(await waiting)
        return got

    assert asyncio.run(work()) == [0, 1, 2]


def test_an_answer_that_is_there_already_is_taken() -> None:
    async def work() -> object:
        future: Future[object] = Future()
        future.set_result("there")
        return await Mailbox(asyncio.get_running_loop()).receive(future)

    assert asyncio.run(work()) == "there"


def test_an_error_is_raised_where_it_was_waited_for() -> None:
    async def work() -> object:
        box = Mailbox(asyncio.get_running_loop())
        future: Future[object] = Future()
        waiting = asyncio.ensure_future(box.receive(future))
        await asyncio.sleep(0)
        answered([future], [KeyError("gone")])
        return await waiting

    with pytest.raises(KeyError, match="gone"):
        asyncio.run(work())


def test_who_stops_waiting_cancels_the_work_and_disturbs_nobody() -> None:
    async def work() -> tuple[bool, object]:
        box = Mailbox(asyncio.get_running_loop())
        left: Future[object] = Future()
        kept: Future[object] = Future()
        gone = asyncio.ensure_future(box.receive(left))
        waiting = asyncio.ensure_future(box.receive(kept))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        answered([left, kept], ["late", "kept"])
        return left.cancelled(), await waiting

    assert asyncio.run(work()) == (True, "kept")
