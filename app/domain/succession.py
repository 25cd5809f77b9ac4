"""A session that goes on under another id: a harness resumed, forked or compacted it.

    begins(session, draft)                  whether a report may be such a session's start
    inherited(book, entry, configuration)   what the session goes on with

No harness names the older session, so it is told by what a harness does say: a start whose source
is none of a new session, or a prompt of an unknown id where the session last heard of in the same
folder was resumed or compacted and did nothing since. Only what is stricter is carried over, and
each of it has its way back, so a session that is taken for an heir and is none costs one approval.
What was approved for a while covers nothing here: the heir has what lies beneath it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.domain.configuration import Configuration
from app.domain.entries import RESTRICTIONS, Action, Draft, Entry
from app.domain.observations import part_of, text_of
from app.domain.state import Book, Override, Session
from app.domain.tightening import tightening

GOES_ON: Final = frozenset({"fork", "resume", "compact"})  # sources of a start that is none


def begins(session: Session, draft: Draft) -> bool:
    """Whether a report is the first of its session, or the start of a fork that nothing touched."""
    if draft.kind != "observed":
        return False
    forked = draft.action == "session" and source_of(draft) == "fork" and not session.applied
    return forked or not session.last_seq


def inherited(book: Book, entry: Entry, configuration: Configuration) -> Iterator[Draft]:
    """The older session's restrictions, for the session that `entry` begins."""
    older = _older(book, book.session(entry.scope), entry)
    if older is None:
        return
    for action in RESTRICTIONS:
        override = _lasting(older, action)
        if override is None:
            continue
        evidence = {"because": override.body.get("because") or [], "from": override.seq}
        value, scope = override.value, entry.scope
        draft = tightening(book, entry, scope, action, value, evidence, configuration)
        if draft is not None:
            yield draft


def _lasting(session: Session, action: Action) -> Override | None:
    """What the session has for good: a loosening that was lent to it is not lent to its heir."""
    stack = session.overrides.get((session.id, action), ())
    return next((each for each in reversed(stack) if each.seq not in session.limited), None)


def _older(book: Book, heir: Session, entry: Entry) -> Session | None:
    """The session that goes on in this one, as far as it is at hand; None: this one is new."""
    if entry.scope != heir.id or heir.root is None or heir.binding is None:
        return None
    beside = (
        session
        for session in book.sessions.values()
        if session.root == heir.root and session.binding == heir.binding and session is not heir
    )
    last = max(beside, key=lambda session: session.last_seq, default=None)
    if text_of(entry.body, "kind") == "session_start":
        return last if source_of(entry) in GOES_ON else None
    awaited = last is not None and last.remind and not last.ended
    return last if awaited and entry.action == "prompt" else None


def source_of(entry: Entry | Draft) -> str | None:
    """What a harness says a session's start is; None where it says nothing."""
    return text_of(part_of(entry.body, "arguments"), "source")
