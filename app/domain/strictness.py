"""Which way a setting is no freer: what holds at once, and what waits for a person.

    enforcement, ceiling      WORDS: later in the list is no freer
    thresholds                WAYS: sooner is no freer, whatever that means for the number
    standing approvals        fewer uses
    context_limit             smaller: the window counts as full sooner
    a mode                    no probe call gets a freer verdict, and no less is handed over
    a soft rule               a new one; else it stops as many calls, as often and as strictly
    start_mode                the mode it names, in the place of the one that held
    profile                   the word decides nothing; what it brings is compared by itself

What is not known to be no freer counts as freer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from app.domain.configuration import POSTURES
from app.domain.events import Json
from app.domain.modes import definition, mode_of
from app.domain.narrowing import direction
from app.domain.softrules import no_freer_rule, soft_rule_of

Way: TypeAlias = Literal["lower", "zero_is_soonest", "higher", "switch", "apart", "asks"]

# How a threshold comes to be met sooner. Those that stand in no row are met sooner by a lower
# number, and 0 turns them off.
WAYS: Final[Mapping[str, Way]] = {
    # Compared with "below": a higher number is met by more, and 0 by nothing.
    "success_rate.low": "higher",
    "success_rate.severe": "higher",
    "repeated.poll_seconds": "higher",
    # A further condition of another check, where 0 asks for nothing.
    "success_rate.distinct": "zero_is_soonest",
    "review.to_mode": "switch",
    # At 1 a red run changes the mode in implementation only (docs/detection.md 2.5).
    "test_failure.reds": "apart",
    "test_failure.names": "apart",
    # They change nothing but ask a person for something freer: asking less often is no freer.
    "streak.clean": "asks",
    "coverage.gap": "asks",
}
MEANT: Final[Mapping[Way, str]] = {
    "lower": "lower; 0 is freer, as it turns the check off",
    "zero_is_soonest": "lower, down to 0",
    "higher": "higher; 0 is freer, as it turns the check off",
    "switch": "1",
    "apart": "lower, but not to 1: at 1 it counts in implementation only",
    "asks": "higher, or 0: it only asks for something freer, and then less often",
}
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "enforcement": ("observe", "enforce"),
    "ceiling": POSTURES,
}


def no_freer(setting: str, old: Json, new: Json) -> bool:
    """Whether a setting may change at once; None stands for one that is not there.

    `start_mode`, and a mode that is no more, depend on the others (reconfiguration.py).
    """
    table, _, name = setting.partition(".")
    match table:
        case "profile":
            return True
        case "enforcement" | "ceiling":
            return _word(WORDS[table], old, new)
        case "context_limit":
            return 0 < _number(new) <= _number(old)
        case "rules":
            return sooner(name, _number(old), _number(new))
        case "standing":
            return _number(new) <= _number(old)
        case "modes":
            return _mode(name, old, new)
        case "soft":
            return _soft(name, old, new)
        case _:
            return False


def sooner(threshold: str, old: float, new: float) -> bool:
    """Whether a threshold is met no later by `new` than by `old`; of a check that asks: no sooner.

    `threshold` is its key, `rule.name`.
    """
    return COMPARED[WAYS.get(threshold, "lower")](old, new)


def _lower(old: float, new: float) -> bool:
    return not old or 0 < new <= old


def _apart(old: float, new: float) -> bool:
    """A number that counts in one mode only is neither sooner nor later than one for all."""
    return not old or (0 < new <= old and (new > 1 or old <= 1))


COMPARED: Final[Mapping[Way, Callable[[float, float], bool]]] = {
    "lower": _lower,
    "zero_is_soonest": lambda old, new: new <= old,
    "higher": lambda old, new: new >= old,
    "switch": lambda old, new: bool(new) >= bool(old),
    "apart": _apart,
    "asks": lambda old, new: not new or 0 < old <= new,
}


def _word(words: tuple[str, ...], old: Json, new: Json) -> bool:
    return old in words and new in words and words.index(str(new)) >= words.index(str(old))


def _number(value: Json) -> float:
    """What a setting that is not there counts as: a check that is off, an approval without uses."""
    return float(value) if isinstance(value, int | float) else 0.0


def _mode(name: str, old: Json, new: Json) -> bool:
    """A new mode frees nothing: without a person's yes nothing leads there but `start_mode`."""
    if old is None:
        return True
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    before, after = mode_of(name, old), mode_of(name, new)
    if _opens_a_way(name, before.handoff, after.handoff):
        return False
    return direction(before, after) != "loosen" and _hands_over(
        definition(before), definition(after)
    )


def _soft(name: str, old: Json, new: Json) -> bool:
    if old is None:
        return True
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    return no_freer_rule(soft_rule_of(name, old), soft_rule_of(name, new))


LEFT: Final = frozenset({"debug", "plan"})  # a standing approval leaves them for what they ask for
JUDGED: Final = frozenset({"tools", "writes", "shell"})  # what verdicts are made from


def _hands_over(before: Mapping[str, Json], after: Mapping[str, Json]) -> bool:
    """Whether what a mode asks for is still asked for: more may be, nothing else."""
    return all(_asked(before[field], after.get(field)) for field in before.keys() - JUDGED)


def _opens_a_way(name: str, before: Json, after: Json) -> bool:
    """Whether a mode comes to ask for what a standing approval takes for leaving it."""
    return name in LEFT and before != after


def _asked(before: Json, after: Json) -> bool:
    if isinstance(before, list) and isinstance(after, list):
        return all(part in after for part in before)
    return not before or after == before
