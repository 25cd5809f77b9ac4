"""A wish for a change: by an agent that asks, by a person who wants something on purpose.

It takes effect only by apply or approve; a person may propose and decide in one call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.domain.bodies import value_body, was
from app.domain.configuration import Configuration
from app.domain.decisions import Command, Refusal, decide_entry, no_end, right_verb
from app.domain.entries import EVERYWHERE, Draft
from app.domain.events import Json
from app.domain.expected_state import state_of
from app.domain.limits import Limit, limit_json
from app.domain.modes import Malformed, Mode
from app.domain.narrowing import direction
from app.domain.proposals import crowded, open_twin
from app.domain.replacing import replace
from app.domain.restrictions import Policy, changed
from app.domain.returns import beneath, settled
from app.domain.state import Book, Proposal, newest, own_value
from app.domain.transaction import Pending

SESSION = 128  # characters of a session id


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants for a scope, and whether they decide it at once."""

    scope: str
    action: Literal["mode", "policy"]
    value: Mapping[str, Json]
    reason: str
    actor: str
    decide: bool = False
    expected_state: str | None = None
    limit: Limit | None = None  # only of a loosening; None: for good


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """A wish that names nothing that exists: what was expected, in a sentence."""

    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """Where the wish stands now: its proposal, old or new, and what was written for it."""

    pending: Pending
    seq: int
    repeated: bool = False


Wanted: TypeAlias = Mode | Policy | int  # int: the tightening that a return takes back
Answer: TypeAlias = Proposed | Refusal | Unclear


def propose(pending: Pending, wish: Wish, configuration: Configuration) -> Answer:
    """Write one wish as a proposal, or name the open one it repeats; decide it if asked to."""
    wanted = _misplaced(wish.scope) or _wanted(pending.book, wish, configuration)
    if isinstance(wanted, Unclear):
        return wanted
    endless = _endless(pending.book, wish, wanted, configuration)
    if endless is not None:
        return endless
    session = pending.book.session(wish.scope)
    twin = _open(pending.book, wish, wanted)
    if twin is not None and _unlimited(twin, wish):
        detail = f"limit: {twin.seq} asks for the same without it; approve {twin.seq} with this one"
        return Unclear(detail=detail)
    if twin is not None:
        return _decided(Proposed(pending=pending, seq=twin.seq, repeated=True), wish, configuration)
    if not wish.decide and crowded(session, wish.scope):
        return Unclear(detail="as many proposals wait for this scope as may; dismiss one first")
    pending = pending.append(_draft(pending.book, wish, wanted, configuration))
    return _decided(Proposed(pending=pending, seq=pending.last.seq), wish, configuration)


def _misplaced(scope: str) -> Unclear | None:
    """What is wrong with a scope; one that no entry can be read back from is refused."""
    session, slash, agent = scope.partition("/")
    if not scope.isprintable() or not 1 <= len(session) <= SESSION or (slash and not agent):
        return Unclear(detail=f"scope: a session of 1 to {SESSION} characters, or session/agent")
    if slash and session == EVERYWHERE:
        return Unclear(detail="scope: all sessions have no agents")
    return None


def _wanted(book: Book, wish: Wish, configuration: Configuration) -> Wanted | Unclear:
    """The whole resulting value of a wish; a policy may be given by its differences."""
    if "return" in wish.value:
        tightening = newest(book.session(wish.scope), wish.scope, wish.action)
        if tightening is None:
            return Unclear(detail=f"nothing is in force for {wish.action} in this scope")
        if wish.value not in ({"return": True}, {"return": tightening.seq}):
            return Unclear(detail=f'value: expected {{"return": {tightening.seq}}}, the newest')
        return tightening.seq
    if wish.action == "mode":
        mode = configuration.modes.get(str(wish.value.get("mode")))
        names = ", ".join(sorted(configuration.modes))
        return mode or Unclear(detail=f'value: expected {{"mode": one of {names}}}')
    own = own_value(book, wish.scope, "policy", configuration)
    assert isinstance(own, Policy)
    policy = changed(own, wish.value)
    if isinstance(policy, Malformed):
        return Unclear(detail=policy.detail)
    return _unknown_rule(own, policy, configuration) or policy


