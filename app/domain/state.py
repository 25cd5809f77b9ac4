"""What the log means now: the values that a fold of its entries arrives at.

    Book                      everything a transaction needs to know
      everywhere: Session       the scope `*`
      sessions: id -> Session   those that are loaded; the log can make any of them again
        overrides               (scope, action) -> applied entries not taken back, newest last
        proposals               what waits for a person
        streams                 agent -> counters

Nothing here is stored anywhere else: `evolve` (evolve.py) makes it from entries alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from immutables import Map

from app.domain.calls import TestResult
from app.domain.configuration import Configuration
from app.domain.entries import EVERYWHERE, Action, Direction, Kind, agent_of, session_of
from app.domain.events import Json
from app.domain.lru import Lru
from app.domain.modes import Mode
from app.domain.replacing import replace
from app.domain.restrictions import InForce, Policy
from app.domain.signals import EMPTY, Stream
from app.domain.stream import added

AGENTS = 256  # of a session, with counters; one that was silent for longer starts again
OPEN_ATTEMPTS = 5_000  # attempts of a session that may still be asked again or end
OPEN_CALLS = 256  # attempts whose end nobody reported; of older ones none is missed any more
Value: TypeAlias = Mode | Policy | None  # None: a notice or a signal, nothing that judges calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """An applied entry that nobody took back; `value` is what it puts in force."""

    seq: int
    scope: str
    action: Action
    direction: Direction
    actor: str
    ref: int | None
    value: Value
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something that waits for a person; `returns` is the applied entry it would take back."""

    seq: int
    scope: str
    action: Action
    direction: Direction
    actor: str
    returns: int | None
    value: Value
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What was said about one call: in its first decided entry, and in its newest one."""

    seq: int
    latest: int  # the same as `seq` until another verdict was given
    verdict: str  # of the newest


@dataclass(frozen=True, kw_only=True)  # wide: see replacing.py
class Session:
    """One session (or `*`) as its entries leave it."""

    id: str
    overrides: Map[tuple[str, Action], tuple[Override, ...]] = field(default_factory=Map)
    applied: Map[int, Override] = field(default_factory=Map)  # every applied entry, by seq
    undone: Map[int, Kind] = field(default_factory=Map)  # applied entries taken back, and how
    proposals: Map[int, Proposal] = field(default_factory=Map)
    settled: Map[int, Kind] = field(default_factory=Map)  # proposals that are decided, and how
    declined: Map[int, int] = field(default_factory=Map)  # tightenings whose return was dismissed
    streams: Map[str, Stream] = field(default_factory=Map)
    heard: Lru[bool] = field(default_factory=lambda: Lru(limit=AGENTS))  # agents with a stream
    silent: Stream = EMPTY  # of agents not heard for long: what they asked and what was blocked
    parents: Map[str, str] = field(default_factory=Map)
    fired_by: Map[str, frozenset[str]] = field(default_factory=Map)  # rule -> agents
    taken_back: Map[str, int] = field(default_factory=Map)  # rule -> reverts by a person
    attempts: Lru[Attempt] = field(default_factory=lambda: Lru(limit=OPEN_ATTEMPTS))
    open: Map[int, tuple[str, str]] = field(default_factory=Map)  # attempts that have not ended
    reds: Map[str, TestResult] = field(default_factory=Map)  # test target -> latest known result
    written: frozenset[str] = frozenset()  # tests written in this stay in test_development
    unvouched: int = 0  # calls of unknown effect that nothing stood against
    crossings: int = 0  # uses of the standing approval `boundary`
    binding: str | None = None  # the hook route that named this session first
    root: str | None = None
    cwd: str | None = None
    permission_mode: str | None = None
    ended: bool = False
    remind: bool = False  # the main agent's memory was cut since it was told what is in force
    last_seq: int = 0
    last_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The newest `configured` entry: its place, who configured, and the digest of the values."""

    seq: int
    actor: str
    digest: str


