"""What a call to the model comes to, as entries; decided under what is in force when it answers.

    asking(...)    the call itself, before anything is sent: an applied notice
    refusing(...)  a call that is not made
    advised(...)   what its answer comes to, then the end of that notice

    compact switch_model                  proposed, and wait for a person
    tighten_policy abort                  applied with their way back if they narrow, else refused
    warn_user                             a notice
    propose_instruction propose_skill     a notice, and the name of a file to be written
    noop                                  nothing but the end

All of them are the machine's, and `proposer` in the body tells them from what rules decide. A
change starts no cooldown and no latch: the rules go on as if nobody had been asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, assert_never

from app.domain.advice import (
    Abort,
    Advice,
    Compact,
    Noop,
    ProposeInstruction,
    ProposeSkill,
    Rejected,
    SwitchModel,
    TightenPolicy,
    WarnUser,
)
from app.domain.bodies import held_names
from app.domain.configuration import POSTURES, Configuration
from app.domain.decisions import freed
from app.domain.entries import MACHINE, Action, Draft, Entry, session_of
from app.domain.events import Json
from app.domain.modes import Malformed
from app.domain.narrowing import Widened, narrow
from app.domain.observations import part_of, text_of
from app.domain.proposals import crowded
from app.domain.reasons import quoted
from app.domain.replacing import replace
from app.domain.restrictions import Policy, changed, policy_json
from app.domain.returns import end, settled
from app.domain.state import Book, in_force, newest, own_value
from app.domain.tightening import tightening
from app.domain.transaction import Pending

BY: Final = "proposer"  # who attempted what was refused, and the cause of what was not
ADVISORY_AFTER: Final = 2  # reverts by a person of what it tightened, in one session
EXCERPT: Final = 500  # characters of an answer that led nowhere, kept for whoever wonders why
KEYS: Final = "model", "reason", "text", "title"  # of an advice, as it is kept
WORDS: Final[Mapping[type[Advice], str]] = {
    Compact: "compact",
    SwitchModel: "switch_model",
    TightenPolicy: "tighten_policy",
    Abort: "abort",
    WarnUser: "warn_user",
    Noop: "noop",
    ProposeInstruction: "propose_instruction",
    ProposeSkill: "propose_skill",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call to the model that is over: its entry, the event behind it, what it answered."""

    asked: Entry
    event: Entry
    answer: Advice | Rejected
    duration_ms: int
    excerpt: str = ""  # of the text that was answered


def asking(trip: Entry, facts: Mapping[str, Json], key: str) -> Draft:
    """The call about to be made because of `trip`; `facts` say which model, and what it is sent."""
    model, call, of = text_of(facts, "model") or "", facts.get("call"), facts.get("of")
    return Draft(
        kind="applied",
        scope=trip.scope,
        action="notice",
        actor=MACHINE,
        ref=trip.ref,
        dedup_key=key,
        body={
            "notice": f"model {quoted(model)} is asked what to add, call {call} of {of} today",
            BY: {"after": trip.seq, **facts},
        },
    )


def unanswered(book: Book, scope: str) -> tuple[int, ...]:
    """The calls of a session that nobody ended: floorboss was stopped before they were over."""
    session = book.session(scope)
    return tuple(
        sorted(
            override.seq
            for override in session.applied.values()
            if override.seq not in session.undone and asks(override.body)
        )
    )


def asks(body: Mapping[str, Json]) -> bool:
    """Whether an applied entry says that a model is being asked."""
    return "sent" in part_of(body, BY)


def refusing(
    scope: str,
    rejected: Rejected,
    ref: int | None,
    more: Mapping[str, Json],
    key: str | None = None,
) -> Draft:
    """A call, or what it asked for, that led nowhere."""
    return Draft(
        kind="refused",
        scope=scope,
        action=_ACTIONS.get(rejected.attempted, "notice"),
        actor=MACHINE,
        ref=ref,
        dedup_key=key,
        body={
            "why": rejected.why,
            "detail": rejected.detail,
            "attempted": rejected.attempted,
            "by": BY,
            **({"freer": rejected.freer} if rejected.freer else {}),
            **more,
        },
    )


_ACTIONS: Final[Mapping[str, Action]] = {
    "compact": "compact",
    "switch_model": "model",
    "tighten_policy": "policy",
    "abort": "policy",
}


