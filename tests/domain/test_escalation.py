"""Escalation: what the same step is, and what a denial says when it is blocked again."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.attempts import Judged
from app.domain.entries import Entry
from app.domain.stream import EMPTY
from app.domain.views import escalations, session_row
from tests.domain.floor import Floor, body, causes, configured
from tests.domain.ledger import audit
from tests.domain.verdict_cases import cases

STORM = 64  # steps


class Agent:
    """An agent at work where a person lets nothing but src/ be written."""

    def __init__(self, floor: Floor | None = None) -> None:
        self.floor = floor or Floor()
        self.asked: list[Judged] = []
        self.act("bar")

    def act(self, what: str) -> None:
        """One thing that happens, as the cases name them."""
        word, _, said = what.partition(" ")
        match word:
            case "write":
                zone = "guarded" if said.startswith("guarded ") else "project"
                path, _, text = said.removeprefix("guarded ").partition(" as ")
                self._asks("Write", "write", path, zone, f"{zone} {path} {text}")
            case "sed":
                self._asks("Bash", "shell", said, "project", f"sed {said}")
            case "look":
                reads: dict[str, Any] = {"class": "read", "effects": ["read"], "tool": "Read"}
                self.floor.call("look", **reads)
            case "change":
                self.floor.call(
                    "edit", edit="e", changed_state=True, path="src/a.py", **{"class": "edit"}
                )
            case "prompt":
                self.floor.prompts()
            case "wake":
                self.floor.prompts(person=False)
            case "turn":
                self.floor.reports(action="turn", kind="turn")
            case "free":
                self.floor.sets("policy", {"write_paths": None})
            case "bar":
                self.floor.sets("policy", {"write_paths": ["src/**"]})
            case "revert":
                self.floor.decides("revert", self.notices()[-1].seq)
            case _:
                raise ValueError(what)

    def _asks(self, tool: str, tool_class: str, path: str, zone: str, identity: str) -> None:
        target = {"path": path, "zone": zone}
        said: dict[str, Any] = {"class": tool_class, "targets": [target], "path": path}
        self.asked.append(self.floor.asks(tool=tool, identity=identity, **said))

    def notices(self) -> list[Entry]:
        """The notices that a person got of steps that need an answer."""
        found = [entry for entry in self.floor.log if entry.action == "notice"]
        return [entry for entry in found if causes(entry)[0]["key"].startswith("step:")]


def said(judged: Judged) -> str:
    """A verdict with what its entry says besides."""
    entry = body(judged.entry)
    ends = f"ends {entry['ends_turn']}" if judged.ends_turn else ""
    words = (judged.verdict, str(entry.get("escalated", "")), ends)
    return " ".join(word for word in words if word)


@pytest.mark.parametrize("case", cases("escalation"))
def test_a_step_is_what_its_case_says(case: Any) -> None:
    agent = Agent()
    for what in case["given"]:
        agent.act(what)
    assert [said(each) for each in agent.asked] == case["then"], case["why"]
    assert audit(agent.floor.log) == []
    assert agent.floor.folded() == agent.floor.book


def test_the_second_block_tells_the_agent_to_stop_and_the_person_once() -> None:
    agent = Agent()
    for _ in range(4):
        agent.act("write a.py")
    first, second, third, _ = agent.asked
    assert (first.reason or "").startswith(f'[floorboss {first.entry.seq}] "a.py" is outside')
    for again in (second, third):
        assert (again.reason or "").startswith(f"[floorboss {again.entry.seq}] Stop retrying")
        assert "Say in your answer what you need" in (again.reason or "")
    (notice,) = agent.notices()
    assert (notice.ref, notice.actor) == (second.entry.seq, "machine")
    assert causes(notice)[0]["seqs"] == [first.entry.seq, second.entry.seq]


def test_a_storm_tightens_nothing_and_is_counted_by_hand() -> None:
    agent = Agent()
    before = agent.floor.held()
    for _ in range(STORM // 2):
        agent.act("look")
        agent.act("write a.py")
    assert agent.floor.held() == before
    counted = session_row(agent.floor.book, agent.floor.session(), agent.floor.configuration)
    assert counted["interventions"] == {
        "attempted": STORM,
        "blocked": STORM // 2,
        "rate": 0.5,
        "blocked_then_blocked": STORM // 2 - 1,
        "steps_after_first_terminal_block": STORM - 4,
        "escalations": 1,
    }
    (opened,) = escalations(agent.floor.session())
    assert (opened["further"], opened["turn_ended"]) == (STORM // 2 - 2, True)
    assert opened["notice"] == agent.notices()[0].seq
    keys = [causes(entry)[0]["key"] for entry in agent.floor.log if entry.action == "notice"]
    assert len(keys) == len(set(keys)) == 4  # two of blocked_storm, and that the turn was ended


@pytest.mark.parametrize("answer", ["prompt", "free", "revert"])
def test_a_persons_answer_ends_it(answer: str) -> None:
    agent = Agent()
    for what in ("write a.py", "write a.py", answer, "write a.py"):
        agent.act(what)
    assert escalations(agent.floor.session()) == []


def test_it_is_over_however_late_the_step_is_let_through() -> None:
    agent = Agent()
    for what in ("write a.py", "write a.py", *["look"] * 12, "write b.py", "free", "write a.py"):
        agent.act(what)
    assert escalations(agent.floor.session()) == []


def test_both_numbers_are_settings_and_zero_turns_them_off() -> None:
    off = {"escalation.blocks": 0.0, "escalation.further": 0.0}
    agent = Agent(Floor(configured(thresholds=off)))
    for _ in range(9):
        agent.act("write a.py")
    assert [said(each) for each in agent.asked] == ["deny"] * 9
    patient = {"escalation.blocks": 3.0, "escalation.further": 1.0}
    agent = Agent(Floor(configured(thresholds=patient)))
    for _ in range(4):
        agent.act("write a.py")
    assert [said(each) for each in agent.asked] == ["deny", "deny", "deny 3", "deny 4 ends 1"]


def test_where_floorboss_only_observes_nothing_escalates() -> None:
    agent = Agent(Floor(configured(enforcement="observe")))
    for _ in range(9):
        agent.act("write a.py")
    assert [(said(each), each.would) for each in agent.asked] == [("none", "deny")] * 9
    assert agent.floor.session().streams[""].escalation is EMPTY.escalation


def test_the_same_attempt_asked_again_hears_the_same_and_counts_once() -> None:
    floor = Agent().floor
    target: dict[str, Any] = {"targets": [{"path": "a.py", "zone": "project"}]}
    answers = [floor.asks(call_id=name, **target) for name in ("1", "2", "2", "2")]
    assert [each.repeated for each in answers] == [False, False, True, True]
    assert answers[3].reason == answers[1].reason
    assert floor.session().streams[""].interventions == 2
