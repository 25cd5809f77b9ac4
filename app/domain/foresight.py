"""What a yes to a proposal would lead to, found by saying it to a book that is then forgotten."""

from __future__ import annotations

from typing import Final

from app.domain.configuration import Configuration
from app.domain.decisions import Command, Refusal, decide_entry, right_verb
from app.domain.entries import MACHINE
from app.domain.expected_state import state_of
from app.domain.state import Book, Proposal
from app.domain.transaction import Pending

NEVER: Final = "1970-01-01T00:00:00.000Z"  # the time of entries that nobody writes


def foreseen(book: Book, proposal: Proposal, configuration: Configuration) -> Book:
    """The book as a yes to an open proposal would leave it."""
    command = Command(
        verb=right_verb(book, proposal, configuration),
        seq=proposal.seq,
        actor=MACHINE,
        expected_state=state_of(book, proposal.scope),
    )
    pending = Pending(book=book, at=NEVER)
    answer = decide_entry(pending, proposal.scope, command, configuration)
    return book if isinstance(answer, Refusal) else answer.book
