"""What a person decides: apply, approve, revert, dismiss, propose. Refusals are values.

    a proposal that tightens or changes nothing   apply     -> applied
    a proposal that loosens                       approve   -> approved, applied
    a return                                      approve   -> approved, reverted
    settings that wait                            approve   -> approved, configured
    an applied entry                              revert    -> reverted
    any proposal                                  dismiss   -> dismissed

A loosening may hold for a while (limits.py). A way back approved with a limit takes nothing off: it
puts what lies beneath in force on top, so that the tightening is there again afterwards.

The direction is judged now, under what is in force now, never read from the proposal; the person
says which state they saw, and any other state refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from app.domain import reconfiguration
from app.domain.bodies import agreed, carried, held_names, value_body, was
from app.domain.configuration import Configuration
from app.domain.differences import difference, difference_view
from app.domain.entries import EVERYWHERE, MACHINE, RESTRICTIONS, Action, Direction, Draft, Kind
from app.domain.events import Json
from app.domain.expected_state import state_of
from app.domain.limits import Limit, limit_json, limit_of
from app.domain.narrowing import direction, whole
from app.domain.replacing import replace
from app.domain.returns import beneath, settled
from app.domain.state import Book, Override, Proposal, Value, in_force, newest, own_value
from app.domain.transaction import Pending

Verb = Literal["apply", "approve", "revert", "dismiss"]
Why = Literal[
    "unknown_seq",
    "not_a_proposal",
    "not_applied",
    "wrong_verb",
    "state_missing",
    "state_changed",
    "already_decided",
    "void",
    "no_limit",
    "wrong_role",
    "session_bound",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A decision that was not taken: why, in a sentence, and what to do instead."""

    why: Why
    detail: str
    scope: str
    action: Action
    seq: int
    state: str = ""  # the state now, for whoever decides again
    freer: Json = None  # what would have become freer; None: nothing, or it was not about that


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One decision of one person about one entry."""

    verb: Verb
    seq: int
    actor: str
    expected_state: str | None = None
    reason: str = ""
    limit: Limit | None = None  # None: the one that was proposed, if any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """The entry a command is about, and what becomes of it when the person says yes."""

    scope: str
    action: Action
    drafts: tuple[Draft, ...]
    change: tuple[Value, Value] | None = None  # of its scope's own value; None: it stays


def decide_entry(
    pending: Pending, scope: str, command: Command, configuration: Configuration
) -> Pending | Refusal:
    """Carry out one command about an entry of the session of `scope`, or say why not."""
    subject = _subject(pending.book, scope, command, configuration)
    if isinstance(subject, Refusal):
        return subject
    stale = _stale(pending.book, subject, command)
    if stale is not None:
        return stale
    after = _written(pending, subject).book
    configuration = after.configuration(configuration)
    held = held_names(in_force(after, subject.scope, configuration))
    pending = _written(pending, subject, {"in_force": held})
    return settled(pending, subject.scope, configuration)


def _written(
    pending: Pending, subject: _Subject, outcome: Mapping[str, Json] | None = None
) -> Pending:
    """The entries of a decision; those that are no applied one say what `outcome` it has."""
    for draft in subject.drafts:
        ref = draft.ref if draft.ref is not None else pending.last.seq
        body = draft.body if draft.kind == "applied" else {**draft.body, **(outcome or {})}
        pending = pending.append(replace(draft, ref=ref, body=body))
    return pending


def _subject(
    book: Book, scope: str, command: Command, configuration: Configuration
) -> _Subject | Refusal:
    if command.limit is not None and command.verb != "approve":
        text = "only an approved loosening can hold for a while; this was not approved"
        return _refusal(command, scope, "mode", "no_limit", text)
    if command.verb == "revert":
        return _applied_subject(book, scope, command, configuration)
    proposal = _open_proposal(book, scope, command)
    if isinstance(proposal, Refusal):
        return proposal
    if command.verb == "dismiss":
        return _Subject(
            scope=proposal.scope,
            action=proposal.action,
            drafts=(_decision(proposal, "dismissed", command),),
        )
    return _yes(book, proposal, command, configuration)


def _open_proposal(book: Book, scope: str, command: Command) -> Proposal | Refusal:
    session = book.session(scope)
    proposal = session.proposals.get(command.seq)
    if proposal is not None:
        return proposal
    match session.settled.get(command.seq):
        case None:
            return _refusal(command, scope, "mode", "not_a_proposal", "it is not a proposal")
        case "ended":
            return _refusal(
                command, scope, "mode", "void", "the proposal is void: things have changed since"
            )
        case how:
            return _refusal(command, scope, "mode", "already_decided", f"it was {how} already")


def _refusal(command: Command, scope: str, action: Action, why: Why, text: str) -> Refusal:
    return Refusal(
        why=why, detail=f"{command.seq}: {text}", scope=scope, action=action, seq=command.seq
    )


def _yes(
    book: Book, proposal: Proposal, command: Command, configuration: Configuration
) -> _Subject | Refusal:
    """What a yes writes; the wrong verb is refused by the name of the right one."""
    now = judged(book, proposal, configuration)
    right = right_verb(book, proposal, configuration)
    change = (
        own_value(book, proposal.scope, proposal.action, configuration),
        proposal.value,
    )
    if command.verb != right:
        word = "loosens" if right == "approve" else "does not loosen"
        return replace(
            _refusal(
                command,
                proposal.scope,
                proposal.action,
                "wrong_verb",
                f"this change {word}: use {right} {proposal.seq}",
            ),
            state=state_of(book, proposal.scope),
            freer=freed(change),
        )
    limit = _limit(proposal, command)
    if limit is not None and now == "loosen":
        why = _endless(book, proposal, limit, configuration)
        if why is not None:
            return _refusal(command, proposal.scope, proposal.action, "no_limit", why)
    return _Subject(
        scope=proposal.scope,
        action=proposal.action,
        drafts=tuple(_consequences(book, proposal, command, now, configuration)),
        change=change,
    )


def _endless(
    book: Book, proposal: Proposal, limit: Limit, configuration: Configuration
) -> str | None:
    """Why a limit on a yes would never take effect; None: it would."""
    if proposal.action == "configuration":
        return "settings hold until the file changes; a limit is for a mode or a policy"
    return no_end(book, proposal.scope, proposal.action, proposal.value, limit, configuration)


def freed(change: tuple[Value, Value] | None) -> Json:
    """What a change of one value frees, whatever else is in force; None: nothing."""
    if change is None:
        return None
    found = difference(*map(whole, change))
    return difference_view(found)["freer"] if any(item.freer for item in found) else None


def right_verb(book: Book, proposal: Proposal, configuration: Configuration) -> Verb:
    """What a yes to a proposal is called now: a loosening, and every return, is approved."""
    loosens = judged(book, proposal, configuration) == "loosen"
    return "approve" if loosens or proposal.returns is not None else "apply"


def judged(book: Book, proposal: Proposal, configuration: Configuration) -> Direction:
    """The direction a proposal has under what its own scope has now; settings wait as freer."""
    if proposal.action == "configuration":
        return "loosen"
    own = own_value(book, proposal.scope, proposal.action, configuration)
    return direction(own, proposal.value)


def _consequences(
    book: Book,
    proposal: Proposal,
    command: Command,
    now: Direction,
    configuration: Configuration,
) -> list[Draft]:
    if proposal.action == "configuration":
        settings = reconfiguration.approved(book, proposal, command.actor, command.reason)
        return [_decision(proposal, "approved", command), settings]
    limit = _limit(proposal, command)
    if proposal.returns is not None and limit is None:
        approved = _decision(proposal, "approved", command)
        taken_back = _reverted(proposal.scope, proposal.action, now, proposal.returns, command)
        return [approved, replace(taken_back, body={**taken_back.body, "approved": proposal.seq})]
    applied = Draft(
        kind="applied",
        scope=proposal.scope,
        action=proposal.action,
        actor=command.actor,
        direction=now,
        ref=proposal.seq if now != "loosen" else None,  # None: the approved entry before it
        body={
            **value_body(proposal.value),
            **carried(proposal.action, proposal.body),
            "was": was(own_value(book, proposal.scope, proposal.action, configuration)),
            "because": agreed(proposal.body),
            **({"why": command.reason} if command.reason else {}),
            **({"limit": limit_json(limit)} if limit and now == "loosen" else {}),
        },
    )
    return [_decision(proposal, "approved", command), applied] if now == "loosen" else [applied]


def _limit(proposal: Proposal, command: Command) -> Limit | None:
    return command.limit or limit_of(proposal.body.get("limit"))


def no_end(
    book: Book,
    scope: str,
    action: Action,
    value: Value,
    limit: Limit,
    configuration: Configuration,
) -> str | None:
    """Why a value could not hold for a while only; None where it can.

    A loosening that is stricter in some call as well cannot: its end would free that call.
    """
    own = own_value(book, scope, action, configuration)
    if direction(own, value) != "loosen":
        return "this does not loosen, and only a loosening can hold for a while"
    if direction(value, own) == "loosen":
        return "it is stricter for some calls too, and its end would free those"
    if scope == EVERYWHERE and limit.kind != "minutes":
        return "for all sessions only minutes can be counted"
    if scope == EVERYWHERE and newest(book.everywhere, scope, action) is None:
        return (
            "nothing is applied to all sessions that could come back afterwards; "
            f"propose and apply a {action} for * first"
        )
    return None


def _decision(proposal: Proposal, kind: Kind, command: Command) -> Draft:
    return Draft(
        kind=kind,
        scope=proposal.scope,
        action=proposal.action,
        actor=command.actor,
        ref=proposal.seq,
        body={"why": command.reason} if command.reason else {},
    )


def _reverted(scope: str, action: Action, now: Direction, ref: int, command: Command) -> Draft:
    return Draft(
        kind="reverted",
        scope=scope,
        action=action,
        actor=command.actor,
        direction=now,
        ref=ref,
        body={"why": command.reason} if command.reason else {},
    )


def _applied_subject(
    book: Book, scope: str, command: Command, configuration: Configuration
) -> _Subject | Refusal:
    session = book.session(scope)
    override = session.applied.get(command.seq)
    if override is None:
        return _refusal(command, scope, "mode", "not_applied", "it is not an applied entry")
    how = session.undone.get(command.seq)
    if how is not None:
        return _refusal(
            command, override.scope, override.action, "already_decided", f"it was {how} already"
        )
    now = revert_direction(book, override, configuration)
    draft = _reverted(override.scope, override.action, now, override.seq, command)
    return _Subject(
        scope=override.scope,
        action=override.action,
        drafts=(draft,),
        change=_taken_back(book, override, configuration),
    )


def settings_stay(command: Command) -> Refusal:
    """Settings are not reverted: the file says what is wanted, and the log would only disagree."""
    text = (
        "it holds settings, and settings are not reverted: write the ones you want into"
        " floorboss.toml and restart; what frees a call waits for your approval"
    )
    return _refusal(command, EVERYWHERE, "configuration", "not_applied", text)


def revert_direction(book: Book, override: Override, configuration: Configuration) -> Direction:
    """What taking an applied entry back does: nothing, unless it is the newest of its action."""
    change = _taken_back(book, override, configuration)
    return "neutral" if change is None else direction(*change)


def _taken_back(
    book: Book, override: Override, configuration: Configuration
) -> tuple[Value, Value] | None:
    stack = book.session(override.scope).overrides.get((override.scope, override.action), ())
    if override.action not in RESTRICTIONS or not stack or stack[-1].seq != override.seq:
        return None
    return override.value, beneath(stack, override.action, configuration)


def _stale(book: Book, subject: _Subject, command: Command) -> Refusal | None:
    if command.verb == "dismiss":
        return None
    now = state_of(book, subject.scope)
    if command.expected_state == now:
        return None
    missing = command.expected_state is None
    text = (
        "say which state you saw: expected_state stands in overrides, dry runs and proposals"
        if missing
        else "what is in force changed since that state was shown; look again"
    )
    refusal = _refusal(
        command,
        subject.scope,
        subject.action,
        "state_missing" if missing else "state_changed",
        text,
    )
    return replace(refusal, state=now, freer=None if missing else freed(subject.change))


def refused(refusal: Refusal, command_actor: str, attempted: str) -> Draft:
    """The entry that keeps a refusal in the log."""
    return Draft(
        kind="refused",
        scope=refusal.scope,
        action=refusal.action,
        actor=MACHINE,
        ref=refusal.seq or None,
        body={
            "why": refusal.why,
            "detail": refusal.detail,
            "attempted": attempted,
            "by": command_actor,
            **({"freer": refusal.freer} if refusal.freer else {}),
        },
    )
