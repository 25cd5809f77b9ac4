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

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from immutables import Map

from app.domain.artifacts import Artifact
from app.domain.configuration import Configuration, Posture
from app.domain.entries import EVERYWHERE, Action, Direction, Kind, agent_of, session_of
from app.domain.events import Json
from app.domain.limits import Running
from app.domain.lru import Lru
from app.domain.modes import Mode
from app.domain.replacing import frozen, replace, thawed, wide
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
    body: Mapping[str, Json]  # without the value


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
    body: Mapping[str, Json]  # without the value


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What was said about one call: in its first decided entry, and in its newest one."""

    seq: int
    latest: int  # the same as `seq` until another verdict was given
    verdict: str  # of the newest


class Red(NamedTuple):
    """A test target that is red: since which run, and over which test files."""

    seq: int
    at: str  # of that run, as the log has it
    tree: str | None  # digest of the test files, 16 hex digits; None: nobody looked
    target: str = ""
    where: str = ""  # as TestRun has it


class Unproven(NamedTuple):
    """A green run that does not count, as test files moved that no known call wrote."""

    seq: int  # of the run
    target: str  # of the oldest red it would have cleared
    red: int  # the run by which that went red
    paths: tuple[str, ...]  # those that can be named
    moved: int  # how many did; 0: nobody can say which
    seen: bool  # False: the test files could not be looked at


_HEARD: Final = Lru[bool](limit=AGENTS)
_ATTEMPTS: Final = Lru[Attempt](limit=OPEN_ATTEMPTS)


class Whole(NamedTuple):
    """What the way back depends on, where nothing of it was missing (returns.py)."""

    configuration: Configuration
    overrides: Map[tuple[str, Action], tuple[Override, ...]]
    proposals: Map[int, Proposal]
    declined: Map[int, int]
    ended: bool


@wide
class Session:
    """One session (or `*`) as its entries leave it."""

    id: str
    overrides: Map[tuple[str, Action], tuple[Override, ...]] = Map()
    applied: Map[int, Override] = Map()  # every applied entry, by seq
    undone: Map[int, Kind] = Map()  # applied entries taken back, and how
    limited: Map[int, Running] = Map()  # applied entries that hold for a while
    proposals: Map[int, Proposal] = Map()
    settled: Map[int, Kind] = Map()  # proposals that are decided, and how
    declined: Map[int, int] = Map()  # tightenings whose return was dismissed
    asked: Proposal | None = None  # the newest proposal of settings, until nobody asks for them
    streams: Map[str, Stream] = Map()
    heard: Lru[bool] = _HEARD  # agents with a stream
    silent: Stream = EMPTY  # of agents not heard for long: what they asked and what was blocked
    parents: Map[str, str] = Map()
    fired_by: Map[str, frozenset[str]] = Map()  # rule -> agents
    taken_back: Map[str, int] = Map()  # rule -> reverts by a person
    attempts: Lru[Attempt] = _ATTEMPTS
    open: Map[int, tuple[str, str]] = Map()  # attempts that have not ended
    reds: Map[str, Red] = Map()  # test targets, by where they ran, whose latest result is red
    explained: Map[str, int] = Map()  # test files that known calls wrote since one went red, when
    closing: int = 0  # the notice that keeps tests closed; 0: none does
    unproven: Unproven | None = None  # the latest green run that did not count
    written: frozenset[str] = frozenset()  # tests written in this stay in test_development
    unvouched: int = 0  # calls of unknown effect that nothing stood against
    spared: Map[tuple[str, str], int] = Map()  # (verdict, rule) -> what only observing let pass
    crossings: int = 0  # uses of the standing approval `boundary`
    used: Map[str, int] = Map()  # uses of every other one, by name
    artifacts: Map[tuple[str, str], Artifact] = Map()  # (agent, kind) -> the newest
    binding: str | None = None  # the hook route that named this session first
    root: str | None = None
    cwd: str | None = None
    permission_mode: str | None = None
    ended: bool = False
    remind: bool = False  # the main agent's memory was cut since it was told what is in force
    unheard: int | None = None  # what it was not told yet: an approval used, an artifact's fault
    last_seq: int = 0
    last_at: str = ""
    whole: Whole | None = field(default=None, compare=False)  # a memory of returns.py, no meaning


class Taking(Session):
    """A session while one entry is taken in; `frozen` ends that (replacing.py)."""

    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__  # with both of them a write is as quick as an ordinary one

    def frozen(self) -> Session:
        """The session that took the entry in."""
        return frozen(self, Session)


def taking(session: Session) -> Taking:
    """A copy of a session that takes one more entry in."""
    return thawed(session, Taking)


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The newest `configured` entry: its place, who configured, and the values in force."""

    seq: int
    actor: str
    digest: str
    values: Mapping[str, Any] | None = None  # None: the entry has none, as in a replay
    configuration: Configuration | None = None  # what the values make


