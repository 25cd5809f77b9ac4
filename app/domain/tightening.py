"""A change that the machine makes by itself: only where it narrows what is in force.

tightening(book, entry, scope, action, value, evidence, configuration) -> Draft | None
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.bodies import value_body, was
from app.domain.configuration import Configuration
from app.domain.entries import MACHINE, Action, Draft, Entry
from app.domain.events import Json
from app.domain.narrowing import automatic
from app.domain.state import Book, Value, in_force, own_value, supposed


def tightening(
    book: Book,
    entry: Entry,
    scope: str,
    action: Action,
    value: Value,
    evidence: Mapping[str, Json],
    configuration: Configuration,
) -> Draft | None:
    """The change of one scope that follows from `entry`; None where it would not narrow."""
    own = own_value(book, scope, action, configuration)
    before = in_force(book, scope, configuration)
    after = in_force(supposed(book, scope, action, value), scope, configuration)
    if not automatic(own, value, before, after):
        return None
    return Draft(
        kind="applied",
        scope=scope,
        action=action,
        actor=MACHINE,
        direction="tighten",
        ref=entry.seq,
        body={
            **value_body(value),
            "was": was(own),
            **evidence,
            "configuration": configuration.digest,
        },
    )
