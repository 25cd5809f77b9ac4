"""What the log knows of the test boundary: what is red, what was written, which green counts.

    wrote(session, call)      the test files that a known call wrote
    ran(session, call, at)    a test run; the call as the counters see it
    closed(session)           whether tests are closed: something is red, or a notice stands
    unproven(book, entry)     the notice about a green that does not count

A target that went red stays red until a run that includes it is green over the same test files, or
over files of which each one that moved was written by a known call since. Anything else is a test
that may have been made green by editing it: the green does not count, one notice says so, and tests
stay closed until a person takes that notice back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from immutables import Map

from app.domain.calls import Call, Effect, Moved, TestRun
from app.domain.entries import MACHINE, Draft, Entry
from app.domain.events import Json
from app.domain.modes import Mode
from app.domain.replacing import replace
from app.domain.state import Book, Override, Red, Session, Taking, Unproven, Value, newest

TARGETS = 256  # a session's red test targets that are known
WRITTEN = 4_096  # test files of one stay, or since a red run, that are known; more are not
NAMED = 20  # paths that a notice names
_WRITING: Final[frozenset[Effect]] = frozenset({"write", "git_restore"})


def closed(session: Session) -> bool:
    """Whether no test may be written but those of this stay."""
    return bool(session.reds) or bool(session.closing)


def develops_tests(value: Value) -> bool:
    """Whether a mode is the one in which tests are written."""
    return isinstance(value, Mode) and value.name == "test_development"


def wrote(session: Taking, call: Call, said: str | None) -> None:
    """The test files that a call wrote: they explain a moved tree, and in their stay stay open.

    `said` is our verdict on it; None: nobody asked. One that we denied and that was done all the
    same explains nothing, nor does one that was asked for before the red run explain what that ran.
    """
    reading = call.reading
    if not reading.targets or call.outcome != "ok" or reading.failed or said == "deny":
        return
    tests = {target.path for target in reading.targets if target.zone == "test"}
    if not tests or not _WRITING.intersection(reading.effects):
        return
    asked = call.ref or call.seq
    if session.reds:
        _explain(session, tests, asked)
    mode = newest(session, session.id, "mode")
    if "write" not in reading.effects or mode is None or not develops_tests(mode.value):
        return
    late = any(red.seq > asked for red in session.reds.values())
    if not late and len(session.written | tests) <= WRITTEN:
        session.written |= tests


def _explain(session: Taking, tests: set[str], seq: int) -> None:
    known = session.explained.update(dict.fromkeys(tests, seq))
    if len(known) <= WRITTEN:
        session.explained = known


def ran(session: Taking, call: Call, at: str) -> Call:
    """A finished test run; one whose green does not count comes back as a run of unknown result."""
    run = call.reading.test
    if run is None or run.result == "unknown":
        return call
    if run.result == "red":
        now = Red(seq=call.seq, at=at, tree=run.tree, target=run.target, where=run.where)
        _red(session, run, now)
        return call
    doubted = _green(session, run)
    if not session.reds:
        session.explained = Map()
    if not doubted:
        return call
    session.unproven = _unproven(session, call.seq, run, doubted)
    reading = replace(call.reading, test=replace(run, result="unknown"))
    return call._replace(reading=reading)


def _red(session: Taking, run: TestRun, now: Red) -> None:
    """The first red keeps its place, so that an edit between two reds is seen at the green."""
    name = f"{run.where}\0{run.target}" if run.where else run.target
    before = session.reds.get(name)
    if before is not None and not _moves_on(session, run, before):
        return
    reds = session.reds
    if before is None and len(reds) >= TARGETS:
        reds = reds.delete(min(reds))
    session.reds = reds.set(name, now)


def _moves_on(session: Session, run: TestRun, before: Red) -> bool:
    """Whether all that moved since is explained: what comes from here on has to explain itself."""
    if run.tree is None or not proven(session, run, before):
        return False
    return run.tree != before.tree or bool(_explained(session, before))


def _green(session: Taking, run: TestRun) -> dict[str, Red]:
    """Clear what the run proves green; what it includes and does not prove."""
    covered = {name: red for name, red in session.reds.items() if includes(run, red)}
    doubted = {name: red for name, red in covered.items() if not proven(session, run, red)}
    for target in covered.keys() - doubted.keys():
        session.reds = session.reds.delete(target)
    return doubted


def includes(run: TestRun, red: Red) -> bool:
    """Whether a run covered a red target, in the same place: the same, or the whole runner."""
    return run.where == red.where and covers(run.runner, run.target, red.target)


def covers(runner: str, ran_target: str, target: str) -> bool:
    """As `includes`, for a run of which only runner and target are known yet."""
    whole = ran_target == runner and target.startswith(f"{runner} ")
    return whole or target == ran_target


def proven(session: Session, run: TestRun, red: Red) -> bool:
    """Whether the test files of a run are those of a red one, but for what known calls wrote."""
    if red.tree is None or red.tree == run.tree:
        return True
    if run.tree is None:
        return False
    known, moved = _explained(session, red), _since(run, red)
    if not moved.count:  # they differ, and nobody can say where
        return False
    return moved.count == len(moved.paths) and known.issuperset(moved.paths)


def _explained(session: Session, red: Red) -> frozenset[str]:
    return frozenset([path for path, seq in session.explained.items() if seq > red.seq])


def _since(run: TestRun, red: Red) -> Moved:
    found = (moved for moved in run.moved if moved.since == red.tree)
    return next(found, Moved(since=red.tree or ""))


def _unproven(session: Session, seq: int, run: TestRun, doubted: Mapping[str, Red]) -> Unproven:
    """What there is to say about a green that does not count; of several targets, the oldest."""
    first = min(doubted.values(), key=lambda red: (red.seq, red.target))
    moved, known = _since(run, first), _explained(session, first)
    paths = tuple([path for path in moved.paths if path not in known])
    count = moved.count - len(moved.paths) + len(paths)
    return Unproven(
        seq=seq,
        target=first.target,
        red=first.seq,
        paths=paths,
        moved=count,
        seen=run.tree is not None,
    )


def closes_tests(entry: Entry) -> bool:
    """Whether an applied entry is the notice that keeps tests closed."""
    because = entry.body.get("because")
    cause = because[0] if isinstance(because, list) and because else None
    return (
        entry.action == "notice"
        and entry.actor == MACHINE
        and isinstance(cause, dict)
        and cause.get("rule") == "boundary"
    )


def taken_off(session: Taking, override: Override) -> None:
    """A person took the notice back: the tests as they are now are what the next run is judged by.

    What was red stays red until that run.
    """
    if override.seq == session.closing:
        session.closing = 0
        session.reds = Map({name: red._replace(tree=None) for name, red in session.reds.items()})


def unproven(book: Book, entry: Entry) -> Draft | None:
    """The notice about a green that does not count; None where nothing is to be said, or it was."""
    session = book.session(entry.scope)
    found = session.unproven
    if found is None or found.seq != entry.seq or session.closing:
        return None
    seqs: list[Json] = [found.red, found.seq]
    return Draft(
        kind="applied",
        scope=session.id,
        action="notice",
        actor=MACHINE,
        ref=entry.seq,
        body={
            "notice": _said(found, book.head + 1),
            "because": [{"rule": "boundary", "value": found.moved, "seqs": seqs}],
            "target": found.target,
            "paths": [*found.paths[:NAMED]],
            "count": found.moved,
        },
    )


def _said(found: Unproven, seq: int) -> str:
    return (
        f"a red test run went green {_while(found)}; that green does not count, and tests are "
        f"closed in this session. A person looks at what changed and, where it is right, takes "
        f"this back (floorboss revert {seq}); then run the tests again"
    )


def _while(found: Unproven) -> str:
    if not found.seen:
        return "while the test files could not be looked at"
    match found.moved:
        case 0:
            return "while test files changed, and nobody can say which"
        case 1:
            return "while a test file changed that no known call wrote"
        case many:
            return f"while {many} test files changed that no known call wrote"
