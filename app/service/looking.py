"""Looking at the test files when a run of them has ended, before the writer is asked.

    looked(control, trees, arrivals)   the same arrivals, with a tree where one of them is a run

Only the running daemon looks, in a thread of its own: a replay has no disk to look at.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from app.classification.disk import find_root
from app.classification.testruns import Runner, ended_run
from app.classification.testtree import Tree, Trees
from app.domain.boundary import covers
from app.domain.events import Event
from app.domain.state import Red, Session
from app.service.intake import Arrival

COMPARED: Final = 16  # earlier runs that one look is compared with, the latest ones
LATE: Final = 300.0  # seconds; what happened longer ago had other files than there are now
SessionOf = Callable[[str], Awaitable[Session | None]]


async def looked(
    session_of: SessionOf, trees: Trees, arrivals: Sequence[Arrival]
) -> Sequence[Arrival]:
    """The arrivals, each test run among them with the test files as they are now."""
    runs = {at: run for at, arrival in enumerate(arrivals) if (run := _run(arrival.event))}
    if not runs:
        return arrivals
    names = dict.fromkeys(arrivals[at].event.session_id for at in runs)
    sessions = {name: await session_of(name) for name in names}
    trees_of: dict[str, Tree | None] = {}  # one look for all runs of a session in this request
    result = list(arrivals)
    for at, run in runs.items():
        name = arrivals[at].event.session_id
        session = sessions[name]
        if session is None or _told(session, arrivals[at]):
            continue
        if name not in trees_of:
            place, since = _place(session, arrivals), _since(session)
            trees_of[name] = await asyncio.to_thread(_look, trees, session.root, place, since)
        result[at] = replace(arrivals[at], tree=_of(trees_of[name], session, run))
    return result


def _run(event: Event) -> Runner | None:
    """The test run that an event reports, if it is one that has only just ended."""
    run = ended_run(event)
    return None if run is None or _long_ago(event) else run


def _long_ago(event: Event) -> bool:
    if event.occurred_at is None:
        return False
    try:
        moment = datetime.fromisoformat(event.occurred_at)
    except ValueError:
        return False
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return time.time() - moment.timestamp() > LATE


def _told(session: Session, arrival: Arrival) -> bool:
    """Whether a batch only repeats a call whose end was told."""
    event = arrival.event
    call = (event.agent_id or "", event.call_id or "")
    return arrival.batched and call not in session.open.values()


def _place(session: Session, arrivals: Sequence[Arrival]) -> str:
    """Where a session without a root will have it: its first folder in this request."""
    events = (arrival.event for arrival in arrivals)
    return next((event.cwd for event in events if event.session_id == session.id and event.cwd), "")


def _since(session: Session) -> dict[str, str]:
    """The trees of the runs by which something went red, with their times."""
    reds = sorted(session.reds.values(), key=_seq)[-COMPARED:]
    return {red.tree: red.at for red in reds if red.tree is not None}


def _seq(red: Red) -> int:
    return red.seq


def _look(trees: Trees, root: str | None, place: str, since: Mapping[str, str]) -> Tree | None:
    try:
        return trees.look(root or find_root(place), since)
    except (OSError, ValueError):
        return None


def _of(tree: Tree | None, session: Session, run: Runner) -> Tree | None:
    """What of a tree is about the red targets that this run includes."""
    if tree is None or not tree.moved:
        return tree
    reds = session.reds.values()
    asked = {red.tree for red in reds if covers(run.runner, run.target, red.target)}
    return replace(tree, moved=tuple([moved for moved in tree.moved if moved.since in asked]))
