"""The feed tells everyone who listens, in order, what was committed."""

from __future__ import annotations

from app.domain.entries import Entry
from app.domain.state import Book
from app.service.feed import Feed


def test_each_listener_hears_every_group_from_then_on() -> None:
    feed, first, second = Feed(), list[int](), list[int]()
    feed.listen(lambda book, entries: first.append(len(entries)))
    feed.publish(Book(), ())
    feed.listen(lambda book, entries: second.append(book.head))
    entry = Entry(seq=1, at="", kind="gap", scope="*", action="notice", actor="machine")
    feed.publish(Book(head=1), (entry,))
    assert (first, second) == ([0, 1], [1])