def _unknown_rule(own: Policy, policy: Policy, configuration: Configuration) -> Unclear | None:
    """What is wrong where a soft rule is to be lifted that the settings do not have."""
    names = {rule.name for rule in configuration.soft}
    for lifted in policy.lifted:
        name = lifted.partition(":")[0]
        if lifted not in own.lifted and name not in names:
            known = ", ".join(sorted(names)) or "none"
            return Unclear(detail=f'lifted: there is no soft rule "{name}"; there are: {known}')
    return None


def _open(book: Book, wish: Wish, wanted: Wanted) -> Proposal | None:
    session = book.session(wish.scope)
    if not isinstance(wanted, int):
        return open_twin(session, wish.scope, wish.action, wanted)
    for _, proposal in sorted(session.proposals.items()):
        if proposal.returns == wanted:
            return proposal
    return None


def _unlimited(twin: Proposal, wish: Wish) -> bool:
    """Whether the limit of a wish would be lost in the open proposal that it repeats."""
    wanted = None if wish.limit is None else limit_json(wish.limit)
    return wanted is not None and not wish.decide and twin.body.get("limit") != wanted


def _draft(book: Book, wish: Wish, wanted: Wanted, configuration: Configuration) -> Draft:
    own = own_value(book, wish.scope, wish.action, configuration)
    if isinstance(wanted, int):
        value, extra = _beneath(book, wish, configuration), {"return": wanted}
    else:
        value, extra = wanted, {}
    return Draft(
        kind="proposed",
        scope=wish.scope,
        action=wish.action,
        actor=wish.actor,
        direction=direction(own, value),
        ref=wanted if isinstance(wanted, int) else None,
        body={
            **value_body(value),
            **extra,
            "was": was(own),
            "because": [{"rule": "person"}],
            "why": wish.reason,
            "state": state_of(book, wish.scope),
            **({"limit": limit_json(wish.limit)} if wish.limit else {}),
        },
    )


def _endless(
    book: Book, wish: Wish, wanted: Wanted, configuration: Configuration
) -> Unclear | None:
    """Why what is wanted cannot hold for a while only; None where it can, or shall for good."""
    if wish.limit is None:
        return None
    value = _beneath(book, wish, configuration) if isinstance(wanted, int) else wanted
    why = no_end(book, wish.scope, wish.action, value, wish.limit, configuration)
    return Unclear(detail=f"limit: {why}") if why else None


def _beneath(book: Book, wish: Wish, configuration: Configuration) -> Mode | Policy:
    stack = book.session(wish.scope).overrides[(wish.scope, wish.action)]
    return beneath(stack, wish.action, configuration)


def _decided(proposed: Proposed, wish: Wish, configuration: Configuration) -> Answer:
    """Decide a person's own wish at once; a loosening only for the state they saw."""
    if not wish.decide:
        return replace(proposed, pending=settled(proposed.pending, wish.scope, configuration))
    book = proposed.pending.book
    proposal = book.session(wish.scope).proposals[proposed.seq]
    verb = right_verb(book, proposal, configuration)
    command = Command(
        verb=verb,
        seq=proposed.seq,
        actor=wish.actor,
        expected_state=wish.expected_state if verb == "approve" else state_of(book, wish.scope),
        reason=wish.reason,
        limit=wish.limit if verb == "approve" else None,
    )
    answer = decide_entry(proposed.pending, wish.scope, command, configuration)
    if isinstance(answer, Refusal):
        return answer if proposed.repeated else replace(answer, seq=0)  # 0: nothing was written
    return replace(proposed, pending=answer)
