"""What the simulation counts is what the daemon's own log comes to for the same lots."""

from __future__ import annotations

from typing import Any

import pytest

from app.simulation.agent import World, run
from app.simulation.parameters import rule
from tests.domain.floor import Floor, body, configured
from tests.simulation.shipped import GIVEN

TRIES = 60


def asked(floor: Floor, number: int) -> dict[str, Any]:
    """One attempt of the same edit, and what its entry says that the soft rule drew."""
    target = {"path": "a.py", "zone": "project"}
    judged = floor.asks(call_id=f"c{number}", identity="edit a.py", targets=[target])
    (said,) = body(judged.entry)["soft"]
    return dict(said)


@pytest.mark.parametrize("strength", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("floor", [0.0, 0.4])
def test_an_agent_that_tries_the_same_again(strength: float, floor: float) -> None:
    under = rule(GIVEN, strength, floor)
    house = Floor(configured(soft=(under,)))
    said = [asked(house, number) for number in range(TRIES)]
    lots = tuple(each["draw"] for each in said)
    # A tool that bears nothing keeps the agent at the one step it has.
    found = run(under, -1, World(steps=(False,), tries=1, lots=lots))
    stream = house.book.session("s").streams[""]
    assert (found.blocks, found.again) == (stream.interventions, stream.blocked_then_blocked)
    assert found.blocks == sum(each["intervened"] for each in said)
    assert found.lowest == min(each["rate"] for each in said)
