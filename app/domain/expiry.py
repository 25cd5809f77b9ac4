"""The end of what was approved for a while: always by narrowing, never into something freer.

    expired(pending, scope, configuration)   append the ends of what is due
    due(book, scope, at)                     whether anything is

A limited entry that is no longer the newest ends all the same and never returns. Where its end
would make a call freer it does not end: the limit is void, and a notice says so.
"""

from __future__ import annotations

from app.domain.bodies import held_names
from app.domain.configuration import Configuration
from app.domain.entries import EVERYWHERE, MACHINE, Direction, Draft, place
from app.domain.evolve import evolve
from app.domain.limits import Running, is_over, over_because, worded
from app.domain.narrowing import direction
from app.domain.replacing import replace
from app.domain.returns import beneath, end
from app.domain.state import Book, Override, Session, in_force, scopes_above
from app.domain.transaction import Pending


def expired(pending: Pending, scope: str, configuration: Configuration) -> Pending:
    """Append the end of each limited entry of the session, and of `*`, that is over."""
    for name in (EVERYWHERE, scope):
        session = pending.book.session(name)
        if not session.limited:
            continue
        for seq, running in sorted(session.limited.items()):
            if is_over(running, pending.at, ended=session.ended):
                override = pending.book.session(name).applied[seq]
                pending = pending.append(_over(pending.book, override, running, configuration))
    return pending


def due(book: Book, scope: str, at: str) -> bool:
    """Whether a limit of the session of `scope`, or of `*`, is over and its end not written."""
    sessions = (book.everywhere, book.session(scope))
    return any(session.limited and _any_over(session, at) for session in sessions)


def _any_over(session: Session, at: str) -> bool:
    return any(is_over(each, at, ended=session.ended) for each in session.limited.values())


def _over(book: Book, override: Override, running: Running, configuration: Configuration) -> Draft:
    """The end of one entry, or the notice that its limit is void."""
    draft = end(override.scope, override.action, override.seq, over_because(running.limit), {})
    after = evolve(book, place(draft, book.head + 1, ""))
    towards = _direction(book, after, override, configuration)
    if towards == "loosen":
        return _void(override, running)
    held = held_names(in_force(after, override.scope, configuration))
    return replace(draft, direction=towards, body={**draft.body, "in_force": held})


def _direction(
    book: Book, after: Book, override: Override, configuration: Configuration
) -> Direction:
    """What an end does: to the value its own scope has, and to all that judges a call there."""
    stack = book.session(override.scope).overrides[(override.scope, override.action)]
    if stack[-1].seq != override.seq:
        return "neutral"
    if override.scope == EVERYWHERE and len(stack) == 1:
        return "loosen"  # some session may have less beneath than this entry has
    own = direction(override.value, beneath(stack, override.action, configuration))
    judged = [
        direction(in_force(book, scope, configuration), in_force(after, scope, configuration))
        for scope in _judged_by(book, override)
    ]
    return "loosen" if "loosen" in judged else own


def _judged_by(book: Book, override: Override) -> set[str]:
    """The scopes, at hand and with entries of their own, whose calls an entry judges.

    Of an agent's entry these are the agents that it started as well.
    """
    session = book.session(override.scope)
    own = {scope for scope, _ in session.overrides}
    return {override.scope, *(s for s in own if override.scope in scopes_above(session, s))}


def _void(override: Override, running: Running) -> Draft:
    text = (
        f"the limit of {override.seq} ({worded(running.limit)}) is void: ending it would make "
        f"calls freer. It stays in force until a person reverts {override.seq}"
    )
    return Draft(
        kind="applied",
        scope=override.scope,
        action="notice",
        actor=MACHINE,
        ref=override.seq,
        body={"notice": text, "void": "limit"},
    )
