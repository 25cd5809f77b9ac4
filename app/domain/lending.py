"""The fold of what was approved for a while: since when it runs, and what was used of it.

lent(session, entry)              an applied entry holds for a while, or a notice voids its limit
taken(session, seq)               an applied entry is over, however it ended
passed(session, entry, earlier)   a call was let through; `earlier`: what was said of it before
begun(session)                    the session starts: what was lent until it ends is over
"""

from __future__ import annotations

from app.domain.entries import Entry
from app.domain.limits import Running, let_through, limit_of
from app.domain.replacing import replace
from app.domain.state import Attempt, Taking, scopes_above


def lent(session: Taking, entry: Entry) -> None:
    """An applied entry holds for a while; or a notice says that the limit of one is void."""
    limit = limit_of(entry.body.get("limit"))
    if limit is not None:
        running = Running(limit=limit, scope=entry.scope, since=entry.at)
        session.limited = session.limited.set(entry.seq, running)
    elif entry.body.get("void") == "limit" and entry.ref is not None:
        taken(session, entry.ref)


def taken(session: Taking, seq: int) -> None:
    """An applied entry is over, or stays for good: nothing of it runs any more."""
    if seq in session.limited:
        session.limited = session.limited.delete(seq)


def passed(session: Taking, entry: Entry, earlier: Attempt | None) -> None:
    """A call that nothing stood against counts for the limits of its scope and those above.

    One that was refused and is asked again passes now; one that had passed is no further call.
    """
    again = entry.ref is not None and earlier is not None and earlier.verdict == "none"
    if again or not session.limited:
        return
    levels = scopes_above(session, entry.scope)
    for seq, running in session.limited.items():
        if running.scope in levels:
            session.limited = session.limited.set(seq, let_through(running))


def begun(session: Taking) -> None:
    """A session that starts has ended before, also where nobody told."""
    for seq, running in session.limited.items():
        session.limited = session.limited.set(seq, replace(running, restarted=True))
