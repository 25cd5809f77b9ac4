"""Answers out of another thread: each to the one who waits, with one wake-up for many."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import Any

import pytest

from app.service.mailbox import Mailbox, Ticket


def answered(tickets: list[Ticket], answers: list[object]) -> None:
    """Answer in a thread that is not the loop's."""

    def work() -> None:
        for ticket, answer in zip(tickets, answers, strict=True):
            if ticket.claim():
                ticket.tell(answer)

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
        box, tickets = Mailbox(asyncio.get_running_loop()), list[Ticket]()
        waiting = [asyncio.ensure_future(box.receive(tickets.append)) for _ in range(50)]
        await asyncio.sleep(0)
        answered(tickets, [*range(50)])
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
            tickets: list[Ticket] = []
            waiting = asyncio.ensure_future(box.receive(tickets.append))
            await asyncio.sleep(0)
            answered(tickets, [number])
            got.append(await waiting)
        return got

    assert asyncio.run(work()) == [0, 1, 2]


def test_an_answer_given_at_once_is_taken() -> None:
    async def work() -> object:
        box = Mailbox(asyncio.get_running_loop())
        return await box.receive(lambda ticket: ticket.tell("there"))

    assert asyncio.run(work()) == "there"


def test_an_error_is_raised_where_it_was_waited_for() -> None:
    async def work() -> object:
        box, tickets = Mailbox(asyncio.get_running_loop()), list[Ticket]()
        waiting = asyncio.ensure_future(box.receive(tickets.append))
        await asyncio.sleep(0)
        answered(tickets, [KeyError("gone")])
        return await waiting

    with pytest.raises(KeyError, match="gone"):
        asyncio.run(work())


def test_who_stops_waiting_cancels_the_work_and_disturbs_nobody() -> None:
    async def work() -> tuple[list[bool], object]:
        box, tickets = Mailbox(asyncio.get_running_loop()), list[Ticket]()
        gone = asyncio.ensure_future(box.receive(tickets.append))
        waiting = asyncio.ensure_future(box.receive(tickets.append))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        answered(tickets, ["late", "kept"])
        return [ticket.cancelled() for ticket in tickets], await waiting

    assert asyncio.run(work()) == ([True, False], "kept")


def test_who_stops_waiting_after_the_answer_was_claimed_has_not_cancelled_it() -> None:
    async def work() -> tuple[bool, bool, bool]:
        box, tickets = Mailbox(asyncio.get_running_loop()), list[Ticket]()
        gone = asyncio.ensure_future(box.receive(tickets.append))
        await asyncio.sleep(0)
        claimed = tickets[0].claim()
        gone.cancel()
        await asyncio.sleep(0)
        tickets[0].tell("late")
        await asyncio.sleep(0)
        return claimed, tickets[0].cancelled(), gone.cancelled()

    assert asyncio.run(work()) == (True, False, True)
