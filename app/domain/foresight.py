"""What a yes to a proposal would lead to, found by saying it to a book that is then forgotten."""

from __future__ import annotations

from typing import Final

from app.domain.configuration import Configuration
from app.domain.decisions import Command, Refusal, Verb, decide_entry, right_verb
from app.domain.entries import MACHINE
from app.domain.expected_state import state_of
from app.domain.state import Book, Proposal
from app.domain.transaction import Pending

NEVER: Final = "1970-01-01T00:00:00.000Z"  # the time of entries that nobody writes


def foreseen(book: Book, proposal: Proposal, configuration: Configuration) -> Book:
    """The book as a yes to an open proposal would leave it."""
    verb = right_verb(book, proposal, configuration)
    return after(book, proposal.scope, verb, proposal.seq, configuration)


def after(book: Book, scope: str, verb: Verb, seq: int, configuration: Configuration) -> Book:
    """The book as one decision would leave it; the same book where it would be refused."""
    command = Command(verb=verb, seq=seq, actor=MACHINE, expected_state=state_of(book, scope))
    answer = decide_entry(Pending(book=book, at=NEVER), scope, command, configuration)
    return book if isinstance(answer, Refusal) else answer.book
