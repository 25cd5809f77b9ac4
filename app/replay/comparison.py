"""The same sessions under several configurations: which firings one has and another has not.

groups of events -> a side for each configuration -> the difference of two sides
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.domain.configuration import Configuration
from app.replay.fires import Fire
from app.replay.lines import Counts, Line
from app.replay.run import Core
from app.replay.tally import Tally

Read: TypeAlias = tuple[dict[str, Counts], Sequence[Line]]  # events that are read together


class Side:
    """One configuration, and what came of the sessions under it so far."""

    def __init__(self, configuration: Configuration, own: tuple[str, ...] = ()) -> None:
        self.configuration = configuration
        self.tally = Tally(configuration.start_mode, configuration.context_limit)
        self.fires: list[Fire] = []
        self._core = Core(configuration, own=own)

    def go_on(self, events: int, at: str) -> None:
        """Number the next event as if `events` had been taken before it, the last of them `at`."""
        self.tally.events, self._core.at = events, at

    def take(self, counts: dict[str, Counts], lines: Iterable[Line]) -> None:
        """The events of some more files."""
        for report in self.tally.together(counts, self._core.feed(lines)):
            self.fires += report.fires


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What fires under another configuration and did not before, and the other way round."""

    appeared: tuple[Fire, ...]
    vanished: tuple[Fire, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that it is about, most firings first."""
        counted = Counter(fire.rule for fire in (*self.appeared, *self.vanished))
        return tuple(sorted(counted, key=lambda rule: (-counted[rule], rule)))

    def of(self, rule: str) -> Difference:
        """The part of one rule."""
        return Difference(
            appeared=tuple(fire for fire in self.appeared if fire.rule == rule),
            vanished=tuple(fire for fire in self.vanished if fire.rule == rule),
        )


def difference(before: Iterable[Fire], after: Iterable[Fire]) -> Difference:
    """Two runs over the same events; a firing is the same where event, scope, rule and key are."""
    old = {fire.identity: fire for fire in before}
    new = {fire.identity: fire for fire in after}
    return Difference(
        appeared=_in_order(fire for name, fire in new.items() if name not in old),
        vanished=_in_order(fire for name, fire in old.items() if name not in new),
    )


def _in_order(found: Iterable[Fire]) -> tuple[Fire, ...]:
    return tuple(sorted(found, key=lambda fire: fire.seq))