@dataclass(frozen=True, kw_only=True)  # replaced with every entry: see replacing.py
class Book:
    """The log's head and what it means: the whole input of every decision."""

    head: int = 0
    everywhere: Session = field(default_factory=lambda: Session(id=EVERYWHERE))
    sessions: Map[str, Session] = field(default_factory=Map)
    configured: Configured | None = None

    def session(self, scope: str) -> Session:
        """The session that `scope` lies in; an empty one when the log has no entry of it."""
        name = session_of(scope)
        if name == EVERYWHERE:
            return self.everywhere
        return self.sessions.get(name) or Session(id=name)

    def with_session(self, session: Session) -> Book:
        """This book with `session` in the place of the one of the same id."""
        if session.id == EVERYWHERE:
            return replace(self, everywhere=session)
        return replace(self, sessions=self.sessions.set(session.id, session))

    def without(self, name: str) -> Book:
        """This book with one session forgotten: the log can make it again."""
        if name not in self.sessions:
            return self
        return replace(self, sessions=self.sessions.delete(name))


def newest(session: Session, scope: str, action: Action) -> Override | None:
    """The override in force for one action of exactly this scope, if any."""
    stack = session.overrides.get((scope, action), ())
    return stack[-1] if stack else None


def scopes_above(session: Session, scope: str) -> Iterator[str]:
    """`scope`, then its ancestors: the agents that started it, the session, everywhere."""
    seen: set[str] = set()
    agent = agent_of(scope)
    while agent and agent not in seen:
        seen.add(agent)
        yield f"{session.id}/{agent}"
        agent = session.parents.get(agent, "")
    if session.id != EVERYWHERE:
        yield session.id
    yield EVERYWHERE


def overrides_for(book: Book, scope: str, action: Action) -> tuple[Override, ...]:
    """The newest override of `action` at each level that judges `scope`, narrowest first."""
    session = book.session(scope)
    found = []
    for level in scopes_above(session, scope):
        override = newest(book.session(level), level, action)
        if override is not None:
            found.append(override)
    return tuple(found)


def default_mode(configuration: Configuration) -> Mode:
    """The mode that holds where no entry says otherwise."""
    return configuration.modes[configuration.start_mode]


def default_policy(configuration: Configuration) -> Policy:
    """The policy that holds where no entry says otherwise: the person's ceiling."""
    return Policy(posture=configuration.ceiling)


def in_force(book: Book, scope: str, configuration: Configuration) -> InForce:
    """Everything a call in `scope` is judged under, narrowest scope first.

    The defaults hold until something was applied to the scope itself, its session or everywhere.
    What an agent's parent has restricts it and never frees it: who the parent is, a harness says.
    """
    modes = _held(book, scope, "mode", default_mode(configuration))
    policies = _held(book, scope, "policy", default_policy(configuration))
    return InForce(
        modes=tuple(mode for mode in modes if isinstance(mode, Mode)),
        policies=tuple(policy for policy in policies if isinstance(policy, Policy)),
    )


def _held(book: Book, scope: str, action: Action, default: Value) -> tuple[Value, ...]:
    overrides = overrides_for(book, scope, action)
    values = tuple(override.value for override in overrides)
    instead = {scope, session_of(scope), EVERYWHERE}
    return values if any(o.scope in instead for o in overrides) else (*values, default)


def own_value(book: Book, scope: str, action: Action, configuration: Configuration) -> Value:
    """The value that exactly this scope has: its newest entry, else the defaults."""
    override = newest(book.session(scope), scope, action)
    if override is not None:
        return override.value
    match action:
        case "mode":
            return default_mode(configuration)
        case "policy":
            return default_policy(configuration)
        case _:
            return None


def stream_of(session: Session, agent: str) -> Stream:
    """The counters of one agent of a session; the main agent is the empty string."""
    return session.streams.get(agent, EMPTY)


def with_stream(session: Session, agent: str, stream: Stream) -> Session:
    """The session with an agent's counters; those of the agent silent for longest may go."""
    streams = session.streams.set(agent, stream)
    if not agent:
        return replace(session, streams=streams)
    heard, silent = session.heard.put(agent, True), session.silent
    fell_out = agent not in session.heard.values and len(session.heard.values) == AGENTS
    for gone in set(session.heard.values) - set(heard.values) if fell_out else ():
        silent, streams = added(silent, streams[gone]), streams.delete(gone)
    return replace(session, streams=streams, heard=heard, silent=silent)


def supposed(book: Book, scope: str, action: Action, value: Value) -> Book:
    """The book as it would be if `value` were in force for one action of exactly this scope."""
    session = book.session(scope)
    override = Override(
        seq=book.head + 1,
        scope=scope,
        action=action,
        direction="neutral",
        actor="",
        ref=None,
        value=value,
        body={},
    )
    place = (scope, action)
    stack = (*session.overrides.get(place, ()), override)
    return book.with_session(replace(session, overrides=session.overrides.set(place, stack)))
