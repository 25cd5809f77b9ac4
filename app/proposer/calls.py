"""What a call writes before and after it: pieces of work for the writer's thread.

    ask(...)         the entry of a call, before anything is sent; None where none is made
    conclude(...)    what its answer came to, under what is in force by then
    give_up(...)     the end of a call that was under way when floorboss stopped
    unwritten(...)   that a text for a person could not be written

How often a model was asked today is what the log says: the calls of a day have keys of their own,
numbered, and no key can be in the log twice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from app.domain.advice import Advice, Rejected
from app.domain.advised import Call, advised, asking, asks, refusing, unanswered
from app.domain.briefing import briefing
from app.domain.entries import Entry
from app.domain.events import Json
from app.domain.expiry import expired
from app.domain.transaction import Pending
from app.service.archive import Archive
from app.service.desk import Desk

STOPPED: Final = Rejected(why="stopped", detail="floorboss stopped before the model answered")
LOOKED_BACK: Final = 10_000  # entries in which a start looks for calls that nobody ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Who is asked, which models it may name, and how often a day, all sessions together."""

    provider: str
    model: str
    models: tuple[str, ...]
    calls_per_day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that may be made now: its entry, and what is sent."""

    entry: Entry
    question: str


def ask(means: Means, trip: Entry, desk: Desk, at: str) -> Asked | None:
    """Write that a model is asked because of `trip`; None: the session or the day is over."""
    if desk.load(trip.scope).ended:
        return None
    pending = desk.begin(at)
    for seq in unanswered(pending.book, trip.scope):
        pending = _stopped(pending, desk, seq)
    call = _next_call(desk, at[:10], means.calls_per_day)
    if call is None:
        desk.take(_spent(pending, desk, trip, means))
        return None
    sent: Json = briefing(pending.book, trip, means.models, desk.configuration)
    facts: dict[str, Json] = {
        "provider": means.provider,
        "model": means.model,
        "call": call,
        "of": means.calls_per_day,
        "sent": sent,
    }
    pending = pending.append(asking(trip, facts, _key(at[:10], call)))
    desk.take(pending)
    return Asked(entry=pending.last, question=json.dumps(sent))


def _next_call(desk: Desk, day: str, most: int) -> int | None:
    """The number of the next call of a day; None: there were as many as may be."""
    low, high = 1, most + 1
    while low < high:
        middle = (low + high) // 2
        if desk.find(_key(day, middle)) is None:
            high = middle
        else:
            low = middle + 1
    return low if low <= most else None


def _key(day: str, call: int | str) -> str:
    return f"proposer:{day}:{call}"


def _spent(pending: Pending, desk: Desk, trip: Entry, means: Means) -> Pending:
    """Say once a day that there are no more calls; the next trip of that day finds it said."""
    key = _key(pending.at[:10], "spent")
    if desk.find(key) is not None:
        return pending
    detail = f"the {means.calls_per_day} calls of this day are used up (proposer.calls_per_day)"
    rejected = Rejected(why="budget", detail=detail)
    draft = refusing(trip.scope, rejected, trip.seq, {}, key)
    return pending.append(draft)


def conclude(
    asked: Entry, answer: Advice | Rejected, took_ms: int, excerpt: str, desk: Desk, at: str
) -> tuple[Entry, ...]:
    """Write what an answer comes to now, and that the call is over."""
    desk.load(asked.scope)
    event = desk.get(asked.ref or 0)
    assert event is not None  # it was there before the call was
    call = Call(asked=asked, event=event, answer=answer, duration_ms=took_ms, excerpt=excerpt)
    pending = expired(desk.begin(at), asked.scope, desk.configuration)
    pending = advised(pending, call, desk.configuration)
    desk.take(pending)
    return pending.entries


def left_behind(archive: Archive) -> tuple[Entry, ...]:
    """The newest calls that were under way when floorboss was killed."""
    first = max(0, archive.head() - LOOKED_BACK)
    notices = archive.page(kind="applied", action="notice", after=first, limit=1_000)
    return tuple(
        entry
        for entry in notices
        if asks(entry.body)
        and not any(each.kind in ("ended", "reverted") for each in archive.referring_to(entry.seq))
    )


def give_up(asked: Entry, desk: Desk, at: str) -> None:
    """Write the end of a call that nobody will hear the answer of."""
    desk.load(asked.scope)
    if asked.seq in unanswered(desk.book, asked.scope):
        desk.take(_stopped(desk.begin(at), desk, asked.seq))


def _stopped(pending: Pending, desk: Desk, seq: int) -> Pending:
    asked = desk.get(seq)
    event = None if asked is None else desk.get(asked.ref or 0)
    if asked is None or event is None:
        return pending
    call = Call(asked=asked, event=event, answer=STOPPED, duration_ms=0)
    return advised(pending, call, desk.configuration)


def unwritten(entry: Entry, kind: str, detail: str, desk: Desk, at: str) -> None:
    """Write that the file of a text could not be made; the text stands in `entry`."""
    desk.load(entry.scope)
    rejected = Rejected(why="file", detail=detail, attempted=f"propose_{kind}")
    desk.take(desk.begin(at).append(refusing(entry.scope, rejected, entry.seq, {})))
