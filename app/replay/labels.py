"""A person's verdicts on firings: which were right, and how many of them each value keeps.

One JSON object a line: `{"session": "s", "turn": 3, "rule": "repeated", "verdict": "right"}`. In
place of `turn` there may be `seq`, the number that `floorboss tune --json` gives the firing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from app.config.keys import nearest
from app.domain.entries import session_of
from app.domain.profiles import MEANINGS
from app.replay.fires import Fire

Verdict: TypeAlias = bool  # True: the firing was right
Name: TypeAlias = tuple[str, str, int, str]  # turn or seq, session or agent, number, rule
RULES: Final = tuple(dict.fromkeys(name.partition(".")[0] for name in MEANINGS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Why a file of verdicts cannot be taken."""

    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Firings by what a person said of them."""

    right: int
    wrong: int
    unjudged: int

    @property
    def count(self) -> int:
        """How many were judged."""
        return self.right + self.wrong

    @property
    def precision(self) -> float | None:
        """The share of the judged firings that were right; None where none was judged."""
        return round(self.right / self.count, 3) if self.count else None


@dataclass(frozen=True, slots=True)
class Labels:
    """Verdicts by the firing that they name; the later of two on one firing counts."""

    verdicts: Mapping[Name, Verdict]

    def judged(self, fires: Iterable[Fire]) -> Judged:
        """Some firings, counted by verdict."""
        said = [self._of(fire) for fire in fires]
        return Judged(right=said.count(True), wrong=said.count(False), unjudged=said.count(None))

    def unmatched(self, fires: Iterable[Fire]) -> int:
        """How many verdicts are about none of these firings."""
        return len(self.verdicts.keys() - {name for fire in fires for name in _names(fire)})

    def _of(self, fire: Fire) -> Verdict | None:
        said = (self.verdicts[name] for name in _names(fire) if name in self.verdicts)
        return next(said, None)


def _names(fire: Fire) -> tuple[Name, ...]:
    """What a verdict may call a firing, its agent before its session."""
    return tuple(
        (kind, scope, number, fire.rule)
        for scope in dict.fromkeys((fire.scope, session_of(fire.scope)))
        for kind, number in (("seq", fire.seq), ("turn", fire.turn))
    )


def labels(text: str) -> Labels | Malformed:
    """The verdicts of a file, or what is wrong with its first faulty line."""
    found: dict[Name, Verdict] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        one = _label(line)
        if isinstance(one, Malformed):
            return Malformed(detail=f"line {number}: {one.detail}")
        name, verdict = one
        found.pop(name, None)
        found[name] = verdict
    return Labels(found)


def _label(line: str) -> tuple[Name, Verdict] | Malformed:
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        return Malformed(detail="no JSON")
    if not isinstance(said, dict):
        return Malformed(detail="expected an object")
    session, rule, verdict = (said.get(name) for name in ("session", "rule", "verdict"))
    kind = "seq" if "seq" in said else "turn"
    if not isinstance(session, str) or type(said.get(kind)) is not int:
        return Malformed(detail="expected a session, and its turn or a seq as a whole number")
    if rule not in RULES:
        return Malformed(detail=f'no rule "{rule}"; the nearest is "{nearest(str(rule), RULES)}"')
    if verdict not in ("right", "wrong"):
        return Malformed(detail='the verdict is "right" or "wrong"')
    return (kind, session, said[kind], rule), verdict == "right"
