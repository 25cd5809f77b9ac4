"""A read/write storm of 64 steps against a real daemon: counted by hand, answered by a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.cli.overview import overview
from tests.e2e.process import OPERATOR, Process, bearer, served

STEPS = 64
TARGET = "config/app.yaml"
HARD = ""
SOFT = '[soft.config]\npaths = ["config/"]\nverdict = "deny"\nbase_rate = 1\nfloor = 1\n'
ASKED = (
    '[soft.config]\npaths = ["config/"]\nverdict = "deny"\nbase_rate = 1\nfloor = 0\nstrength = 1\n'
)


@dataclass
class Agent:
    """An agent that reads a file, writes it, and tries again whatever it is told."""

    daemon: Process
    project: Path
    hooks: bool
    answers: list[dict[str, Any]] = field(default_factory=list)  # to its writes
    calls: int = 0

    def storms(self, steps: int, text: str = "a: 1") -> None:
        """Read and write in turn; `{n}` in a text makes each write another one."""
        for step in range(steps):
            self.writes(text.format(n=step)) if step % 2 else self.reads()

    def reads(self) -> None:
        """One call that only looks, asked about and carried out."""
        self.calls += 1
        said = {"file_path": str(self.project / TARGET)}
        answer = self._asks("Read", said)
        assert self.verdict(answer) == "none"
        self._ends("Read", said, "a: 0")

    def writes(self, text: str = "a: 1") -> dict[str, Any]:
        """One write; it is carried out where nothing stands against it."""
        self.calls += 1
        said = {"file_path": str(self.project / TARGET), "content": text}
        answer = self._asks("Write", said)
        self.answers.append(answer)
        if self.verdict(answer) == "none":
            self._ends("Write", said, "written")
        return answer

    def verdict(self, answer: dict[str, Any]) -> str:
        """What an answer says to the call."""
        if not self.hooks:
            return str(answer["verdict"])
        return str(answer.get("hookSpecificOutput", {}).get("permissionDecision", "none"))

    def reason(self, answer: dict[str, Any]) -> str:
        """Why, as the agent reads it."""
        if not self.hooks:
            return str(answer["reason"])
        return str(answer["hookSpecificOutput"]["permissionDecisionReason"])

    def ended(self, answer: dict[str, Any]) -> bool:
        """Whether an answer ends the turn, in the words of its way in."""
        if not self.hooks:
            return answer.get("ends_turn") is True
        stops = answer.get("continue") is False
        assert stops == ("stopReason" in answer)
        return stops

    def _asks(self, tool: str, said: dict[str, str]) -> dict[str, Any]:
        if self.hooks:
            return self._hook("PreToolUse", tool, said)
        status, answer = self.daemon.ask("POST", "/controller/decide", self._event(tool, said))
        assert status == 200, answer
        return dict(answer)

    def _ends(self, tool: str, said: dict[str, str], text: str) -> None:
        if self.hooks:
            self._hook("PostToolUse", tool, said, tool_response={"content": text})
            return
        body = {**self._event(tool, said), "outcome": "ok", "result": text}
        status, answer = self.daemon.ask("POST", "/controller/events", body)
        assert status == 201, answer

    def _event(self, tool: str, said: dict[str, str]) -> dict[str, Any]:
        call = {"call_id": f"t{self.calls}", "tool": tool, "arguments": said}
        return {"session_id": "s", "cwd": str(self.project), **call}

    def _hook(self, hook: str, tool: str, said: dict[str, str], **more: Any) -> dict[str, Any]:
        body = {
            "session_id": "s", "cwd": str(self.project), "hook_event_name": hook,
            "tool_name": tool, "tool_input": said, "tool_use_id": f"t{self.calls}", **more,
        }  # fmt: skip
        status, answer = self.daemon.ask("POST", "/hooks/claude-code", body)
        assert status == 200
        return dict(answer)

    def session(self) -> dict[str, Any]:
        """The session as everybody may see it."""
        status, view = self.daemon.ask("GET", "/controller/sessions/s")
        assert status == 200
        return dict(view)

    def person(self, path: str, **body: Any) -> dict[str, Any]:
        """What a person decides, for the state that is in force now."""
        by = bearer(OPERATOR)
        _, held = self.daemon.ask("GET", "/controller/overrides?scope=s", headers=by)
        said = {"expected_state": held["state"], **body}
        status, answer = self.daemon.ask("POST", path, said, by)
        assert status in (200, 201), answer
        return dict(answer)

    def opens(self, *paths: str) -> None:
        """A person lets some paths be written in this session, and no others."""
        value = {"action": "policy", "value": {"write_paths": [*paths]}}
        self.person("/controller/propose", scope="s", reason="x", decide=True, **value)


@pytest.fixture(params=["hooks", "own routes"])
def way(request: pytest.FixtureRequest) -> str:
    """How the agent's harness reports."""
    return str(request.param)


