"""One stream's counters, as one frozen value: what an agent did in a session, and nothing decided.

    Stream            one per session and agent; every fold of signals.py makes the next one
    Counting          the same while one entry is counted: the only one that can be written to
    Recent, Repeat, Failing, Reds, Slot, Block, Escalation
                      what single counters remember
    Latch, Cause      which comparison fired, and what an entry says about it

No number here depends on configuration: a threshold enters only with the entry that says it
tripped, so the same log gives the same stream under any configuration. What is made with every
call is a named tuple: made in a third of the time of a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from immutables import Map

from app.domain.calls import Pace
from app.domain.events import Outcome
from app.domain.lru import Lru
from app.domain.replacing import frozen, replace, thawed, wide

RECENT = 10  # calls that a handoff looks back on
EVIDENCE = 10  # seqs kept behind one counter, the newest ones
SEEN = 4096  # answers remembered (docs/detection.md 2.13)
REPEAT_WITHIN = 20  # calls; an identity not seen for longer starts again
IDENTITIES = 2 * REPEAT_WITHIN  # beyond that, those that would start again are let go
TARGETS = 256
STATES = 512  # edits and mutating calls remembered since the last prompt by a person
PATHS = 256
NAME_SETS = 16  # sets of failing names remembered for one test target
LATCHES = 64
VOTES = 256  # calls of one batch that are told apart
SOFT_RULES = 32  # whose draws are remembered
DRAWS = 100  # of one soft rule, the longest window

_tuple = tuple.__new__  # what a named tuple's own constructor calls, at a third of its price
Touch = tuple[str, str]  # (rule, key): a comparison whose evidence the last event added to


class Recent(NamedTuple):
    """What is kept of a whole call: for a handoff, and for checks that ask about the last one."""

    seq: int
    tool: str
    outcome: Outcome
    path: str | None
    failed: bool
    pace: Pace


class Repeat(NamedTuple):
    """How often one identity brought nothing new, the first answer included."""

    times: int
    call: int  # number of the call that was counted last
    since_ms: int  # when the first of them came
    at_ms: int  # when the last of them came
    seqs: tuple[int, ...]
    failed: bool = False  # how all of them ended
    watches: bool = False  # a poll, or a call whose answer changed by itself


class Failing(NamedTuple):
    """Failures of one thing in a row, and the calls behind them."""

    times: int = 0
    seqs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reds:
    """Red runs of one test target since the last progress."""

    count: float = 0
    best: int | None = None  # the lowest failed count; None: no count is known
    names: tuple[str, ...] = ()  # failing names of the last run
    known: tuple[tuple[str, ...], ...] = ()  # sets of failing names seen before
    digest: str | None = None  # of the last run's text
    seqs: tuple[int, ...] = ()


class Slot(NamedTuple):
    """One call's place in a window: its weight there, and what it is compared by."""

    seq: int
    weight: float = 0.0
    key: str = ""
    marks: tuple[str, ...] = ()


class Block(NamedTuple):
    """One intervention: the call's number, the rule or message, and which call it hit."""

    call: int
    seq: int
    key: str
    identity: str
    targets: tuple[str, ...] = ()  # the paths the call was about
    step: str = ""  # what the step is called since its first block: the rule and what it hit
    row: int = 1  # blocks of this step in a row, this one included
    ours: bool = False  # by a verdict of ours, or by a person's no to our question
    escalated: bool = False  # its reason told the agent to stop retrying


class Escalation(NamedTuple):
    """A step that was blocked again and needs an answer by a person."""

    seq: int  # the decided entry that told the agent so
    tool: str
    block: Block  # that one
    further: int = 0  # calls blocked since, of whatever step, in this turn
    ended: bool = False  # the turn was ended for it


class Latch(NamedTuple):
    """A comparison that fired; it stays quiet until it has not held for a few calls."""

    threshold: float
    advice: bool  # fired as advice only: a change of mode may still follow
    seq: int  # the entry that says so
    quiet: int = 0  # calls in a row in which it did not hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What an entry says about one comparison that tripped; `target` is None for advice."""

    rule: str
    key: str
    threshold: float
    target: str | None = None
    value: float = 0.0
    seqs: tuple[int, ...] = ()
    agent: str = ""


NO_FAILURE: Final = Failing()
_SEEN: Final = Lru[int](limit=SEEN)
_STATES: Final = Lru[bool](limit=STATES)
_FAILED_EDITS: Final = Lru[Failing](limit=PATHS)
_REDS: Final = Lru[Reds](limit=TARGETS)
_DRAWS: Final = Lru[tuple[bool, ...]](limit=SOFT_RULES)
_NAMES: Final = Lru[Failing](limit=TARGETS)


