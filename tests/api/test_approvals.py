"""Approvals, case by case: bound to a state, used once, void after a newer tightening.

Each case of tests/cases/apr.json is played against the real application. A step that is refused
must leave everything in force as it was, and write exactly the rows that are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.service.tokens import CallerRole
from tests.api.running import Running

CASES = json.loads((Path(__file__).parents[1] / "cases" / "apr.json").read_text())
SCOPES = ("s", "*")


class Play:
    """One case under way: the daemon, and what its steps named and saw."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.running = folder, Running(folder)
        self.seqs: dict[str, int] = {}
        self.seen = ""
        self.remembered: object = None

    def does(self, words: str) -> None:
        """One step of what was before."""
        match words.split():
            case ["loop"]:
                self._loop()
            case ["see", scope]:
                self.seen = self.running.state(scope)
            case ["remember"]:
                self.remembered = self.held()
            case ["wish", mode, *by]:
                role: CallerRole = "operator" if by else "harness"
                self.seqs["wish"] = self._wish("s", {"mode": mode}, role)["seq"]
            case ["person", mode, "for", scope]:
                self._wish(scope, {"mode": mode}, "operator", decide=True)
            case ["person", "read-only"]:
                self._wish("s", {"posture": "read-only"}, "operator", decide=True)
            case ["person", mode]:
                self._wish("s", {"mode": mode}, "operator", decide=True)
            case _:
                raise AssertionError(words)

    def _loop(self) -> None:
        """The same failing call until something trips; once it did, as often again."""
        if "return" not in self.seqs or not self.open():
            fired = {entry["kind"]: entry["seq"] for entry in self.running.tightened()}
            self.seqs |= {"change": fired["applied"], "return": fired["proposed"]}
            self.seqs.setdefault("first return", fired["proposed"])
            return
        for _ in range(6):
            self.running.event(tool="Bash", arguments={"command": "make all"}, outcome="error")

    def _wish(self, scope: str, value: Any, role: CallerRole, **fields: Any) -> Any:
        action = "policy" if "posture" in value else "mode"
        wish = {"scope": scope, "action": action, "value": value, "reason": "please", **fields}
        return self.running.post("/controller/propose", wish, role)

    def held(self) -> object:
        """All that is in force, as whoever reads it is told."""
        return [self.running.get(f"/controller/overrides?scope={scope}") for scope in SCOPES]

    def open(self) -> list[int]:
        """The proposals of the session that wait."""
        found = self.running.get("/controller/sessions/s")["open_proposals"]
        return list(found)

    def restart(self) -> None:
        """End the daemon and start another one on the same log."""
        before = self.held()
        self.running.daemon.close()
        self.running = Running(self.folder)
        assert self.held() == before

    def decides(self, step: dict[str, Any]) -> None:
        """One decision: its status, its rows, and what is in force afterwards."""
        state = {"seen": self.seen, "now": self.running.state("s"), None: None}[step.get("state")]
        body = {} if state is None else {"expected_state": state}
        before, head = self.held(), len(self.running.log())
        path = f"/controller/{step['verb']}/{self.seqs[step['of']]}"
        response = self.running.ask("POST", path, body, role=step.get("as", "operator"))
        answer, written = response.json(), self.running.log()[head:]
        assert response.status_code == step["status"], answer
        rows = [f"{row['kind']} {row['actor']}" for row in written]
        assert rows == step["writes"]
        if "problem" in step:
            assert answer["type"] == f"/problems/{step['problem']}"
            assert self.held() == before
        else:
            assert answer["in_force"]["mode"] == step["mode"]
            assert self.running.get("/controller/overrides?scope=s")["mode"] == step["mode"]
            assert answer["entries"] == written
        if step.get("state_now"):
            assert answer["state"] == self.running.state("s") != self.seen
        if "name" in step:
            self.seqs[step["name"]] = written[-1]["seq"]

    def step(self, step: dict[str, Any]) -> None:
        """One step of what happens."""
        match step:
            case {"verb": _}:
                self.decides(step)
            case {"restart": True}:
                self.restart()
            case {"do": words}:
                self.does(words)
            case {"open": count}:
                assert len(self.open()) == count
            case {"same": True}:
                assert self.held() == self.remembered
            case _:
                raise AssertionError(step)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """A daemon with an empty log."""
    playing = Play(tmp_path / "state")
    yield playing
    playing.running.daemon.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_an_approval_is_what_was_agreed(case: dict[str, Any], play: Play) -> None:
    for words in case["given"]:
        play.does(words)
    for step in case["when"]:
        play.step(step)