@pytest.fixture
def started(way: str, tmp_path: Path) -> Iterator[Any]:
    """What starts a daemon with some settings, and an agent that is at work beside it."""
    project = tmp_path / "project"
    (project / "config").mkdir(parents=True)
    (project / TARGET).write_text("a: 0")
    processes: list[Any] = []

    def start(toml: str) -> Agent:
        context = served(tmp_path / "state", toml=toml)
        processes.append(context)
        return Agent(context.__enter__(), project, hooks=way == "hooks")

    yield start
    for context in processes:
        context.__exit__(None, None, None)


def blocked_by_hand(agent: Agent) -> dict[str, Any]:
    """What the counters must say, from what the agent itself saw."""
    verdicts = [agent.verdict(answer) for answer in agent.answers]
    assert set(verdicts) == {"deny"}
    blocked = len(verdicts)
    return {
        "attempted": agent.calls,
        "blocked": blocked,
        "rate": round(blocked / agent.calls, 3),
        "blocked_then_blocked": blocked - 1,
        "steps_after_first_terminal_block": agent.calls - 4,  # read, blocked, read, blocked
        "escalations": 1,
    }


@pytest.mark.parametrize("toml", [HARD, SOFT], ids=["a scope", "a soft rule"])
def test_a_storm_escalates_is_counted_and_ends_with_a_persons_answer(
    started: Any, toml: str
) -> None:
    agent = started(toml)
    if not toml:
        agent.opens("src/**")
    agent.storms(STEPS)
    escalated = ["Stop retrying" in agent.reason(answer) for answer in agent.answers]
    assert escalated == [False] + [True] * (STEPS // 2 - 1)
    ended = [at for at, answer in enumerate(agent.answers, 1) if agent.ended(answer)]
    assert ended == [7]  # the second block, and five more
    view = agent.session()
    assert view["interventions"] == blocked_by_hand(agent)
    assert view["mode"] == "implementation"
    tightened = [e for e in agent.daemon.log() if (e["kind"], e["actor"]) == ("applied", "machine")]
    assert {entry["action"] for entry in tightened} == {"notice"}
    first, *_ = overview([view], [])
    assert first == "An agent waits for an answer:"
    (opened,) = view["escalations"]
    assert (opened["tool"], opened["turn_ended"]) == ("Write", True)
    _answered(agent, toml, view)
    assert agent.verdict(agent.writes()) == "none"
    assert agent.session()["escalations"] == []


def _answered(agent: Agent, toml: str, view: dict[str, Any]) -> None:
    """A person answers: with another scope, or with a yes to what the notice proposes."""
    if not toml:
        agent.opens("src/**", "config/**")
        return
    (proposal,) = view["proposals"]
    assert proposal["verb"] == "approve"
    (freer,) = proposal["difference"]["freer"]["tools"]
    assert freer["what"] == f'what the soft rule "config" stops, only for "{TARGET}"'
    agent.person(f"/controller/approve/{proposal['seq']}")


def test_backoff_lets_calls_through_and_their_entries_say_so(started: Any) -> None:
    agent = started(ASKED)
    agent.storms(STEPS, "a: {n}")
    verdicts = [agent.verdict(answer) for answer in agent.answers]
    assert set(verdicts) == {"deny", "none"}
    decided = [e["body"] for e in agent.daemon.log() if e["kind"] == "decided"]
    drawn = [body["soft"][0] for body in decided if "soft" in body]
    assert [each["intervened"] for each in drawn] == [said == "deny" for said in verdicts]
    assert all(0 <= each["rate"] <= 1 for each in drawn)
    relaxed = [each for each in drawn if not each["intervened"]]
    assert all(each["rate"] < 1 and each["induced"] > 0 for each in relaxed)
