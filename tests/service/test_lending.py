"""APR-06 and APR-13: what holds for some minutes, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.domain.decisions import Refusal
from app.domain.limits import Limit
from app.domain.proposing import Wish
from app.domain.state import in_force
from app.service.control import Decided
from app.service.writer import Unavailable
from tests.domain.floor import ANN, AT
from tests.service.house import House, attempt, call, house

MINUTES = 5
TTL = 60 * MINUTES  # seconds


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as opened:
        yield opened


def at(seconds: float) -> str:
    """The log's time so many seconds after the loosening."""
    moment = datetime.fromisoformat(AT) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wish(mode: str, state: str | None, limit: Limit | None) -> Wish:
    return Wish(
        scope="s",
        action="mode",
        value={"mode": mode},
        reason="for now",
        actor=ANN,
        decide=True,
        expected_state=state,
        limit=limit,
    )


def lend(home: House) -> int:
    """Plan by a person, then implementation for five minutes; the seq of the loosening."""
    home.stored(call())
    decided(home, "plan", None)
    return decided(home, "implementation", Limit(kind="minutes", amount=MINUTES))


def decided(home: House, mode: str, limit: Limit | None) -> int:
    """A mode that a person put in force for the state they were shown; its seq."""
    shown = home.run(home.control.wish(wish(mode, None, limit), dry_run=True))
    assert isinstance(shown, Decided)
    done = home.run(home.control.wish(wish(mode, shown.state, limit)))
    assert isinstance(done, Decided)
    return done.entries[-1].seq


def mode(home: House) -> str:
    found = home.run(home.control.session("s"))
    assert not isinstance(found, Unavailable)
    return in_force(found[0], "s", home.control.configuration).modes[0].name


@pytest.mark.parametrize(
    ("clock", "held", "verdict"),
    [
        ([TTL - 1], "implementation", "none"),
        ([TTL], "plan", "deny"),
        ([TTL + 1], "plan", "deny"),
        ([-3600], "implementation", "none"),
        ([-3600, TTL - 1], "implementation", "none"),
        ([-3600, TTL + 1], "plan", "deny"),
        ([TTL + 1, 0], "plan", "deny"),
        ([8 * 3600], "plan", "deny"),
    ],
    ids=[
        "one second before", "exactly", "one second after", "stepped back", "back and forth",
        "back and beyond", "over once is over", "asleep for a night",
    ],
)  # fmt: skip
def test_a_loosening_holds_for_exactly_its_minutes(
    home: House, clock: list[float], held: str, verdict: str
) -> None:
    """APR-06: the end is looked for where the verdict is written, whatever the clock did."""
    lend(home)
    answers = []
    for moment in clock:
        home.at = at(moment)
        answers.append(home.verdict(attempt(arguments={"file_path": f"src/{moment}.py"})))
    last = answers[-1]
    assert getattr(last, "verdict", None) == verdict
    assert mode(home) == held


def test_when_its_time_is_over_the_tighter_state_is_back_and_one_row_says_so(home: House) -> None:
    """APR-13: an end is neither tightened nor loosened by anybody; it is one `ended` entry."""
    lent = lend(home)
    home.at = at(TTL)
    for _ in range(3):
        home.stored(call())
        home.run(home.control.flush())
        home.verdict(attempt())
    (ended,) = home.entries("ended")
    assert (ended.ref, ended.actor, ended.direction) == (lent, "machine", "tighten")
    assert ended.body["in_force"] == {"mode": "plan", "posture": "yolo", "also": []}
    assert mode(home) == "plan"
    changes = [(entry.kind, entry.seq) for entry in home.entries() if entry.action == "mode"]
    assert changes[-2:] == [("applied", lent), ("ended", ended.seq)]


def test_an_end_outlives_a_restart(home: House, tmp_path: Path) -> None:
    """APR-13: nobody was there when its time ran out; the first look writes the end, once."""
    lend(home)
    home.control.close()
    with house(tmp_path) as again:
        again.at = at(TTL + 1)
        assert mode(again) == "plan"
        assert mode(again) == "plan"
        assert len(again.entries("ended")) == 1


def test_the_next_look_at_what_is_due_ends_it_once(home: House) -> None:
    lend(home)
    home.at = at(TTL)
    for _ in range(2):
        home.run(home.control.flush())
    assert [entry.kind for entry in home.entries()[-2:]] == ["applied", "ended"]


def test_a_decision_is_about_what_holds_once_ends_are_written(home: House) -> None:
    lend(home)
    seen = home.run(home.control.wish(wish("debug", None, None), dry_run=True))
    assert isinstance(seen, Decided)
    home.at = at(TTL)
    answer = home.run(home.control.wish(wish("debug", seen.state, None)))
    assert isinstance(answer, Refusal)
    assert answer.why == "state_changed"
    assert [entry.kind for entry in home.entries()[-2:]] == ["ended", "refused"]
