"""What each rule and each mechanism buys and costs: the same sessions with one of them left out.

    .venv/bin/python -m tests.replay.ablation [--counters] [--profile P] [--part NAME]... [PATH...]

Prints a table in Markdown. PATH: real session logs, in which firings are counted as well. What a
hit (`right`), a false alarm and a firing are stands in scoring.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from app.classification import edge, outcomes, results
from app.classification.reading import read
from app.domain import signals
from app.domain.comparisons import CHECKS, Check
from app.domain.configuration import Configuration, Thresholds
from app.domain.events import Event
from app.replay.lines import Counts, Line
from app.replay.run import Core, files_of, groups
from app.replay.tally import FileReport, Tally
from app.replay.transitions import Transition
from tests.replay.cases import Case, corpus
from tests.replay.scoring import asks, configuration, score

Stand: TypeAlias = tuple[ModuleType, str, Callable[..., Any]]  # what stands in for a function
Keep: TypeAlias = Callable[[Event], Event | None]  # None: the event is left out
Read: TypeAlias = tuple[dict[str, Counts], Sequence[Line]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A rule or a mechanism, and how it is left out."""

    name: str
    off: tuple[str, ...] = ()  # thresholds that are set to 0
    stands: tuple[Stand, ...] = ()
    keep: Keep = lambda event: event
    counter: bool = False  # one of several of its rule


def _reads(**fields: Any) -> Stand:
    """The edge with some fields of every reading as they would be without a mechanism."""
    return edge, "read", lambda *said: replace(read(*said), **fields)


def _without(kind: str) -> Keep:
    return lambda event: None if event.kind == kind else event


def _same(text: str) -> str:
    return text


def _no(*_: object) -> bool:
    return False


NOTHING: Final = Part(name="nothing")
MECHANISMS: Final = (
    Part(name="a stream for each agent", keep=lambda event: replace(event, agent_id=None)),
    Part(name="one vote in a batch", keep=lambda event: replace(event, batch_id=None)),
    Part(name="prompts start anew", keep=_without("prompt")),
    Part(name="compactions start anew", keep=_without("compact")),
    Part(name="change of state", stands=((signals, "changed", _no),)),
    Part(name="waiting calls as polls", stands=(_reads(pace="work"),)),
    Part(name="test runs recognised", stands=(_reads(test=None),)),
    Part(name="ranges of reads", stands=(_reads(lines=None),)),
    Part(name="exit codes that answer", stands=((outcomes, "answers", _no),)),
    Part(name="hidden failures", stands=((outcomes, "_found", _no),)),
    Part(name="masking", stands=((results, "masked", _same),)),
    Part(name="harness lines cut", stands=((results, "headless", _same),)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """One run: stuck sessions told rightly and in time, honest ones disturbed, real firings."""

    hits: int
    alarms: int
    firings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """What every run is over."""

    corpus: tuple[Case, ...]
    real: tuple[Read, ...]
    calls: int


def rules(now: Thresholds) -> Iterator[Part]:
    """Each rule that is on, and each counter of a rule that has several."""
    for rule, of in groupby(sorted(CHECKS, key=_rule), key=_rule):
        live = [check for check in of if _on(check, now)]
        kinds = sorted({check.kind for check in live})
        if live:
            yield Part(name=rule, off=tuple(check.threshold for check in live))
        if len(kinds) > 1:
            for kind in kinds:
                off = tuple(check.threshold for check in live if check.kind == kind)
                yield Part(name=f"{rule} ({kind})", off=off, counter=True)


def _on(check: Check, now: Thresholds) -> bool:
    number = now.get(check.threshold, 0)
    return bool(number if check.share_of is None else number * now.get(check.share_of, 0))


def _rule(check: Check) -> str:
    return check.rule


def sessions(paths: Iterable[Path]) -> Sessions:
    """The corpus and the real session logs, read once."""
    real = tuple((counts, tuple(lines)) for counts, lines in groups(files_of(paths)))
    calls = sum(counts.calls for each, _ in real for counts in each.values())
    return Sessions(corpus=tuple(corpus()), real=real, calls=calls)


def carried(part: Part, over: Sessions, profile: str | None = None) -> Carried:
    """All sessions with one part left out."""
    under = configuration(profile, [f"{name}=0" for name in part.off])
    with _left_out(part):
        scored = score([replace(c, lines=tuple(_kept(part, c.lines))) for c in over.corpus], under)
        real = _real(part, over.real, under)
    return Carried(
        hits=sum(each.right for each in scored.stuck),
        alarms=len(scored.alarms),
        firings=sum(map(asks, real)),
    )


@contextmanager
def _left_out(part: Part) -> Iterator[None]:
    real = [(module, name, getattr(module, name)) for module, name, _ in part.stands]
    try:
        for module, name, stand in part.stands:
            setattr(module, name, stand)
        yield
    finally:
        for module, name, function in real:
            setattr(module, name, function)


def _real(part: Part, read: Iterable[Read], under: Configuration) -> list[Transition]:
    core, tally = Core(under), Tally(under.start_mode, under.context_limit)
    reports: list[FileReport] = []
    for counts, lines in read:
        reports += tally.together(counts, core.feed(_kept(part, lines)))
    return [found for report in reports for found in report.transitions]


def _kept(part: Part, lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        event = part.keep(line.event)
        if event is not None:
            yield replace(line, event=event)


def parts(profile: str | None) -> tuple[Part, ...]:
    """Everything that can be left out, rules first."""
    return (*rules(configuration(profile).thresholds), *MECHANISMS)


def table(chosen_parts: Iterable[Part], over: Sessions, profile: str | None) -> Iterator[str]:
    """The table, a line at a time, as long as it takes."""
    base = carried(NOTHING, over, profile)
    stuck = sum(case.stuck for case in over.corpus)
    yield f"Nothing left out: {base.hits} of {stuck} stuck sessions told rightly and in time,"
    yield f"{base.alarms} of {len(over.corpus) - stuck} honest ones disturbed{_per(base, over)}."
    yield ""
    more = "" if not over.calls else " firings saved per 1,000 calls |"
    yield f"| left out | hits lost | false alarms saved |{more}"
    yield f"|---|---|---|{more and '---|'}"
    for part in chosen_parts:
        found = carried(part, over, profile)
        saved = f" {1000 * (base.firings - found.firings) / over.calls:.1f} |" if more else ""
        lost, quiet = base.hits - found.hits, base.alarms - found.alarms
        yield f"| {part.name} | {lost} | {quiet} |{saved}"


def _per(base: Carried, over: Sessions) -> str:
    if not over.calls:
        return ""
    return f",\n{base.firings} firings in {over.calls:,} real calls"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of all parts, or of those named."""
    parser = argparse.ArgumentParser(prog="tests.replay.ablation", description=__doc__)
    parser.add_argument("--profile", help="default or strict")
    parser.add_argument("--counters", action="store_true", help="a row for each counter as well")
    parser.add_argument("--part", action="append", help="one row alone, by its name")
    parser.add_argument("paths", nargs="*", type=Path, help="real session logs")
    said = parser.parse_args(arguments)
    known = parts(said.profile)
    wanted = said.part or [part.name for part in known if said.counters or not part.counter]
    unknown = set(wanted) - {part.name for part in known}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")
    over = sessions(said.paths)
    for line in table((part for part in known if part.name in wanted), over, said.profile):
        print(line, flush=True)


if __name__ == "__main__":
    main()
