"""What people decide, what harnesses may not, and what is in force afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.service.tokens import CallerRole
from tests.api.running import FAILING, Running

REVIEW = {"scope": "s", "action": "mode", "value": {"mode": "review"}, "reason": "look first"}
OPEN = {"scope": "s", "action": "mode", "value": {"mode": "implementation"}, "reason": "go on"}


def decide(
    running: Running, verb: str, seq: int, state: str | None = None, query: str = ""
) -> tuple[int, dict[str, Any]]:
    body = None if state is None else {"expected_state": state, "reason": "as I said"}
    response = running.ask("POST", f"/controller/{verb}/{seq}{query}", body, role="operator")
    return response.status_code, response.json()


def kinds(answer: dict[str, Any]) -> list[str]:
    return [entry["kind"] for entry in answer["entries"]]


def test_approving_the_way_back_puts_back_what_lay_beneath(running: Running) -> None:
    applied, proposed = running.tightened()
    status, answer = decide(running, "approve", proposed["seq"], running.state("s"))
    assert status == 200
    assert kinds(answer) == ["approved", "reverted"]
    assert [entry["actor"] for entry in answer["entries"]] == ["human:ada"] * 2
    assert answer["entries"][1]["ref"] == applied["seq"]
    assert answer["in_force"]["mode"] == "implementation"
    assert answer["in_force"] == {
        key: value
        for key, value in running.get("/controller/overrides?scope=s").items()
        if key != "overrides"
    }
    assert "implementation" in answer["summary"]
    assert running.log()[-2:] == answer["entries"]


def test_after_an_approved_return_the_same_counters_must_be_earned_again(running: Running) -> None:
    _, proposed = running.tightened()
    _, answer = decide(running, "approve", proposed["seq"], running.state("s"))
    assert [running.event("s", **FAILING)["fired"] for _ in range(2)] == [[], []]
    applied, _ = running.tightened()
    (cause,) = applied["body"]["because"]
    assert len(cause["seqs"]) >= 3
    assert min(cause["seqs"]) > answer["entries"][-1]["seq"]


@pytest.mark.parametrize("verb", ["approve", "revert"])
def test_a_decision_on_another_state_than_was_seen_changes_nothing(
    running: Running, verb: str
) -> None:
    applied, proposed = running.tightened()
    seq = proposed["seq"] if verb == "approve" else applied["seq"]
    seen = running.state("s")
    running.post("/controller/propose", {**REVIEW, "action": "policy", "value": {"posture": "ask"}})
    running.post(
        "/controller/propose",
        {**REVIEW, "scope": "*", "decide": True},
    )
    before = running.get("/controller/overrides?scope=s")
    status, problem = decide(running, verb, seq, seen)
    assert (status, problem["type"]) == (409, "/problems/state_changed")
    assert problem["state"] == running.state("s")
    assert running.get("/controller/overrides?scope=s") == before
    last = running.log()[-1]
    assert (last["kind"], last["body"]["why"], last["ref"]) == ("refused", "state_changed", seq)


@pytest.mark.parametrize("verb", ["approve", "revert", "apply"])
def test_a_decision_says_which_state_was_seen(running: Running, verb: str) -> None:
    applied, proposed = running.tightened()
    wished = running.post("/controller/propose", {**REVIEW, "value": {"mode": "plan"}})
    seqs = {"approve": proposed["seq"], "revert": applied["seq"], "apply": wished["seq"]}
    before = running.log()
    status, problem = decide(running, verb, seqs[verb])
    assert (status, problem["type"]) == (428, "/problems/state_missing")
    assert running.log() == before


def test_apply_on_a_loosening_names_approve_and_changes_nothing(running: Running) -> None:
    _, proposed = running.tightened()
    status, problem = decide(running, "apply", proposed["seq"], running.state("s"))
    assert (status, problem["type"]) == (409, "/problems/wrong_verb")
    assert f"approve {proposed['seq']}" in problem["detail"]
    assert running.get("/controller/overrides?scope=s")["mode"] == "plan"
    would = decide(running, "approve", proposed["seq"], query="?dry_run=true")[1]["difference"]
    (kept,) = running.log("&kind=refused")
    assert kept["body"]["freer"] == problem["freer"] == would["freer"]
    outlined = running.get(f"/controller/log/{kept['seq']}", "outline")
    assert outlined["body"]["freer"] == {"length": len(json.dumps(would["freer"]))}


def test_approve_on_a_tightening_names_apply(running: Running) -> None:
    seq = running.post("/controller/propose", REVIEW, "harness")["seq"]
    status, problem = decide(running, "approve", seq, running.state("s"))
    assert (status, problem["type"]) == (409, "/problems/wrong_verb")
    assert f"apply {seq}" in problem["detail"]
    status, answer = decide(running, "apply", seq, running.state("s"))
    assert (status, kinds(answer)[0], answer["in_force"]["mode"]) == (200, "applied", "review")


@pytest.mark.parametrize("verb", ["approve", "revert", "apply", "dismiss"])
@pytest.mark.parametrize("dry_run", ["", "?dry_run=true"])
def test_a_harness_that_decides_is_refused_and_named(
    running: Running, verb: str, dry_run: str
) -> None:
    applied, proposed = running.tightened()
    seq = applied["seq"] if verb == "revert" else proposed["seq"]
    before = running.get("/controller/overrides?scope=s")
    body = {"expected_state": before["state"]}
    for _ in range(3):
        response = running.ask("POST", f"/controller/{verb}/{seq}{dry_run}", body)
        assert (response.status_code, response.json()["type"]) == (403, "/problems/wrong_role")
    assert running.get("/controller/overrides?scope=s") == before
    (kept,) = running.log("&kind=refused")
    assert (kept["scope"], kept["ref"], kept["actor"]) == ("s", seq, "machine")
    assert {key: kept["body"][key] for key in ("why", "attempted", "by")} == {
        "why": "wrong_role",
        "attempted": verb,
        "by": "harness:harness",
    }


def test_identical_refusals_are_counted_in_one_more_entry(tmp_path: Path) -> None:
    running = Running(tmp_path / "state")
    _, proposed = running.tightened()
    for _ in range(5):
        running.ask("POST", f"/controller/approve/{proposed['seq']}")
    running.ask("POST", f"/controller/approve/{proposed['seq']}", role="reader")
    running.daemon.close()  # writes what was counted, as the minute's end does
    again = Running(tmp_path / "state")
    kept = [(e["body"]["by"], e["body"].get("count")) for e in again.log("&kind=refused")]
    assert kept == [("harness:harness", None), ("reader:auditor", None), ("harness:harness", 4)]
    again.daemon.close()


def test_propose_and_decide_by_a_harness_writes_no_proposal(running: Running) -> None:
    response = running.ask("POST", "/controller/propose", {**REVIEW, "decide": True})
    assert response.status_code == 403
    assert running.log("&kind=proposed") == []
    (kept,) = running.log("&kind=refused")
    assert (kept["scope"], kept["action"]) == ("s", "mode")
    assert kept["body"]["attempted"] == "propose and decide"


def test_a_reader_cannot_propose_and_is_named(running: Running) -> None:
    assert running.ask("POST", "/controller/propose", REVIEW, role="reader").status_code == 403
    (kept,) = running.log("&kind=refused")
    assert kept["body"]["by"] == "reader:auditor"


def test_who_has_no_token_is_told_so_and_not_logged(running: Running) -> None:
    before = running.log()
    assert running.ask("POST", "/controller/approve/1", role="outline").status_code == 401
    assert running.log() == before


def test_reverting_the_newest_applied_entry_shows_what_is_in_force_again(running: Running) -> None:
    first, _ = running.tightened()
    wish = {**REVIEW, "decide": True, "expected_state": running.state("s")}
    second = running.post("/controller/propose", wish)
    assert second["in_force"]["mode"] == "review"
    seq = next(entry["seq"] for entry in second["entries"] if entry["kind"] == "applied")
    promised = decide(running, "revert", seq, query="?dry_run=true")[1]
    status, answer = decide(running, "revert", seq, promised["expected_state"])
    assert status == 200
    assert (answer["in_force"]["mode"], answer["in_force"]["seqs"]) == ("plan", [first["seq"]])
    assert promised["in_force"] == answer["in_force"]
    assert "plan" in answer["summary"]
    shown = running.get("/controller/overrides?scope=s")["overrides"]["mode"]["seq"]
    assert shown == first["seq"]


def test_an_older_proposal_that_is_applied_later_is_the_one_in_force(running: Running) -> None:
    older = running.post("/controller/propose", REVIEW, "harness")["seq"]
    plan = {**REVIEW, "value": {"mode": "plan"}}
    newer = running.post("/controller/propose", plan, "harness")["seq"]
    assert older < newer
    assert decide(running, "apply", newer, running.state("s"))[0] == 200
    assert running.get("/controller/overrides?scope=s")["mode"] == "plan"
    status, answer = decide(running, "apply", older, running.state("s"))
    assert (status, answer["in_force"]["mode"]) == (200, "review")
    assert running.get("/controller/overrides?scope=s")["overrides"]["mode"]["ref"] == older


def test_a_dry_run_promises_what_the_run_then_does_and_writes_nothing(running: Running) -> None:
    _, proposed = running.tightened()
    before = running.log()
    status, promised = decide(running, "approve", proposed["seq"], query="?dry_run=true")
    assert status == 200
    assert set(promised) == {"in_force", "expected_state", "difference"}
    freer = promised["difference"]["freer"]
    assert [item["name"] for item in freer["tools"]] == [
        "edit",
        "write",
        "test",
        "unknown",
        "unknown_closed",
    ]
    assert [item["name"] for item in freer["paths"]] == ["project", "given", "temporary"]
    assert {"git_record", "unknown"} < {item["name"] for item in freer["commands"]}
    assert not any(promised["difference"]["stricter"].values())
    assert promised["expected_state"] == running.state("s")
    assert running.log() == before
    _, answer = decide(running, "approve", proposed["seq"], promised["expected_state"])
    assert {k: v for k, v in answer["in_force"].items() if k not in ("seqs", "state")} == {
        k: v for k, v in promised["in_force"].items() if k not in ("seqs", "state")
    }


def test_what_was_decided_is_not_decided_again(running: Running) -> None:
    applied, proposed = running.tightened()
    assert decide(running, "dismiss", proposed["seq"])[0] == 200
    for verb in ("approve", "dismiss"):
        status, problem = decide(running, verb, proposed["seq"], running.state("s"))
        assert (status, problem["type"]) == (409, "/problems/already_decided")
    assert decide(running, "revert", applied["seq"], running.state("s"))[0] == 200
    status, problem = decide(running, "revert", applied["seq"], running.state("s"))
    assert (status, problem["type"]) == (409, "/problems/already_decided")


def test_a_dismissed_way_back_leaves_the_restriction(running: Running) -> None:
    _, proposed = running.tightened()
    status, answer = decide(running, "dismiss", proposed["seq"])
    assert (status, answer["in_force"]["mode"]) == (200, "plan")
    assert kinds(answer)[0] == "dismissed"


def test_a_new_tightening_voids_what_would_loosen(running: Running) -> None:
    running.post("/controller/propose", {**REVIEW, "decide": True})
    seq = running.post("/controller/propose", OPEN, "harness")["seq"]
    wish = {**REVIEW, "action": "policy", "value": {"posture": "read-only"}, "decide": True}
    running.post("/controller/propose", wish)
    status, problem = decide(running, "approve", seq, running.state("s"))
    assert (status, problem["type"]) == (410, "/problems/void")


@pytest.mark.parametrize("verb", ["approve", "apply", "dismiss", "revert"])
def test_only_what_waits_is_decided_and_only_what_was_applied_taken_back(
    running: Running, verb: str
) -> None:
    _, proposed = running.tightened()
    observed = running.log("&kind=observed")[0]["seq"]
    wrong = proposed["seq"] if verb == "revert" else observed
    status, problem = decide(running, verb, wrong, running.state("s"))
    code = "not_applied" if verb == "revert" else "not_a_proposal"
    assert (status, problem["type"]) == (409, f"/problems/{code}")
    assert decide(running, verb, 999, running.state("s"))[0] == 404
    assert decide(running, verb, 0, running.state("s"))[0] == 404


def test_a_repeated_wish_is_answered_with_the_open_one(running: Running) -> None:
    first = running.ask("POST", "/controller/propose", REVIEW)
    again = running.ask("POST", "/controller/propose", {**REVIEW, "reason": "I insist"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert (first.json()["repeated"], again.json()["repeated"]) == (False, True)
    assert again.json()["seq"] == first.json()["seq"]
    assert len(running.log("&kind=proposed")) == 1


def test_an_operator_proposes_and_decides_in_one_call(running: Running) -> None:
    answer = running.post("/controller/propose", {**REVIEW, "decide": True})
    assert kinds(answer)[:2] == ["proposed", "applied"]
    assert answer["in_force"]["mode"] == "review"
    loosening = {**OPEN, "decide": True}
    before = running.log()
    missing = running.ask("POST", "/controller/propose", loosening, role="operator")
    assert missing.status_code == 428
    assert running.log() == before
    loosening["expected_state"] = running.state("s")
    answer = running.post("/controller/propose", loosening)
    assert {"approved", "applied"} <= set(kinds(answer))
    assert answer["in_force"]["mode"] == "implementation"


def test_a_person_freezes_every_session_at_once(running: Running) -> None:
    running.event("s", tool="Read")
    freeze = {"scope": "*", "action": "policy", "value": {"posture": "read-only"}, "reason": "stop"}
    running.post("/controller/propose", {**freeze, "decide": True})
    write = {"session_id": "s", "tool": "Write", "arguments": {"file_path": "a"}}
    assert running.post("/controller/decide", write, "harness")["verdict"] == "deny"
    assert running.event("unseen", tool="Read")["posture"] == "read-only"


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {**REVIEW, "scope": ""},
        {**REVIEW, "scope": "a" * 129},
        {**REVIEW, "scope": "*/helper"},
        {**REVIEW, "scope": "s/"},
        {**REVIEW, "scope": "/s"},
        {**REVIEW, "scope": "s\u202e"},
        {**REVIEW, "scope": "s\u0000"},
        {**REVIEW, "scope": 5},
        {**REVIEW, "action": "notice"},
        {**REVIEW, "action": "configuration"},
        {**REVIEW, "value": {"mode": "superuser"}},
        {**REVIEW, "value": {}},
        {**REVIEW, "value": "review"},
        {**REVIEW, "value": {"return": True}},
        {**REVIEW, "reason": ""},
        {**REVIEW, "reason": "x" * 2_001},
        {**REVIEW, "decide": "true"},
        {**REVIEW, "limits": {}},
        {**REVIEW, "action": "policy", "value": {"posture": "root"}},
        {**REVIEW, "action": "policy", "value": {"write_paths": ["!tests/"]}},
        {**REVIEW, "action": "policy", "value": {"verdicts": {"Bash": "allow"}}},
        [REVIEW],
    ],
)
def test_a_wish_that_names_nothing_that_exists_is_refused_whole(
    running: Running, wish: object
) -> None:
    before = running.log()
    response = running.ask("POST", "/controller/propose", wish, role="operator")
    assert response.status_code == 422, response.text
    assert running.log() == before


@pytest.mark.parametrize("role", ["harness", "operator"])
def test_a_proposal_alone_changes_nothing(running: Running, role: CallerRole) -> None:
    before = running.get("/controller/overrides?scope=s")
    answer = running.post("/controller/propose", REVIEW, role)
    assert kinds(answer) == ["proposed"]
    assert running.get("/controller/overrides?scope=s") == before


def limited(running: Running, limit: object) -> Any:
    body = {**OPEN, "limit": limit, "decide": True, "expected_state": running.state("s")}
    return running.ask("POST", "/controller/propose", body, role="operator")


def test_a_loosening_for_a_few_calls_is_over_with_the_last_of_them(running: Running) -> None:
    running.tightened()
    answer = limited(running, {"calls": 1})
    assert answer.status_code == 201, answer.text
    assert answer.json()["entries"][-1]["body"]["limit"] == {"calls": 1}
    shown = running.get("/controller/sessions/s")
    assert shown["restrictions"]["mode"]["limit"] == {"calls": 1, "used": 0}
    call = {"session_id": "s", "kind": "attempt", "tool": "Read", "arguments": {"file_path": "a"}}
    verdict = running.ask("POST", "/controller/decide", call, role="harness").json()
    assert (verdict["verdict"], verdict["mode"]) == ("none", "plan")
    assert running.get(f"/controller/log/{verdict['seq']}")["body"]["mode"] == "implementation"
    assert running.get("/controller/overrides?scope=s")["mode"] == "plan"
    assert [entry["kind"] for entry in running.log()[-2:]] == ["ended", "proposed"]


def test_a_way_back_can_be_approved_for_a_while(running: Running) -> None:
    applied, proposed = running.tightened()
    body = {"expected_state": running.state("s"), "limit": {"minutes": 5}}
    path = f"/controller/approve/{proposed['seq']}"
    answer = running.ask("POST", path, body, role="operator").json()
    assert kinds(answer) == ["approved", "applied"]
    assert answer["in_force"]["mode"] == "implementation"
    assert running.get(f"/controller/log/{applied['seq']}")["kind"] == "applied"


@pytest.mark.parametrize("limit", [{"minutes": 0}, {"calls": 1, "minutes": 1}, {"hours": 1}, {}])
def test_a_limit_that_is_none_is_refused_with_what_was_expected(
    running: Running, limit: object
) -> None:
    running.tightened()
    before = running.log()
    answer = limited(running, limit)
    assert answer.status_code == 422
    assert "minutes" in answer.json()["detail"]
    assert running.log() == before


def test_what_does_not_loosen_takes_no_limit(running: Running) -> None:
    body, before = {**REVIEW, "limit": {"session": True}}, running.log()
    answer = running.ask("POST", "/controller/propose", body, role="harness")
    assert (answer.status_code, running.log()) == (422, before)
    _, proposed = running.tightened()
    said = {"expected_state": running.state("s"), "limit": {"session": True}}
    for verb in ("apply", "revert", "dismiss"):
        path = f"/controller/{verb}/{proposed['seq']}"
        refused = running.ask("POST", path, said, role="operator")
        assert (refused.status_code, refused.json()["type"]) == (422, "/problems/no_limit")
