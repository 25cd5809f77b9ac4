"""What a replay prints, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.replay.post import Waiting
from app.replay.report import as_json, file_lines, plain, totals_lines, waiting_line
from tests.replay.many import many
from tests.replay.runs import calls, neutral_file, ran

# The keys of the seed prototype.
FILE_KEYS = {"log", "total_turns", "final_mode", "counters", "transitions"}
COUNTER_KEYS = {"success_rate", "denial_rate", "timeout_count", "scope_utilization"}
TRANSITION_KEYS = {"turn", "from", "to", "reason", "automatic"}


def test_people_see_what_changed_why_and_the_calls_behind_it(tmp_path: Path) -> None:
    looping = neutral_file(tmp_path / "a.jsonl", calls("s", 3))
    quiet = neutral_file(tmp_path / "b.jsonl", [*calls("s", 1), {"tool": 1}])
    reports, tally = ran(tmp_path, looping, quiet)
    assert [line for report in reports for line in file_lines(report)] == [
        f"{looping} (neutral): 3 calls; ends in plan, success rate 0%, denial rate 0%, timeouts 0, "
        "context 0%",
        "  turn 3  implementation -> plan  automatic  repeated: same failing call 3 times, "
        "nothing changed in between (turns 1, 2, 3)",
        f"{quiet} (neutral): 1 call; ends in plan, success rate 0%, denial rate 0%, timeouts 0, "
        "context 0%",
    ]
    assert list(totals_lines(tally)) == [
        "2 files, 1 session, 4 calls: error 4",
        "1 firing (25 per 100 calls): repeated 1",
        "per 100 calls: repeated 25",
        "1 change applied: repeated 1",
        "1 proposal: return 1",
        "0 notices",
        "1 line unreadable of 5",
    ]


def test_a_scope_is_named_where_it_is_not_the_only_session(tmp_path: Path) -> None:
    events = [*calls("s", 3), *calls("t", 3, agent_id="helper")]
    (report,), _ = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", events))
    _, first, second = file_lines(report)
    assert first.startswith("  turn 3 of s  ")
    assert second.startswith("  turn 3 of t/helper  ")


def test_a_notice_and_a_signal_change_nothing(tmp_path: Path) -> None:
    full = calls("s", 1, outcome="ok", context_tokens=190_000)
    (report,), tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", full))
    _, line = file_lines(report)
    assert line == (
        "  turn 1  implementation  notice  context: context 95% full: compact, or go on in a new "
        "session from the handoff (turn 1)"
    )
    assert dict(tally.totals.notices) == dict(tally.totals.firings) == {"context": 1}


def test_programs_find_the_prototypes_keys_with_its_meaning(tmp_path: Path) -> None:
    outcomes = ["ok", "denied", "timeout", "error"]
    events = [
        {**call, "outcome": outcome, "arguments": {"command": outcome}, "context_tokens": 50_000}
        for call, outcome in zip(calls("s", 4), outcomes, strict=True)
    ]
    ended = [{**events[0], "outcome": outcome} for outcome in ("unknown", "interrupted")]
    reports, tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", [*events, *ended]))
    said = json.loads(json.dumps(as_json(reports, tally)))
    assert said.keys() >= FILE_KEYS
    assert (said["total_turns"], said["final_mode"]) == (6, "implementation")
    assert said["counters"] == {
        "success_rate": 0.25,
        "denial_rate": 0.25,
        "timeout_count": 1,
        "scope_utilization": 0.25,
    }


def test_counters_without_a_call_are_the_prototypes(tmp_path: Path) -> None:
    reports, tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", []))
    said = json.loads(json.dumps(as_json(reports, tally)))
    assert said["counters"].keys() == COUNTER_KEYS
    assert (said["counters"]["success_rate"], said["final_mode"]) == (1.0, "implementation")


def test_a_transition_has_the_prototypes_keys_and_its_evidence(tmp_path: Path) -> None:
    reports, tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", calls("s", 3)))
    (found,) = json.loads(json.dumps(as_json(reports, tally)))["transitions"]
    assert found.keys() >= TRANSITION_KEYS
    assert found == {
        "turn": 3,
        "from": "implementation",
        "to": "plan",
        "reason": "same failing call 3 times, nothing changed in between",
        "automatic": True,
        "how": "automatic",
        "action": "mode",
        "scope": "s",
        "rule": "repeated",
        "value": 3,
        "threshold": 3,
        "wanted": "plan",
        "calls": [1, 2, 3],
        "line": 3,
    }


def test_a_proposal_is_not_automatic(tmp_path: Path) -> None:
    gap = calls("s", 1, outcome="ok", coverage={"percent": 40, "required": 80})
    reports, tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", gap))
    (found,) = json.loads(json.dumps(as_json(reports, tally)))["transitions"]
    assert (found["to"], found["how"], found["automatic"]) == (
        "test_development",
        "proposed",
        False,
    )
    assert dict(tally.totals.proposals) == {"coverage": 1}
    assert dict(tally.totals.firings) == {"coverage": 1}


def test_several_files_stand_in_a_list_beside_the_totals(tmp_path: Path) -> None:
    paths = [neutral_file(tmp_path / name, calls(name, 3)) for name in ("a.jsonl", "b.jsonl")]
    reports, tally = ran(tmp_path, *paths)
    said = json.loads(json.dumps(as_json(reports, tally)))
    assert said.keys() == {"files", "totals"}
    assert [file["log"] for file in said["files"]] == [str(path) for path in paths]
    assert said["totals"]["firings_per_100_calls_by_rule"] == {"repeated": 33.33}
    assert said["totals"]["sessions"] == 2


def test_verdicts_and_crossings_of_a_harness_that_asks_are_told(tmp_path: Path) -> None:
    asks = {"session_id": "s", "kind": "attempt", "tool": "Write"}
    events = [
        {**asks, "call_id": "1", "arguments": {"file_path": "tests/test_a.py", "content": ""}},
        {**asks, "call_id": "2", "arguments": {"file_path": ".git/config", "content": ""}},
    ]
    (report,), tally = ran(tmp_path, neutral_file(tmp_path / "a.jsonl", events))
    assert [(t.before, t.after, t.how) for t in report.transitions] == [
        ("implementation", "test_development", "standing")
    ]
    assert report.final_mode == "test_development"
    assert dict(tally.totals.verdicts) == {"none": 1, "deny": 1}
    told = list(totals_lines(tally))
    assert "2 verdicts: deny 1, none 1" in told
    assert "1 change by a standing approval" in told


def test_what_waits_is_named_up_to_ten() -> None:
    some = [Waiting(seq=seq, verb="approve", scope="s") for seq in range(1, 13)]
    assert waiting_line(some[:1]) == "1 waits: approve 1"
    assert waiting_line(some[:2]) == "2 wait: approve 1, approve 2"
    assert waiting_line(some).endswith("approve 10, ...; `floorboss status` names all")
    assert waiting_line([]) == "Nothing waits for a person."


def test_a_name_from_a_file_moves_no_cursor() -> None:
    assert plain("a\x1b[2Jb\u202ec") == "a\\u001b[2Jb\\u202ec"


def test_each_file_names_its_format_and_the_run_counts_them(tmp_path: Path) -> None:
    codex = many(tmp_path / "a.log", "Codex", 2, 5)
    noise = tmp_path / "b.jsonl"
    noise.write_text("noise\n")
    (tmp_path / "c.jsonl").write_text("")
    (tmp_path / "package.json").write_text('{"name": "shop"}')
    reports, tally = ran(tmp_path, tmp_path)
    lines = [next(file_lines(report)) for report in reports]
    assert lines[0].startswith(f"{codex} (Codex): 2 calls; ends in ")
    assert lines[1:] == [f"{noise}: no session log that is read here", f"{tmp_path}/c.jsonl: empty"]
    assert "2 formats: none 2, Codex 1" in totals_lines(tally)
    whole: dict[str, Any] = as_json(reports, tally)
    assert [file["format"] for file in whole["files"]] == ["Codex", None, None]
    assert whole["totals"]["formats"] == {"none": 2, "Codex": 1}