def advised(pending: Pending, call: Call, configuration: Configuration) -> Pending:
    """Append what a call came to, and its end."""
    asked, head = call.asked, pending.book.head
    over = _over(pending.book, asked)
    found = over or (
        call.answer
        if isinstance(call.answer, Rejected)
        else _drafts(pending.book, call, call.answer, configuration)
    )
    if isinstance(found, Rejected):
        excerpt = {"answer": call.excerpt[:EXCERPT]} if call.excerpt else {}
        more: dict[str, Json] = {**excerpt, "duration_ms": call.duration_ms}
        pending = pending.append(refusing(asked.scope, found, asked.seq, more))
    else:
        pending = pending.append(*found)
    if asked.seq not in pending.book.session(asked.scope).undone:
        seqs = [*range(head + 1, pending.book.head + 1)]
        pending = pending.append(_ended(pending.book, call, found, seqs, configuration))
    return settled(pending, asked.scope, configuration)


def _over(book: Book, asked: Entry) -> Rejected | None:
    """Why nobody wants to know any more what a call would come to."""
    session = book.session(asked.scope)
    if session.ended:
        return Rejected(why="session_ended", detail="the session ended before the model answered")
    if asked.seq in session.undone:
        return Rejected(why="taken_back", detail=f"a person took {asked.seq} back before")
    return None


def _ended(
    book: Book,
    call: Call,
    found: tuple[Draft, ...] | Rejected,
    seqs: list[Json],
    configuration: Configuration,
) -> Draft:
    asked = call.asked
    if isinstance(found, Rejected):
        why = f"the model's answer led nowhere ({found.why})"
    else:
        why = f"the model answered {_word(call.answer)}"
    held = held_names(in_force(book, asked.scope, configuration))
    draft = end(asked.scope, "notice", asked.seq, why, held)
    said: Json = {"answer": _word(call.answer), "came_to": seqs}
    return replace(draft, body={**draft.body, BY: said, "duration_ms": call.duration_ms})


def _word(answer: Advice | Rejected) -> str:
    return answer.attempted if isinstance(answer, Rejected) else WORDS[type(answer)]


def _drafts(
    book: Book, call: Call, advice: Advice, configuration: Configuration
) -> tuple[Draft, ...] | Rejected:
    match advice:
        case Noop():
            return ()
        case WarnUser():
            said = f"a model's warning for you: floorboss show {book.head + 1}"
            return (_notice(call, advice, said),)
        case ProposeInstruction():
            return (_file(book, call, advice, "instruction"),)
        case ProposeSkill():
            return (_file(book, call, advice, "skill"),)
        case Compact():
            return _compact(book, call, advice, configuration)
        case SwitchModel():
            return _switch(book, call, advice, configuration)
        case TightenPolicy():
            return _policy(book, call, advice, call.asked.scope, configuration)
        case Abort():
            return _policy(book, call, advice, session_of(call.asked.scope), configuration)
        case _:
            assert_never(advice)


def _said(call: Call, advice: Advice, **more: Json) -> dict[str, Json]:
    """What an entry says of the call behind it, and the model's own words, as data."""
    facts = part_of(call.asked.body, BY)
    kept: dict[str, Json] = {
        key: value for key, value in asdict(advice).items() if key in KEYS and value
    }
    return {
        BY: {"asked": call.asked.seq, "answer": _word(advice), "model": facts.get("model"), **more},
        "because": [{"rule": BY, "detail": _detail(call, advice)}],
        **({"advice": kept} if kept else {}),
    }


def _detail(call: Call, advice: Advice) -> str:
    model = text_of(part_of(call.asked.body, BY), "model") or ""
    return f"model {quoted(model)} answered {_word(advice)} when asked in {call.asked.seq}"


def _notice(call: Call, advice: Advice, notice: str, **more: Json) -> Draft:
    return Draft(
        kind="applied",
        scope=call.asked.scope,
        action="notice",
        actor=MACHINE,
        ref=call.event.seq,
        body={"notice": notice, **_said(call, advice, **more)},
    )


def _file(book: Book, call: Call, advice: Advice, kind: str) -> Draft:
    """A text for a person, in a file that is named after its entry."""
    name = f"{book.head + 1}-{kind}"
    text = f"a model proposes a text for you, {kind} {name} in the proposals folder"
    return _notice(call, advice, text, file=name)


def _waiting(
    book: Book, call: Call, advice: Advice, action: Action, more: Mapping[str, Json]
) -> Draft | Rejected:
    scope = call.asked.scope
    if crowded(book.session(scope), scope):
        detail = "as many proposals wait for this scope as may; dismiss one first"
        return Rejected(why="crowded", detail=detail, attempted=_word(advice))
    return Draft(
        kind="proposed",
        scope=scope,
        action=action,
        actor=MACHINE,
        ref=call.event.seq,
        body={**more, **_said(call, advice)},
    )


