"""What must hold of any judge of narrowing, as sentences: empty where all of it does.

    complaints(narrow, current, change, calls)

safe         an accepted change frees no call: by the oracle exactly, and none of some further calls
             by what is really decided
not lazy     what adds no pattern and frees nothing is accepted; what is refused shows a call that
             is freer indeed
idempotent   an accepted change is the change, and making it once more changes nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from app.domain.modes import VERDICTS, Mode
from app.domain.narrowing import Widened
from app.domain.policy import decide
from app.domain.restrictions import Call, InForce, Policy
from tests.domain.narrowing_oracle import adds, frees, said

Narrow = Callable[[Mode | Policy, Mode | Policy], Mode | Policy | Widened]


def complaints(
    narrow: Narrow, current: Mode | Policy, change: Mode | Policy, calls: Sequence[Call]
) -> list[str]:
    """Which sentences are broken for one change."""
    return [
        *_verdicts(current, calls),
        *_verdicts(change, calls),
        *_judgement(narrow, current, change, calls),
    ]


def decided(value: Mode | Policy, call: Call, red: bool = False) -> int:
    """What is decided where one value alone is in force; `red`: no test file is open."""
    modes = (value,) if isinstance(value, Mode) else ()
    policies = (value,) if isinstance(value, Policy) else ()
    held = InForce(modes=modes, policies=policies)
    return VERDICTS.index(decide(held, call, frozenset() if red else None).verdict)


def _verdicts(value: Mode | Policy, calls: Sequence[Call]) -> Iterator[str]:
    for call in calls:
        if decided(value, call) != said(value, call):
            yield f"decide says {decided(value, call)}, the design {said(value, call)}: {call}"


def _judgement(
    narrow: Narrow, current: Mode | Policy, change: Mode | Policy, calls: Sequence[Call]
) -> Iterator[str]:
    answer = narrow(current, change)
    allowed = not adds(current, change) and not frees(current, change)
    if isinstance(answer, Widened):
        if allowed:
            yield f"lazy: refuses what frees nothing: {answer}"
        if answer.why == "freer" and said(change, answer.call) >= said(current, answer.call):
            yield f"the call it shows is no freer: {answer}"
        return
    if not allowed:
        yield "not safe: accepts what frees a call or adds a pattern"
    for call in calls:
        for red in (False, True):
            if decided(change, call, red) < decided(current, call, red):
                yield f"not safe: frees {call}"
    if answer != change or narrow(answer, change) != change:
        yield "not idempotent"