def test_every_case_that_a_log_can_show_is_played() -> None:
    numbers = {match[0] for case in CASES if (match := re.match(r"APR-\d\d", case["name"]))}
    assert numbers == {f"APR-{n:02}" for n in (1, 2, 3, 4, 6, 7, 8, 9)}


# Who may do what to a proposal by whom; what the harness or the machine asked for is an operator's.
VERBS = ("apply", "approve", "dismiss", "revert")
REQUESTED = ("by the machine", "by a harness", "by the operator")


def requested(running: Running, by: str) -> dict[str, int]:
    """A proposal that waits, and an applied entry: the seq for each verb."""
    if by == "by the machine":
        applied, returns = running.tightened()
        return {**dict.fromkeys(VERBS, returns["seq"]), "revert": applied["seq"]}
    plan = {"scope": "s", "action": "mode", "value": {"mode": "plan"}, "reason": "x"}
    put = running.post("/controller/propose", {**plan, "decide": True})["entries"][-1]["seq"]
    role: CallerRole = "harness" if by == "by a harness" else "operator"
    wish = {**plan, "value": {"mode": "implementation"}}
    seq = running.post("/controller/propose", wish, role)["seq"]
    return {**dict.fromkeys(VERBS, seq), "revert": put}


@pytest.mark.parametrize("by", REQUESTED)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
@pytest.mark.parametrize("role", ["harness", "reader", "outline"])
def test_only_an_operator_decides_whoever_asked(
    running: Running, by: str, verb: str, query: str, role: CallerRole
) -> None:
    seq = requested(running, by)[verb]
    body = {"expected_state": running.state("s"), "reason": "I say so"}
    before, rows = running.get("/controller/sessions/s"), running.log()
    response = running.ask("POST", f"/controller/{verb}/{seq}{query}", body, role=role)
    assert response.status_code == (401 if role == "outline" else 403)
    written = running.log()[len(rows) :]
    assert running.log()[: len(rows)] == rows
    told = [] if role == "outline" else [("refused", "machine", "wrong_role", seq, verb)]
    assert [
        (row["kind"], row["actor"], row["body"]["why"], row["ref"], row["body"]["attempted"])
        for row in written
    ] == told
    after = running.get("/controller/sessions/s")
    moved = ("last_seq", "last_at")
    assert {k: v for k, v in after.items() if k not in moved} == {
        k: v for k, v in before.items() if k not in moved
    }


@pytest.mark.parametrize("by", REQUESTED)
@pytest.mark.parametrize("verb", ["approve", "dismiss", "revert"])
def test_an_operator_decides_whoever_asked(running: Running, by: str, verb: str) -> None:
    seq = requested(running, by)[verb]
    body = {"expected_state": running.state("s")} if verb != "dismiss" else {}
    response = running.ask("POST", f"/controller/{verb}/{seq}", body, role="operator")
    assert response.status_code == 200
    assert {entry["actor"] for entry in response.json()["entries"][:1]} == {"human:ada"}


@pytest.mark.parametrize("role", ["harness", "reader", "outline"])
@pytest.mark.parametrize("value", [{"mode": "plan"}, {"mode": "implementation"}, {"return": True}])
def test_nobody_else_decides_in_the_call_that_asks(
    running: Running, role: CallerRole, value: dict[str, object]
) -> None:
    running.tightened()
    wish = {
        "scope": "s", "action": "mode", "value": value, "reason": "x", "decide": True,
        "expected_state": running.state("s"),
    }  # fmt: skip
    before, rows = running.get("/controller/overrides?scope=s"), running.log()
    response = running.ask("POST", "/controller/propose", wish, role=role)
    assert response.status_code == (401 if role == "outline" else 403)
    assert running.get("/controller/overrides?scope=s") == before
    kinds = [row["kind"] for row in running.log()[len(rows) :]]
    assert kinds == ([] if role == "outline" else ["refused"])
