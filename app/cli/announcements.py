"""What the operator's console prints: from entries and the book, by names and numbers only.

A proposal is what happened, what is in force, what a yes would change, and what to type:

    16:52:56 demo  5 applied: implementation -> plan: same failing call 3 times
             in force: mode plan, posture yolo (by 5)
             If you approve, this becomes freer:
               tools     no longer denied: editing tools; writing tools
             type  a 6  to approve the return plan -> implementation;
                   d 6  to leave things as they are
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.cli.layout import wrapped
from app.cli.rendering import headed, in_force
from app.cli.review import changes, others
from app.cli.settings_told import waiting_lines
from app.domain.configuration import Configuration
from app.domain.decisions import Verb, right_verb
from app.domain.entries import EVERYWHERE, Entry
from app.domain.evidence import evidence
from app.domain.expected_state import state_of
from app.domain.foresight import after
from app.domain.state import Book
from app.domain.summaries import summary
from app.domain.tables import plain, short
from app.domain.views import difference_between, in_force_view

NOTICES: Final = frozenset({"notice", "compact"})  # applied entries that only tell something
DECIDED_ON: Final = frozenset({"proposed", "applied"})  # what a person can decide about
SETTLING: Final = frozenset({"approved", "dismissed", "reverted", "ended", "applied"})
MOVING: Final = frozenset({"reverted", "ended"})  # the last entry of a decision elsewhere
INDENT: Final = " " * 9

Lookup = Callable[[int], Entry | None]  # the entry at one place, committed


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the person saw when a seq was printed last; a line they type decides for this."""

    state: str
    held: str  # the same in words


def shown(book: Book, scope: str, configuration: Configuration) -> Shown:
    """What is in force for a scope, to be printed and to be decided on."""
    view = in_force_view(book, scope, configuration)
    seqs = view["seqs"] if isinstance(view["seqs"], list) else []
    by = f" (by {', '.join(map(str, seqs))})" if seqs else ""
    return Shown(state=state_of(book, scope), held=f"{in_force(view)}{by}")


def verb(book: Book, entry: Entry, configuration: Configuration) -> Verb | None:
    """What a yes to a proposal is called now; None: it does not wait any more."""
    proposal = book.session(entry.scope).proposals.get(entry.seq)
    return None if proposal is None else right_verb(book, proposal, configuration)


def greeting(count: int) -> str:
    """The line for what waits since before a start."""
    if count == 1:
        return "1 proposal waits for a person: s shows it"
    return f"{count} proposals wait for a person: s shows them"


def proposal(
    book: Book, entry: Entry, configuration: Configuration, lookup: Lookup
) -> tuple[str, ...]:
    """The lines of a proposal that waits; in a marked one what a harness wrote for it."""
    cause = None if entry.ref is None else lookup(entry.ref)
    said = entry if cause is None or cause.kind != "applied" else cause
    yes = verb(book, entry, configuration)
    if yes is None:
        return (f"{_head(entry)}  {_said(entry)}", f"{INDENT}it does not wait any more")
    written = evidence(entry.actor, entry.body)
    return (
        *_now(book, said, configuration),
        *(f"{INDENT}{line}" for line in _settings(entry)),
        *_change(book, entry, yes, configuration),
        *_others(book, entry, configuration),
        *(wrapped(written, INDENT, f"{INDENT}| ") if written else ()),
        f"{INDENT}type  a {entry.seq}  to {yes} {_wish(entry)};",
        f"{INDENT}      d {entry.seq}  to leave things as they are",
    )


def _others(book: Book, entry: Entry, configuration: Configuration) -> Iterator[str]:
    mode = str(in_force_view(book, entry.scope, configuration)["mode"])
    return others({"action": entry.action, "body": entry.body}, mode, INDENT)


def _settings(entry: Entry) -> Iterator[str]:
    return waiting_lines(entry.body) if entry.action == "configuration" else iter(())


def applied(book: Book, entry: Entry, configuration: Configuration) -> tuple[str, ...]:
    """The lines of an applied entry that somebody wants to decide about."""
    return (
        *_now(book, entry, configuration),
        *_change(book, entry, "revert", configuration),
        f"{INDENT}type  r {entry.seq}  to take it back",
    )


def _now(book: Book, entry: Entry, configuration: Configuration) -> Iterator[str]:
    yield from wrapped(f"{_head(entry)}  {_said(entry)}", rest=INDENT)
    yield from wrapped(f"in force: {shown(book, entry.scope, configuration).held}", INDENT)


def _change(book: Book, entry: Entry, decided: Verb, configuration: Configuration) -> Iterator[str]:
    """What a decision would make freer and what stricter."""
    then = after(book, entry.scope, decided, entry.seq, configuration)
    found = difference_between(book, then, entry.scope, configuration)
    yield from changes(found, INDENT, decided)


def undecidable(entry: Entry) -> tuple[str, ...]:
    """The two lines of any other entry, about which nobody decides."""
    return (
        f"{_head(entry)}  {_said(entry)}",
        f"{INDENT}there is nothing to decide about it. Nothing was changed.",
    )


def told(entry: Entry, actor: str, seen: Callable[[int], bool]) -> Iterator[str]:
    """What a person at the console wants to know of another entry, and what is in force by it.

    A standing approval bears the name of who allowed it, and is used while nobody looks.
    """
    if entry.kind == "applied" and entry.action in NOTICES:
        yield from wrapped(f"{_head(entry)}  {_said(entry)}", rest=INDENT)
        words = evidence(entry.actor, entry.body)
        yield from wrapped(words, INDENT, f"{INDENT}| ") if words else ()
        return
    elsewhere = entry.actor != actor or "standing" in entry.body
    if entry.kind in SETTLING and elsewhere and entry.ref and seen(entry.ref):
        yield from wrapped(f"{_head(entry)}  {_said(entry)}, by {plain(entry.actor)}", rest=INDENT)
        held = entry.body.get("in_force")
        if entry.kind in MOVING and isinstance(held, Mapping):
            yield from wrapped(f"in force: {in_force(held)}", INDENT)


def outcome(
    entries: tuple[Entry, ...], book: Book, scope: str, configuration: Configuration
) -> Iterator[str]:
    """What a decision came to, what is in force afterwards, and how to take it back."""
    done = "; ".join(f"{entry.seq} {entry.kind}" for entry in entries) or "nothing new was written"
    now = shown(book, scope, configuration).held
    back = "".join(f".  r {e.seq}  takes it back" for e in entries if e.kind == "applied")
    return wrapped(f"{done}. In force for {_where(scope)}: {now}{back}", INDENT)


def _head(entry: Entry) -> str:
    where = _where(entry.scope) if entry.scope == EVERYWHERE else short(entry.scope)
    return f"{entry.at[11:19]} {where}"


def _where(scope: str) -> str:
    return "all sessions" if scope == EVERYWHERE else plain(scope)


def _said(entry: Entry) -> str:
    return f"{entry.seq} {headed(entry.kind, plain(summary(entry)))}"


def _wish(entry: Entry) -> str:
    """A return in words; any other proposal was told in the line above."""
    returns = "return" in entry.body
    return f"the {plain(summary(entry)).partition(' waits ')[0]}" if returns else "it"
