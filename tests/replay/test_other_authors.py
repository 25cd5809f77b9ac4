"""Sessions by authors who had read neither the rules nor the scenarios: what holds now stays so.

What the rules made of them at first contact stands in docs/detection.md 3. A change that makes any
of these figures worse has to say why; one that was made for a single session is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import pytest

from tests.replay.cases import indexed
from tests.replay.runs import CASES
from tests.replay.scoring import configuration, score


class Bar(NamedTuple):
    """How many of the stuck are noticed, how many rightly and in time, who is disturbed."""

    noticed: int
    right: int
    disturbed: frozenset[str] = frozenset()


BARS: Final[Mapping[str, Bar]] = {
    "first": Bar(20, 16),
    "second": Bar(10, 9),
    # A test that stays red while the agent prints its way to the cause.
    "unkind": Bar(10, 7, frozenset({"zephyr"})),
}


@pytest.mark.parametrize("name", BARS)
def test_sessions_of_other_authors_are_read_as_well_as_before(name: str) -> None:
    scored = score(indexed(CASES / "other_authors" / name), configuration())
    bar = BARS[name]
    assert {each.case.name for each in scored.alarms} <= bar.disturbed
    assert sum(bool(each.fired) for each in scored.stuck) >= bar.noticed
    assert sum(each.right for each in scored.stuck) >= bar.right
