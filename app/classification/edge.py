"""The edge: everything that is found out about an event before it is stored, in one place.

It may look at the file system (where does a path really lead?) and at nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.classification.disk import Disk
from app.classification.effects import commands, effects, folder_argument
from app.classification.paths import Place
from app.classification.reading import read
from app.classification.shellcode.found import Effects
from app.classification.spellings import folder
from app.classification.storage import stored
from app.classification.testruns import ended_run
from app.classification.testtree import Tree
from app.classification.tools import tool_class
from app.classification.whereabouts import whereabouts
from app.domain.calls import Reading
from app.domain.events import Event, Json
from app.domain.replacing import replace
from app.domain.state import Session

_SAID = Effects(effects=("talk",))  # what is no call


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An event as the edge sees it: what is stored, and what only a verdict needs."""

    body: dict[str, Json]
    commands: tuple[str, ...] = ()  # the simple commands of an attempt's shell line


def see(
    event: Event,
    session: Session,
    *,
    own: tuple[str, ...],
    context_limit: int,
    tree: Tree | None = None,
    begun: str | None = None,
    disk: type[Disk] = Disk,
    texts: bool = True,
) -> Seen:
    """Classify one event of a session; the session's first `cwd` names its root.

    `own`: folders and files that no agent may write. `context_limit`, in tokens, holds where a
    harness reports usage and names no limit. `tree`: the test files after a test run; None: nobody
    looked. `begun`: where a call that ended began; None: where its event says. `disk`: what is
    asked about the session's paths. `texts`: whether what a call was told and what it answered is
    stored, which a log that lasts wants and no fold of calls reads.
    """
    place, found = _place(begun or event.cwd, session, own, disk())
    kind = tool_class(event.tool or "", event.arguments)
    does = effects(event, kind, place) if event.kind in ("tool", "attempt") else _SAID
    body = stored(event, _over(_there(read(event, does), event, place), tree), texts=texts)
    if found is not None:
        body["root"] = found
    if event.context_tokens is not None:
        body.setdefault("context_limit", context_limit)
    return Seen(body=body, commands=commands(event, kind) if event.kind == "attempt" else ())


def _there(reading: Reading, event: Event, place: Place) -> Reading:
    """The reading of a test run, with where it ran."""
    run = None if reading.test is None else ended_run(event)
    if reading.test is None or run is None:
        return reading
    where = whereabouts(event.arguments, run, folder_argument(event.arguments), place)
    return replace(reading, test=replace(reading.test, where=where))


def _over(reading: Reading, tree: Tree | None) -> Reading:
    """The reading of a test run, with the test files that it ran over."""
    if tree is None or reading.test is None:
        return reading
    return replace(reading, test=replace(reading.test, tree=tree.digest, moved=tree.moved))


def changes_nothing(event: Event, session: Session) -> bool:
    """Whether a call is known to change nothing, so that it may run when nothing can be logged."""
    place, _ = _place(event.cwd, session, (), Disk())
    kind = tool_class(event.tool or "", event.arguments)
    does = effects(event, kind, place).effects
    return kind != "subagent" and set(does) <= {"read", "talk"}


def _place(
    cwd: str | None, session: Session, own: tuple[str, ...], disk: Disk
) -> tuple[Place, str | None]:
    """Where the session works now, and its root where this event is the first that tells it.

    A `cwd` that is no absolute path is meant from the root, and tells none.
    """
    cwd = cwd or session.cwd
    cwd = None if cwd is None else folder(cwd)
    told = cwd is not None and cwd.startswith("/")
    found = disk.root(cwd) if cwd is not None and told and session.root is None else None
    root = session.root or found
    if cwd is not None and not told:
        cwd = None if root is None else f"{root}/{cwd}"
    return Place(root=root, cwd=cwd, own=own, disk=disk), found
