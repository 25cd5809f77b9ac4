"""How well the rules tell stuck sessions from honest ones.

    .venv/bin/python -m tests.replay.scoring [--profile NAME] [--set RULE.THRESHOLD=N]... [PATH...]

Prints each session with what fired in it, and the totals. PATH: a file of scenarios, or a folder
with an index (cases.py); the corpus of the tests where none is named.

A firing is a rule that asks for a mode and tripped, whether that changed something or the mode
was in force already. A rule that the session is about and that asks for no mode (blocked_storm,
context, streak, review, a low success_rate) counts by what it does instead.

    right         an accepted rule asked for the right mode by the event at which it was due
    precision     right sessions of all those in which something fired
    recall        right sessions of those in which something should fire
    wrong         a diagnosis: the first firing in a stuck session is of a rule that is not
                  accepted, or where all are, asks for another mode
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.config import Settings, load
from app.domain.configuration import POSTURES, Configuration
from app.domain.entries import agent_of
from app.domain.expected_state import state_of
from app.domain.proposing import Proposed, Wish, propose
from app.replay.choice import chosen
from app.replay.lines import Counts
from app.replay.run import START, Core
from app.replay.tally import Tally
from app.replay.transitions import Transition
from tests.replay.cases import Case, corpus, indexed


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """A rule that tripped and was not latched; `mode` is None where it asks for none."""

    turn: int  # the event, from 1
    rule: str
    mode: str | None
    agent: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One session and what fired in it, in order."""

    case: Case
    fired: tuple[Firing, ...]

    @property
    def in_time(self) -> bool:
        """Whether anything fired by the event at which it was due."""
        return any(each.turn <= self.case.due for each in self.fired)

    @property
    def right(self) -> bool:
        """Whether what fired in time was right."""
        return any(each.turn <= self.case.due and right(self.case, each) for each in self.fired)

    @property
    def wrong(self) -> bool:
        """Whether the first thing that fired in a stuck session was another diagnosis."""
        return bool(self.case.stuck and self.fired) and not _diagnosed(self.case, self.fired[0])

    @property
    def verdict(self) -> str:
        """The result in a word or two."""
        match self.case.stuck, bool(self.fired):
            case False, fired:
                return "false alarm" if fired else "quiet"
            case _, False:
                return "missed"
            case _:
                late = "in time, not right" if self.in_time else "late"
                return "right" if self.right else late


def right(case: Case, fired: Firing) -> bool:
    """Whether a firing is what the session's author expects, whenever it came."""
    by = case.agent in (None, fired.agent)
    # Whether a green end asks for the mode of the rule's name or only says so is a number.
    as_mode = case.mode in (None, fired.mode, fired.rule)
    return by and as_mode and (case.rules is None or fired.rule in case.rules)


def _diagnosed(case: Case, fired: Firing) -> bool:
    return right(case, fired) if case.rules is None else fired.rule in case.rules


def result(case: Case, under: Configuration) -> Result:
    """Run one session in a log of its own."""
    feed = _begun(case, under).feed(case.lines)
    (report,) = Tally(under.start_mode, under.context_limit).together({"": Counts()}, feed)
    return Result(case=case, fired=tuple(_firings(case, report.transitions)))


def _begun(case: Case, under: Configuration) -> Core:
    """A log whose session a person put one step below the ceiling: a streak can ask for it."""
    core = Core(under)
    if case.lines and under.ceiling != POSTURES[-1]:
        session = case.lines[0].event.session_id
        core.desk.load(session)
        done = propose(core.desk.begin(START), _tighter(session, core, under), under)
        assert isinstance(done, Proposed), done
        core.desk.take(done.pending)
        core.memory.append(core.desk.fresh)
        core.desk.committed()
    return core


def _tighter(session: str, core: Core, under: Configuration) -> Wish:
    return Wish(
        scope=session,
        action="policy",
        value={"posture": POSTURES[POSTURES.index(under.ceiling) + 1]},
        reason="something is left to loosen",
        actor="human:author",
        decide=True,
        expected_state=state_of(core.desk.book, session),
    )


def _firings(case: Case, found: Iterable[Transition]) -> Iterator[Firing]:
    """Each firing once, whatever it wrote for however many scopes."""
    told = [_firing(each) for each in found if asks(each) or _instead(case, each)]
    return iter(dict.fromkeys(told))


def _firing(found: Transition) -> Firing:
    return Firing(
        turn=found.line,
        rule=found.rule or "",
        mode=found.wanted,
        agent=agent_of(found.scope),
        key=found.key,
    )


def asks(found: Transition) -> bool:
    """Whether a transition is a firing: its rule asks for a mode."""
    return found.wanted is not None and found.how != "proposed"


