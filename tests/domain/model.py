"""A model that answers what a test says: calls to it, in a log in memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from app.domain.advice import Advice, Rejected, parsed
from app.domain.advised import Call, advised, asking
from app.domain.briefing import briefing, trips
from app.domain.entries import Entry
from app.domain.events import Json
from app.domain.transaction import Pending
from tests.domain.floor import Floor

MODELS = ("small", "large")
FACTS: dict[str, Json] = {"model": "watcher", "call": 1, "of": 50}


def trip_of(entries: Collection[Entry]) -> Entry:
    """The entry among these that says that a check tripped."""
    return next(entry for entry in entries if trips(entry))


def tripped(floor: Floor, scope: str = "s", identity: str = "make") -> Entry:
    """A check trips: the same failing call three times."""
    return trip_of(floor.failing(identity, 3, scope))


def asked(floor: Floor, trip: Entry) -> Entry:
    """The model is asked because of this; the entry that says so."""
    sent: Json = briefing(floor.book, trip, MODELS, floor.configuration)
    draft = asking(trip, {**FACTS, "sent": sent}, f"proposer:{len(floor.log)}")
    return floor.take(Pending(book=floor.book, at=floor.at).append(draft))[0]


def answered(floor: Floor, question: Entry, value: Any) -> tuple[Entry, ...]:
    """The model answers this value; what came of it."""
    return came_to(floor, question, parsed(value, MODELS))


def came_to(floor: Floor, question: Entry, answer: Advice | Rejected) -> tuple[Entry, ...]:
    """What this answer comes to now."""
    event = floor.entry(question.ref or 0)
    call = Call(asked=question, event=event, answer=answer, duration_ms=12, excerpt="{}")
    pending = Pending(book=floor.book, at=floor.at)
    return floor.take(advised(pending, call, floor.configuration))


def advice(floor: Floor, value: Any, scope: str = "s") -> tuple[Entry, ...]:
    """A check trips, the model is asked and answers this at once."""
    return answered(floor, asked(floor, tripped(floor, scope)), value)