@wide
class Stream:
    """The counters of one (session, agent)."""

    calls: int = 0  # calls that counted, blocked and denied ones included
    recent: tuple[Recent, ...] = ()
    touched: tuple[Touch, ...] = ()  # by the last event; nothing else can trip after it
    batch: str | None = None  # the response whose calls are coming in
    votes: frozenset[str] = frozenset()  # identities already counted in it
    batch_denied: bool = False

    seen: Lru[int] = _SEEN  # answer -> compactions before it was learnt, or REGAINED
    generation: int = 0  # compactions so far
    changes: int = 0  # changes of state so far
    edits: Lru[bool] = _STATES  # edits that were applied
    done: Lru[bool] = _STATES  # mutating calls that ran

    repeats: Mapping[str, Repeat] = field(default_factory=dict)  # by identity
    stale: tuple[Slot, ...] = ()  # last 16 counted calls since the last change
    idle: Failing = NO_FAILURE  # calls in a row without anything new
    kicked: int = 0  # the latest call that changed something, or would have if it were the first
    errors: tuple[Slot, ...] = ()  # error identities of the last 20 counted calls

    failed_edits: Lru[Failing] = _FAILED_EDITS
    targets: Lru[Reds] = _REDS
    failing_names: Lru[Failing] = _NAMES

    denials: tuple[Slot, ...] = ()  # last 20 calls that were not blocked; weight 1 = denied
    timeouts: tuple[Slot, ...] = ()  # last 10 calls that are no polls; weight 1 = timed out
    rates: tuple[Slot, ...] = ()  # last 10 counted calls; weight 1 = succeeded

    clean: Failing = NO_FAILURE  # distinct clean calls in a row
    clean_ids: tuple[str, ...] = ()
    error_streak: Failing = NO_FAILURE

    asks: bool = False  # the harness asks for verdicts
    attempts: int = 0
    interventions: int = 0
    blocked_then_blocked: int = 0
    terminal: bool = False  # two blocks of one step were seen
    after_terminal: int = 0  # calls since then
    blocks: tuple[Block, ...] = ()  # within the last 10 calls, since the last change
    escalations: int = 0  # steps whose agent was told to stop retrying
    escalation: Escalation | None = None  # the latest of them, until it is over
    draws: Lru[tuple[bool, ...]] = _DRAWS  # of each soft rule: which were induced (governor.py)
    shadow_until: int = 0  # the last call under the shadow of a block of ours
    cooldown_until: int = 0  # the last call of the cooldown after an automatic change
    looked: int = 0  # the latest call that read, searched or tested and came to its end

    context: float = 0.0  # share of the context window in use, 0 to 1
    context_seq: int = 0
    edited: bool = False  # since the last green run
    done_green: bool = False  # the last run is green, and edits came before it
    ended_green: bool = False  # the turn ended so
    gap: bool = False  # the last coverage report shows a gap
    gap_seq: int = 0
    cost: float = 0.0  # the session's cost on `cost_day`, in the harness's currency
    cost_day: str = ""
    tokens_written: int = 0  # in the turn
    turn_seconds: float = 0.0  # in the turn
    usage_seq: int = 0  # the report that was added last
    turn_over: bool = False

    latches: Map[Touch, Latch] = Map()


class Counting(Stream):
    """A stream while one entry is counted; `frozen` ends that."""

    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__  # with both of them a write is as quick as an ordinary one

    def touch(self, rule: str, key: str) -> None:
        """The entry adds to the evidence of one comparison."""
        self.touched = (*self.touched, (rule, key))

    def frozen(self) -> Stream:
        """The stream that was counted."""
        return frozen(self, Stream)


EMPTY = Stream()


def counting(stream: Stream) -> Counting:
    """A copy of a stream to count one more entry in."""
    return thawed(stream, Counting)


def added(total: Stream, stream: Stream) -> Stream:
    """What is shown of a whole session, with one more stream in it."""
    return replace(
        total,
        attempts=total.attempts + stream.attempts,
        interventions=total.interventions + stream.interventions,
        blocked_then_blocked=total.blocked_then_blocked + stream.blocked_then_blocked,
        after_terminal=total.after_terminal + stream.after_terminal,
        escalations=total.escalations + stream.escalations,
    )


def grown(failing: Failing, seq: int) -> Failing:
    """One more failure of the same thing."""
    times, seqs = failing
    return _tuple(Failing, (times + 1, (*seqs[1 - EVIDENCE :], seq)))


def evidence(seqs: tuple[int, ...], seq: int) -> tuple[int, ...]:
    """The newest calls behind a counter, one more included."""
    return (*seqs, seq)[-EVIDENCE:]
