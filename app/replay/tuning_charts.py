"""The sweeps of one rule as a chart: its firings at each value, and what a person said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.charts.chart import Axis, Chart, Lines, Mark, Panel, Point, Series
from app.charts.intervals import share
from app.domain.profiles import MEANINGS
from app.replay.labels import Judged, Labels
from app.replay.report import many
from app.replay.sweep import Sweep
from app.replay.tuning import Tuned
from app.replay.tuning_report import per_1000

ENOUGH: Final = 5  # judged firings; a share of fewer says nothing
QUIET: Final = "nothing fired at any value tried"
UNJUDGED: Final = f"fewer than {ENOUGH} firings are judged at any value"
# What each rule looks for, in the words of a title.
COUNTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "repeated": "the same call again while nothing changed",
        "same_error": "the same error again and again",
        "no_progress": "calls that bring nothing new",
        "edit_failures": "failed edits of one file",
        "test_failure": "red test runs without progress",
        "timeouts": "calls that ran out of time",
        "denials": "calls that were denied",
        "success_rate": "few calls that work",
        "streak": "clean calls in a row",
        "context": "a context window that fills up",
        "review": "done and green, so worth a review",
        "coverage": "coverage below what is required",
        "blocked_storm": "blocks that come again and again",
        "escalation": "steps blocked again that need an answer",
        "error_streak": "failed calls in a row",
        "cost": "cost near the day's cap",
        "tokens_written": "many tokens written in one turn",
        "turn_seconds": "turns that take long",
    }
)


def chart(rule: str, tuned: Tuned) -> Chart:
    """What is known of a rule's thresholds; those that were not swept are left out."""
    sweeps = [sweep for sweep in tuned.sweeps if sweep.rule == rule]
    calls = tuned.base.tally.totals.calls
    highest = _highest(sweeps, calls)
    said = tuned.labels if _enough(sweeps, tuned.labels) else None
    panels = (part for sweep in sweeps for part in _panels(sweep, calls, highest, said))
    return Chart(
        title=f"{rule}: {COUNTED[rule]}",
        subtitle=" ".join((*_read(tuned), *_judging(tuned, said))),
        panels=tuple(panels),
        columns=1 if len(sweeps) == 1 and said is None else 2,
    )


def _enough(sweeps: Sequence[Sweep], said: Labels | None) -> bool:
    """Whether a precision can be told at one value at least."""
    return said is not None and any(
        said.judged(step.fires).count >= ENOUGH for sweep in sweeps for step in sweep.steps
    )


def _read(tuned: Tuned) -> Iterator[str]:
    tally = tuned.base.tally
    sessions, calls = many(len(tally.sessions), "session"), many(tally.totals.calls, "call")
    yield f"{calls} in {sessions}, profile {tuned.base.configuration.profile}."
    yield "Numbers at points: firings. Filled: the value in force."


def _judging(tuned: Tuned, said: Labels | None) -> Iterator[str]:
    if said is not None:
        yield f"Precision: the share of the judged firings that was right, where {ENOUGH} or more"
        yield "are judged, with its 95 % interval."
    elif tuned.labels is not None:
        yield f"At no value are {ENOUGH} of its firings judged, so no precision is shown."


def _highest(sweeps: Sequence[Sweep], calls: int) -> float:
    """The end of the axis of all panels, so that they compare: 1 where nothing fired."""
    rates = [per_1000(step, calls) for sweep in sweeps for step in sweep.steps]
    return max(rates, default=0) * 1.25 or 1.0


def _panels(sweep: Sweep, calls: int, highest: float, said: Labels | None) -> Iterator[Panel]:
    yield Panel(
        title=_title(sweep),
        x=_values(sweep),
        y=Axis(label="firings per 1,000 calls", low=-highest / 25, high=highest),
        content=Lines(
            series=tuple(_joined(sweep, calls)),
            marks=tuple(_marks(sweep)),
        ),
        note="" if any(step.fires for step in sweep.steps) else QUIET,
    )
    if said is not None:
        yield _precision(sweep, said)


def _title(sweep: Sweep) -> str:
    """Its name, and the default where it is none of the values on the axis."""
    default = MEANINGS[sweep.threshold].default
    told = any(step.value == default for step in sweep.steps)
    return sweep.threshold if told else f"{sweep.threshold} (default: {_number(default)})"


def _number(value: float) -> str:
    return f"{value:,.10g}" if value else "off"


def _values(sweep: Sweep) -> Axis:
    """The values tried, evenly spaced: nothing is known between them."""
    ticks = tuple(_number(step.value) for step in sweep.steps)
    return Axis(label=MEANINGS[sweep.threshold].meaning, ticks=ticks)


def _marks(sweep: Sweep) -> Iterator[Mark]:
    default = MEANINGS[sweep.threshold].default
    for place, step in enumerate(sweep.steps):
        if step.value == sweep.now:
            yield Mark(x=place, text=f"now {_number(step.value)}")
        elif step.value == default:
            yield Mark(x=place, text=f"default {_number(step.value)}", strong=False)


def _joined(sweep: Sweep, calls: int) -> Iterator[Series]:
    """Off is no value among others, so no line leads to it."""
    points = tuple(
        Point(
            x=place,
            y=per_1000(step, calls),
            text=f"{len(step.fires):,}",
            hollow=step.value != sweep.now,
        )
        for place, step in enumerate(sweep.steps)
    )
    apart = sum(not step.value for step in sweep.steps)
    if apart:
        yield Series(points=points[:apart], joined="no")
    yield Series(points=points[apart:], joined="step")


def _precision(sweep: Sweep, said: Labels) -> Panel:
    judged = [said.judged(step.fires) for step in sweep.steps]
    points = tuple(
        _share(place, one, hollow=sweep.steps[place].value != sweep.now)
        for place, one in enumerate(judged)
        if one.count >= ENOUGH
    )
    return Panel(
        title="precision by your verdicts",
        x=_values(sweep),
        y=Axis(label="precision, %", low=-4, high=118),
        content=Lines(series=(Series(points=points, joined="no"),), marks=tuple(_marks(sweep))),
        note="" if points else UNJUDGED,
    )


def _share(place: int, one: Judged, *, hollow: bool) -> Point:
    found = share(one.right, one.count)
    return Point(
        x=place,
        y=100 * found.value,
        low=100 * found.low,
        high=100 * found.high,
        text=f"{one.right} of {one.count}",
        hollow=hollow,
    )