def _open(book: Book, scope: str, action: Action) -> int | None:
    """The open proposal of an action that restricts nothing; there is one at the most."""
    for seq, proposal in sorted(book.session(scope).proposals.items()):
        if (proposal.scope, proposal.action) == (scope, action):
            return seq
    return None


def _compact(
    book: Book, call: Call, advice: Compact, configuration: Configuration
) -> tuple[Draft, ...] | Rejected:
    scope = call.asked.scope
    signal = newest(book.session(scope), scope, "compact")
    seq = signal.seq if signal is not None else _open(book, scope, "compact")
    if seq is not None:
        return Rejected(
            why="changes_nothing",
            detail=f"{seq} asks for a compaction already",
            attempted="compact",
        )
    notice: dict[str, Json] = {"notice": "a model proposes to compact the context"}
    draft = _waiting(book, call, advice, "compact", notice)
    return draft if isinstance(draft, Rejected) else (draft,)


def _switch(
    book: Book, call: Call, advice: SwitchModel, configuration: Configuration
) -> tuple[Draft, ...] | Rejected:
    """One proposal of a model at the most: a newer one ends the older."""
    scope = call.asked.scope
    seq, held = _open(book, scope, "model"), newest(book.session(scope), scope, "model")
    waiting = None if seq is None else book.session(scope).proposals[seq].body
    for body in (waiting, None if held is None else held.body):
        if body is not None and body.get("model") == advice.model:
            detail = "this model waits for a person, or is in force, already"
            return Rejected(why="changes_nothing", detail=detail, attempted="switch_model")
    over: tuple[Draft, ...] = ()
    if seq is not None:
        names = held_names(in_force(book, scope, configuration))
        over = (end(scope, "model", seq, "another model is proposed", names),)
    named = _waiting(book, call, advice, "model", {"model": advice.model})
    if isinstance(named, Rejected) and seq is None:
        return named
    return named if isinstance(named, Rejected) else (*over, named)


def _policy(
    book: Book,
    call: Call,
    advice: TightenPolicy | Abort,
    scope: str,
    configuration: Configuration,
) -> tuple[Draft, ...] | Rejected:
    """The stricter policy of a scope: only where it frees no call and closes one."""
    word = _word(advice)
    if book.session(scope).taken_back.get(BY, 0) >= ADVISORY_AFTER:
        detail = "a person took back what it tightened, twice in this session"
        return Rejected(why="advisory", detail=detail, attempted=word)
    own = own_value(book, scope, "policy", configuration)
    assert isinstance(own, Policy)
    value = _stricter(own, advice)
    if isinstance(value, Malformed):
        return Rejected(why="fields", detail=value.detail, attempted=word)
    narrowed = narrow(own, value)
    if isinstance(narrowed, Widened):
        freer = freed((own, value))
        return Rejected(why="freer", detail=_freer(narrowed), attempted=word, freer=freer)
    evidence: dict[str, Json] = {**_said(call, advice), "handoff": {}}
    draft = tightening(book, call.event, scope, "policy", narrowed, evidence, configuration)
    if draft is None:
        detail = "no call would be answered more strictly than it is"
        return Rejected(why="changes_nothing", detail=detail, attempted=word)
    return (draft,)


def _stricter(own: Policy, advice: TightenPolicy | Abort) -> Policy | Malformed:
    """The whole value that is asked for: verdicts and denials are added, the others replaced."""
    if isinstance(advice, Abort):
        return replace(own, posture=POSTURES[-1])
    said, named = advice.policy, advice.named
    denials = (each for each in said.shell_denials if each not in own.shell_denials)
    value = replace(
        own,
        posture=said.posture if "posture" in named else own.posture,
        verdicts=own.verdicts.update(said.verdicts),
        shell_denials=(*own.shell_denials, *denials),
        write_paths=said.write_paths if "write_paths" in named else own.write_paths,
    )
    return changed(Policy(), policy_json(value))  # the lists may be too long together


def _freer(widened: Widened) -> str:
    if widened.why == "adds_write_pattern":
        return "it adds a write pattern; a machine may only take some away"
    return (
        f"a call of class {widened.call.tool_class} would become freer:"
        f" {widened.before} -> {widened.after}"
    )
