"""The corpus of scenarios through everything that an event passes: edge, log, fold, reaction.

A firing is a rule with a mode as its target that tripped and was not latched, whether it changed
something or its target was in force already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from app.domain.events import Event
from app.harness import neutral
from app.replay.lines import Counts, Line
from app.replay.run import Core
from app.replay.tally import FileReport, Tally
from tests.replay.runs import configuration, scenarios

# What the corpus calls a counter, in the names of our rules.
RULES: Final[Mapping[str, frozenset[str]]] = {
    "repeated": frozenset({"repeated", "same_error"}),
    "scope": frozenset({"context"}),
}
COUNTED: Final = frozenset(
    {
        "repeated",
        "edit_failures",
        "test_failure",
        "denials",
        "timeouts",
        "scope",
        "blocked_storm",
    }
)
SHARE: Final = 0.75  # of the due firings that must come in time, with the right mode
# Another rule, which the corpus accepts as well, changed the mode first.
MISSED: Final = {"edf-02-edit-check-edit", "n2-f03-go-two-fix-ping-pong"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One scenario and what a run of it told; a transition's line is the event, from 1."""

    case: dict[str, Any]
    report: FileReport

    @property
    def right(self) -> bool:
        """Whether the due rule fired in time, with the mode that the corpus expects."""
        expect = self.case["expect"]
        rules = RULES.get(expect["counter"], frozenset({expect["counter"]}))
        return any(
            found.rule in rules
            and found.line <= expect["by_turn"]
            and expect["to_mode"] in (None, found.wanted)
            for found in self.report.transitions
        )


def outcome(case: dict[str, Any], folder: Path) -> Outcome:
    """Run one scenario in a log of its own."""
    chosen = configuration(folder)
    events = [neutral.event(raw) for raw in case["events"]]
    lines = [Line(event=e, line_no=n) for n, e in enumerate(events, 1) if isinstance(e, Event)]
    assert len(lines) == len(events)
    feed = Core(chosen).feed(lines)
    (report,) = Tally(chosen.start_mode).together({"": Counts()}, feed)
    return Outcome(case=case, report=report)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    folder = tmp_path_factory.mktemp("settings")
    return [outcome(case, folder) for case in scenarios()]


def test_a_stuck_agent_is_noticed_in_time_and_put_into_the_right_mode(
    outcomes: list[Outcome],
) -> None:
    due = [o for o in outcomes if o.case["kind"] == "should_fire"]
    counted = [o for o in due if o.case["expect"]["counter"] in COUNTED]
    missed = {o.case["id"] for o in counted if not o.right}
    assert missed == MISSED
    assert len(counted) - len(missed) >= SHARE * len(counted) > 0


def test_honest_work_keeps_its_mode_and_nothing_asks_for_another(outcomes: list[Outcome]) -> None:
    quiet = [o for o in outcomes if o.case["kind"] == "should_not_fire"]
    asked = [t for o in quiet for t in o.report.transitions if t.wanted and t.how != "proposed"]
    assert asked == []
    assert quiet


def test_blocks_never_tighten(outcomes: list[Outcome]) -> None:
    storms = [o for o in outcomes if o.case["expect"].get("counter") == "blocked_storm"]
    fired = [t for o in storms for t in o.report.transitions if t.rule == "blocked_storm"]
    assert {found.how for found in fired} == {"notice"}
