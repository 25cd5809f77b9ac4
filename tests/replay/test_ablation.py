"""What each rule buys: without a rule hits are lost, without a mechanism there are more alarms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.replay.ablation import (
    MECHANISMS,
    NOTHING,
    Part,
    Sessions,
    carried,
    main,
    parts,
    sessions,
)
from tests.replay.runs import calls, neutral_file

TIMEOUTS = {"tool": "Fetch", "arguments": {"url": "https://shop.test"}, "outcome": "timeout"}


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """The corpus, and a file in which one call fails four times and another times out thrice."""
    path = tmp_path_factory.mktemp("real") / "a.jsonl"
    waits = [{"session_id": "b", **TIMEOUTS, "arguments": {"url": f"{n}"}} for n in range(3)]
    return sessions([neutral_file(path, [*calls("a", 4), *waits])])


def part(name: str) -> Part:
    return next(each for each in parts(None) if each.name == name)


def test_a_rule_that_is_left_out_costs_its_own_hits_and_firings(over: Sessions) -> None:
    base = carried(NOTHING, over)
    assert (base.firings, base.alarms, over.calls) == (2, 0, 7)
    for name in ("repeated", "timeouts"):
        found = carried(part(name), over)
        assert found.hits < base.hits
        assert (found.firings, found.alarms) == (1, 0)


def test_without_the_change_of_state_honest_sessions_are_disturbed(over: Sessions) -> None:
    assert carried(part("change of state"), over).alarms > carried(NOTHING, over).alarms


def test_what_is_left_out_is_back_afterwards(over: Sessions) -> None:
    base = carried(NOTHING, over)
    for each in MECHANISMS:
        carried(each, Sessions(corpus=over.corpus[:1], real=(), calls=0))
    assert carried(NOTHING, over) == base


def test_the_table_has_a_row_for_each_part_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(call) + "\n" for call in calls("a", 4)))
    main(["--part", "repeated", "--part", "denials", str(path)])
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("|")[1:-1] for line in lines if line.startswith("|")]
    assert [row[0].strip() for row in rows[2:]] == ["denials", "repeated"]
    assert [float(row[3]) for row in rows[2:]] == [0, 250]