def _instead(case: Case, found: Transition) -> bool:
    """Whether it is what a rule that asks for no mode does, in a session that is about the rule."""
    if case.rules is None:
        return case.stuck and case.mode is None and found.rule is not None
    return found.rule in case.rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The results of many sessions."""

    results: tuple[Result, ...]

    @property
    def stuck(self) -> list[Result]:
        """Sessions in which something should fire."""
        return [each for each in self.results if each.case.stuck]

    @property
    def honest(self) -> list[Result]:
        """Sessions in which nothing should."""
        return [each for each in self.results if not each.case.stuck]

    @property
    def missed(self) -> list[Result]:
        """Stuck sessions that were not right."""
        return [each for each in self.stuck if not each.right]

    @property
    def alarms(self) -> list[Result]:
        """Honest sessions in which something fired."""
        return [each for each in self.honest if each.fired]

    @property
    def precision(self) -> float:
        """Share, 0 to 1; 1 where nothing fired."""
        fired = sum(bool(each.fired) for each in self.results)
        return (len(self.stuck) - len(self.missed)) / fired if fired else 1.0

    @property
    def recall(self) -> float:
        """Share, 0 to 1; 1 where nothing should fire."""
        return 1 - len(self.missed) / len(self.stuck) if self.stuck else 1.0

    @property
    def over(self) -> list[Result]:
        """Sessions with more firings than their author allows."""
        return [e for e in self.results if e.case.most is not None and len(e.fired) > e.case.most]


def score(cases: Iterable[Case], under: Configuration) -> Score:
    """All sessions under one configuration."""
    return Score(results=tuple(result(case, under) for case in cases))


def told(score: Score) -> Iterator[str]:
    """The score as text, a line a session and the totals."""
    for each in score.results:
        fired = ", ".join(_shown(each.case, one) for one in each.fired) or "nothing"
        due = f", due by event {each.case.due - 1 + each.case.first}" if each.case.stuck else ""
        wrong = ", wrong diagnosis first" if each.wrong else ""
        count = f"{len(each.fired)} fires"
        yield f"{each.case.name}: {each.verdict}{wrong}; {count}: {fired}{due}"
    yield ""
    yield from _totals(score)


def _shown(case: Case, fired: Firing) -> str:
    whose = f" of {fired.agent}" if fired.agent else ""
    return f"{fired.rule}{whose} -> {fired.mode or 'no mode'} at {fired.turn - 1 + case.first}"


def _totals(score: Score) -> Iterator[str]:
    stuck, honest, over = score.stuck, score.honest, len(score.over)
    of = f"of {len(stuck)}"
    fires = sum(len(each.fired) for each in score.results)
    calm = sum(len(each.fired) for each in honest)
    events = sum(len(each.case.lines) for each in honest)
    yield f"stuck sessions noticed: {sum(bool(each.fired) for each in stuck)} {of}"
    yield f"  by the event at which it was due: {sum(each.in_time for each in stuck)} {of}"
    yield f"  right and by then: {sum(each.right for each in stuck)} {of}"
    yield f"  with a wrong diagnosis first: {sum(each.wrong for each in stuck)} {of}"
    yield f"honest sessions with a false alarm: {len(score.alarms)} of {len(honest)}"
    yield f"  firings in them: {calm} in {events} events, {_per(100 * calm, events)} per 100"
    yield f"precision {score.precision:.3f}, recall {score.recall:.3f}"
    yield f"fires per session: {_per(fires, len(score.results))}; more than allowed in {over}"


def _per(count: int, over: int) -> str:
    return f"{count / over:.2f}" if over else "none"


def configuration(profile: str | None = None, thresholds: Sequence[str] = ()) -> Configuration:
    """The shipped settings of a profile, with some thresholds at other numbers."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load({"state_dir": Path(folder)}, {})
    assert isinstance(settings, Settings)
    found = chosen(settings, profile, thresholds)
    if not isinstance(found, Configuration):
        raise ValueError(found.detail)
    return found


def cases(paths: Sequence[Path]) -> Iterator[Case]:
    """The sessions of files and folders, of the corpus where none is named."""
    if not paths:
        yield from corpus()
    for path in paths:
        yield from indexed(path) if path.is_dir() else corpus(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the score of the corpus, or of the files and folders that are named."""
    parser = argparse.ArgumentParser(prog="tests.replay.scoring", description=__doc__)
    parser.add_argument("--profile", help="default or strict")
    parser.add_argument("--set", action="append", default=[], metavar="RULE.THRESHOLD=N")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    said = parser.parse_args(arguments)
    try:
        under = configuration(said.profile, said.set)
        found = score(cases(said.paths), under)
    except (OSError, ValueError) as fault:
        parser.error(str(fault))
    for line in told(found):
        print(line)


if __name__ == "__main__":
    main()
