"""What the running daemon does for whoever asks: events in, verdicts, decisions, views.

Everything that writes goes through the writer's queue; everything that reads uses what is
committed. Answers are values; the ways in (HTTP, console) only translate them.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, TypeVar, cast

from app.classification.testtree import Trees
from app.domain import standing
from app.domain.configuration import Configuration
from app.domain.decisions import Command, Refusal, decide_entry, refused, settings_stay
from app.domain.entries import EVERYWHERE, Draft, Entry
from app.domain.expected_state import state_of
from app.domain.expiry import due, expired
from app.domain.proposing import Proposed, Unclear, Wish, propose
from app.domain.returns import settled
from app.domain.state import Book, Session
from app.domain.telling import awaits
from app.domain.transaction import Pending
from app.service.desk import Desk
from app.service.folding import Folding
from app.service.handover import Unfit, checked
from app.service.intake import Answer, Arrival, Conflict, check, event_key, receive
from app.service.looking import looked
from app.service.mailbox import Mailbox
from app.service.refusals import Refusals
from app.service.writer import Piece, Unavailable, Writer

SLICE = 100  # events of a request committed together, so that single events are not starved
SHARED = 25  # the same while other requests wait beside it
KEPT = frozenset({"wrong_verb", "state_changed"})  # refusals that become entries
VERDICT_WITHIN = 1.8  # seconds; what takes longer is answered as unlogged, within two
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A request that was stored whole."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """A request of which only the first `stored` events could be logged."""

    stored: int
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A decision that was carried out, or in a dry run would be."""

    scope: str
    entries: tuple[Entry, ...]
    before: Book  # as it was when it was decided
    book: Book  # as it is, or would be, afterwards
    state: str  # the state before, which a real run has to name
    seq: int = 0  # of the proposal, where there is one
    repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """An artifact that was stored: its entry, and what came of it."""

    answer: Answer
    entry: Entry
    next: str  # what happens with it now, in a sentence


HandedAnswer: TypeAlias = Handed | Unfit | Conflict | Unavailable
DecisionAnswer: TypeAlias = Decided | Refusal | Unclear | Unavailable


