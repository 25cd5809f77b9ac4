"""Tuning: every threshold swept over the sessions of files that are read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from app.domain.configuration import Configuration
from app.replay.comparison import Read, Side
from app.replay.fires import Fire
from app.replay.labels import Labels
from app.replay.lines import Line
from app.replay.sweep import Sweep, inert, swept, values_of

Watch = Callable[[Iterable[Line]], Iterable[Line]]  # counts events as they pass
Run = Callable[[str, float], Sequence[Fire]]  # what fires with one threshold at a value


@dataclass(slots=True, kw_only=True)
class Tuned:
    """What a sweep is compared with: the sessions as they are now, and a person's verdicts."""

    base: Side
    sweeps: list[Sweep] = field(default_factory=list)
    labels: Labels | None = None

    @property
    def fires(self) -> list[Fire]:
        """Every firing under any value."""
        tried = [fire for sweep in self.sweeps for step in sweep.steps for fire in step.fires]
        return [*self.base.fires, *tried]


def folded(
    held: Sequence[Read], configuration: Configuration, watch: Watch, own: tuple[str, ...] = ()
) -> Side:
    """The sessions under one configuration; `own` is what no agent may write."""
    side = Side(configuration, own)
    for counts, lines in held:
        side.take(counts, watch(lines))
    return side


def sweeps(base: Side, thresholds: Sequence[str], run: Run) -> Iterator[Sweep]:
    """Sweep after sweep, each value a run of its own over the events."""
    for name in thresholds:
        yield swept(name, base.configuration.thresholds, base.fires, partial(run, name))


def runs(base: Side, thresholds: Sequence[str]) -> int:
    """How many runs over the events the sweeps take."""
    now, fired = base.configuration.thresholds, {fire.rule for fire in base.fires}
    return sum(
        not inert(name, value, now, fired)
        for name in thresholds
        for value in values_of(name, now.get(name, 0))
    )