@dataclass(frozen=True, kw_only=True)  # replaced with every entry: see replacing.py
class Book:
    """The log's head and what it means: the whole input of every decision."""

    head: int = 0
    everywhere: Session = field(default_factory=lambda: Session(id=EVERYWHERE))
    sessions: Map[str, Session] = field(default_factory=Map)
    configured: Configured | None = None

    def session(self, scope: str) -> Session:
        """The session that `scope` lies in; an empty one when the log has no entry of it."""
        found = self.sessions.get(scope)  # a scope is a session's name more often than an agent's
        if found is not None:
            return found
        name = session_of(scope)
        if name == EVERYWHERE:
            return self.everywhere
        return self.sessions.get(name) or Session(id=name)

    def with_session(self, session: Session, seq: int = 0) -> Book:
        """This book with `session` in the place of the one of the same id; `seq`: its new entry."""
        head = seq if seq > self.head else self.head
        if session.id == EVERYWHERE:
            return replace(self, head=head, everywhere=session)
        return replace(self, head=head, sessions=self.sessions.set(session.id, session))

    def configuration(self, otherwise: Configuration) -> Configuration:
        """The configuration in force; `otherwise` where no entry holds one."""
        held = self.configured
        return otherwise if held is None or held.configuration is None else held.configuration

    def without(self, name: str) -> Book:
        """This book with one session forgotten: the log can make it again."""
        if name not in self.sessions:
            return self
        return replace(self, sessions=self.sessions.delete(name))


def newest(session: Session, scope: str, action: Action) -> Override | None:
    """The override in force for one action of exactly this scope, if any."""
    stack = session.overrides.get((scope, action), ())
    return stack[-1] if stack else None


def scopes_above(session: Session, scope: str) -> tuple[str, ...]:
    """`scope`, then its ancestors: the agents that started it, the session, everywhere."""
    agents: list[str] = []
    agent = agent_of(scope)
    while agent and agent not in agents:
        agents.append(agent)
        agent = session.parents.get(agent, "")
    above = (session.id, EVERYWHERE) if session.id != EVERYWHERE else (EVERYWHERE,)
    return (*[f"{session.id}/{agent}" for agent in agents], *above) if agents else above


def overrides_for(book: Book, scope: str, action: Action) -> tuple[Override, ...]:
    """The newest override of `action` at each level that judges `scope`, narrowest first."""
    session = book.session(scope)
    stacks = [
        (book.everywhere if level == EVERYWHERE else session).overrides.get((level, action))
        for level in scopes_above(session, scope)
    ]
    return tuple([stack[-1] for stack in stacks if stack])


def default_mode(configuration: Configuration) -> Mode:
    """The mode that holds where no entry says otherwise."""
    return configuration.modes[configuration.start_mode]


def default_policy(configuration: Configuration) -> Policy:
    """The policy that holds where no entry says otherwise: the person's ceiling."""
    return _bare_policy(configuration.ceiling)


@cache
def _bare_policy(posture: Posture) -> Policy:
    return Policy(posture=posture)


def in_force(book: Book, scope: str, configuration: Configuration) -> InForce:
    """Everything a call in `scope` is judged under, narrowest scope first.

    The defaults hold until something was applied to the scope itself, its session or everywhere.
    What an agent's parent has restricts it and never frees it: who the parent is, a harness says.
    """
    mode, policy = default_mode(configuration), default_policy(configuration)
    if not book.everywhere.overrides and not book.session(scope).overrides:
        return InForce(modes=(mode,), policies=(policy,))
    modes, policies = _held(book, scope, "mode", mode), _held(book, scope, "policy", policy)
    return InForce(
        modes=tuple([mode for mode in modes if isinstance(mode, Mode)]),
        policies=tuple([policy for policy in policies if isinstance(policy, Policy)]),
    )


def _held(book: Book, scope: str, action: Action, default: Value) -> tuple[Value, ...]:
    overrides = overrides_for(book, scope, action)
    if not overrides:
        return (default,)
    values = tuple([override.value for override in overrides])
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


def keep_stream(session: Taking, agent: str, stream: Stream) -> None:
    """The session has new counters of an agent; those of the agent silent for longest may go."""
    session.streams = session.streams.set(agent, stream)
    if not agent:
        return
    before, heard = session.heard.values, session.heard.put(agent, True)
    session.heard = heard
    fell_out = agent not in before and len(before) == AGENTS
    for gone in set(before) - set(heard.values) if fell_out else ():
        session.silent = added(session.silent, session.streams[gone])
        session.streams = session.streams.delete(gone)


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