class Control:
    """The daemon's service: start it, ask it from one event loop, stop it."""

    def __init__(self, desk: Desk, writer: Writer, refusals: Refusals, folding: Folding) -> None:
        self._desk = desk
        self._folding = folding
        self.writer = writer
        self.refusals = refusals
        self._box: Mailbox | None = None
        self._trees = Trees()
        self._under_way = 0  # requests with events that are being stored
        self.written: Counter[str] = Counter()  # entries committed since the start, by kind
        self.attempts = 0  # answered with a verdict since the start
        self.blocked: Counter[str] = Counter()  # of them denied, by rule
        self.pressed = 0  # of those, where the agent was told to stop retrying

    @property
    def configuration(self) -> Configuration:
        """The configuration in force, as far as it is committed."""
        return self._desk.under(self.writer.book)

    def count(self, book: Book, entries: tuple[Entry, ...]) -> None:
        """Count what was committed, by kind, and the verdicts among it."""
        self.written.update(entry.kind for entry in entries)
        for entry in entries:
            if entry.kind == "decided" and entry.ref is None:
                self._judged(entry)

    def _judged(self, entry: Entry) -> None:
        self.attempts += 1
        if entry.body.get("verdict") == "deny":
            self.blocked[str(entry.body.get("rule"))] += 1
            self.pressed += "escalated" in entry.body

    def close(self) -> None:
        """Write the counts of refusals and what waits, then end the writer."""
        self._folding.close()
        self.writer.submit(lambda desk, at: self.refusals.flush(desk, at, everything=True))
        self.writer.stop()

    async def ingest(self, arrivals: Sequence[Arrival]) -> Stored | Conflict | CutOff:
        """Store the events of one request in order; nothing at all when one of them cannot be."""
        await self._folding.at_hand(arrival.event.session_id for arrival in arrivals)
        self._under_way += 1
        try:
            return await self._in_slices(await self.looked(arrivals))
        finally:
            self._under_way -= 1

    async def _in_slices(self, arrivals: Sequence[Arrival]) -> Stored | Conflict | CutOff:
        answers: list[Answer] = []
        while len(answers) < len(arrivals):
            start = len(answers)
            part = arrivals[start : start + (SLICE if self._under_way == 1 else SHARED)]
            left = len(arrivals) - start  # when a part cannot be logged, nothing behind it comes
            checked = arrivals if start == 0 else part  # another request may have come between
            result = await self.write(
                partial(_receive_all, part, checked), _with_hashes, events=left
            )
            match result:
                case Unavailable(cause=cause):
                    return CutOff(stored=start, cause=cause)
                case Conflict(index=index):
                    return replace(result, index=start + index, stored=start)
                case _:
                    answers.extend(result)
        return Stored(answers=tuple(answers))

    async def verdict(self, arrival: Arrival) -> Answer | Conflict | Unavailable:
        """The verdict on one attempt; unlogged after two seconds at the latest.

        Whoever was answered without the log is counted in the next gap entry (writer.py).
        """
        until = time.monotonic() + VERDICT_WITHIN
        if not await self._folding.at_hand((arrival.event.session_id,), VERDICT_WITHIN):
            self.writer.missed(verdicts=1)
            return Unavailable(cause="a long session is being read from it")
        work = self.write(partial(_receive_all, (arrival,), (arrival,)), _with_hashes, verdicts=1)
        try:
            result = await asyncio.wait_for(work, until - time.monotonic())
        except TimeoutError:
            return Unavailable(cause="the log did not answer in time")
        return result if isinstance(result, Conflict | Unavailable) else result[0]

    async def hand_over(self, arrival: Arrival) -> HandedAnswer:
        """Store what an agent hands over, where it is what is wanted; else say what would be."""
        await self._folding.at_hand((arrival.event.session_id,))
        return await self.write(partial(_hand_over, arrival), _handed_with_hashes, events=1)

    async def looked(self, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        """The arrivals, each test run among them with the test files as they are now."""
        return await looked(self._session, self._trees, arrivals)

    async def _session(self, name: str) -> Session | None:
        """A session as it is; None where its past cannot be read."""
        found = await self.session(name)
        return None if isinstance(found, Unavailable) else found[1]

    async def at_hand(self, scope: str, within: float | None = None) -> bool:
        """Wait until the session of `scope` can be used at once; False: it takes longer."""
        return await self._folding.at_hand((scope,), within)

    async def command(self, command: Command, *, dry_run: bool = False) -> DecisionAnswer:
        """Carry out a person's decision about one entry, or say what it would do."""
        await self._folding.entry_at_hand(command.seq)
        return await self.write(
            lambda desk, at: self._command(desk, at, command, dry_run),
            _decided_with_hashes,
            reads=dry_run,
        )

    async def wish(self, wish: Wish, *, dry_run: bool = False) -> DecisionAnswer:
        """Write a proposal, and decide it when the person said so."""
        await self._folding.at_hand((wish.scope,))
        return await self.write(
            lambda desk, at: self._wish(desk, at, wish, dry_run),
            _decided_with_hashes,
            reads=dry_run,
        )

    async def refuse(self, draft: Draft) -> None:
        """Keep an attempt that was not allowed in the log; identical ones are counted."""
        await self._folding.at_hand((draft.scope,))
        await self.write(lambda desk, at: self.refusals.write(desk, at, draft))

    async def flush(self) -> None:
        """Write the counts of refusals whose minute is over, and what the log could not take."""
        if self.refusals.due(self.refusals.now()) or self.writer.lost:
            await self.write(lambda desk, at: self.refusals.flush(desk, at))
        for scope in self._due():
            await self.write(partial(_end_due, scope))

    def _due(self) -> list[str]:
        """The sessions at hand with a limit that is over; others are looked at when needed."""
        book, at = self.writer.book, self.writer.now()
        names = [EVERYWHERE, *(name for name, each in book.sessions.items() if each.limited)]
        return [name for name in names if due(book, name, at)]

    async def session(self, scope: str) -> tuple[Book, Session] | Unavailable:
        """The book, and the session of `scope` folded into it."""
        book = self.writer.book
        session = book.session(scope)
        if not session.last_seq and scope != EVERYWHERE:
            await self._folding.at_hand((scope,))
            looked = await self.write(lambda desk, at: desk.look(scope), reads=True)
            if isinstance(looked, Unavailable):
                return looked
            book, session = looked
        if not due(book, scope, self.writer.now()):
            return book, session
        ended = await self.write(partial(_end_due, scope))
        return (book, session) if isinstance(ended, Unavailable) else ended

    async def write(
        self,
        run: Callable[[Desk, str], Result],
        finish: Callable[[Result, Mapping[int, Entry]], Result] = lambda result, _: result,
        *,
        events: int = 0,
        verdicts: int = 0,
        reads: bool = False,
    ) -> Result | Unavailable:
        """Have one piece of work done by the writer; the answer comes when it is durable."""
        told = await self._mailbox().receive(
            lambda ticket: self.writer.put(Piece(run, finish, ticket, events, verdicts, reads))
        )
        return cast("Result | Unavailable", told)

    def _mailbox(self) -> Mailbox:
        loop = asyncio.get_running_loop()
        if self._box is None or self._box.loop is not loop:
            self._box = Mailbox(loop)
        return self._box

    def _command(self, desk: Desk, at: str, command: Command, dry_run: bool) -> DecisionAnswer:
        entry = desk.get(command.seq)
        if entry is None:
            return Refusal(
                why="unknown_seq",
                detail=f"{command.seq}: the log has no such entry",
                scope=EVERYWHERE,
                action="notice",
                seq=0,
            )
        if command.verb == "revert" and entry.kind == "configured":
            return settings_stay(command)
        before = _begun(desk, at, entry.scope)
        asked = command
        if dry_run and command.expected_state is None:
            asked = replace(command, expected_state=state_of(before.book, entry.scope))
        answer = decide_entry(before, entry.scope, asked, desk.configuration)
        if isinstance(answer, Refusal):
            if not dry_run:
                desk.take(before)
                self._keep(desk, at, answer, command.actor, command.verb)
            return answer
        if not dry_run:
            desk.take(answer)
        return Decided(
            scope=entry.scope,
            entries=answer.entries,
            before=before.book,
            book=answer.book,
            state=state_of(before.book, entry.scope),
        )

    def _keep(self, desk: Desk, at: str, refusal: Refusal, actor: str, attempted: str) -> None:
        """Keep a refusal in the log: what somebody tried against the rules or a newer state."""
        if refusal.why in KEPT:
            self.refusals.write(desk, at, refused(refusal, actor, attempted))

    def _wish(self, desk: Desk, at: str, wish: Wish, dry_run: bool) -> DecisionAnswer:
        before = _begun(desk, at, wish.scope)
        asked = wish
        if dry_run and wish.expected_state is None:
            asked = replace(wish, expected_state=state_of(before.book, wish.scope))
        answer = propose(before, asked, desk.configuration)
        match answer:
            case Unclear():
                return answer
            case Refusal():
                if not dry_run:
                    desk.take(before)
                    self._keep(desk, at, answer, wish.actor, "propose")
                return answer
            case Proposed():
                if not dry_run:
                    desk.take(answer.pending)
                return Decided(
                    scope=wish.scope,
                    entries=answer.pending.entries,
                    before=before.book,
                    book=answer.pending.book,
                    state=state_of(before.book, wish.scope),
                    seq=answer.seq,
                    repeated=answer.repeated,
                )


def _begun(desk: Desk, at: str, scope: str) -> Pending:
    """A transaction for a decision; other settings may have made proposals void since."""
    desk.load(scope)
    pending = expired(desk.begin(at), scope, desk.configuration)
    return settled(pending, scope, desk.configuration)


def _end_due(scope: str, desk: Desk, at: str) -> tuple[Book, Session]:
    """Write the ends of what held for a while and is over."""
    desk.take(_begun(desk, at, scope))
    return desk.look(scope)


def _receive_all(
    part: Sequence[Arrival], checked: Sequence[Arrival], desk: Desk, at: str
) -> tuple[Answer, ...] | Conflict:
    conflict = check(desk, checked)
    if conflict is not None:
        return conflict
    return tuple(receive(desk, arrival, at) for arrival in part)


def _hand_over(arrival: Arrival, desk: Desk, at: str) -> Handed | Unfit | Conflict:
    key = event_key(arrival.event)
    repeated = key is not None and desk.find(key) is not None  # what was wanted then may not be now
    refused = check(desk, (arrival,)) or (None if repeated else checked(desk, arrival.event))
    if refused is not None:
        return refused
    answer = receive(desk, arrival, at)
    entry = desk.get(answer.seq)
    assert entry is not None  # it was just written, or is the one that was found
    used = next((each for each in answer.fired if each.kind == "approved"), None)
    outlook = standing.outlook(desk.book, entry, desk.configuration)
    return Handed(answer=answer, entry=entry, next=awaits(entry, outlook, used))


def _handed_with_hashes(
    result: Handed | Unfit | Conflict, entries: Mapping[int, Entry]
) -> Handed | Unfit | Conflict:
    if not isinstance(result, Handed):
        return result
    fired = _hashed(result.answer.fired, entries)
    return replace(result, answer=replace(result.answer, fired=fired))


def _with_hashes(
    result: tuple[Answer, ...] | Conflict, entries: Mapping[int, Entry]
) -> tuple[Answer, ...] | Conflict:
    if isinstance(result, Conflict):
        return result
    return tuple(
        replace(answer, fired=_hashed(answer.fired, entries)) if answer.fired else answer
        for answer in result
    )


def _decided_with_hashes(result: DecisionAnswer, entries: Mapping[int, Entry]) -> DecisionAnswer:
    if not isinstance(result, Decided):
        return result
    return replace(result, entries=_hashed(result.entries, entries))


def _hashed(made: tuple[Entry, ...], committed: Mapping[int, Entry]) -> tuple[Entry, ...]:
    return tuple(committed.get(entry.seq, entry) for entry in made)
