"""From a stopped agent back to work: a daemon of its own, an agent that hands over, and the log.

stopped  ->  what was handed over  ->  the standing approval, three times a session
         ->  the fourth time a person
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.process import OPERATOR, Process, bearer

HOOKS = "/hooks/claude-code"
USES = 3  # of each standing approval, in one session


class Own:
    """An agent whose harness reports on the own routes."""

    def __init__(self, process: Process) -> None:
        self.process, self.session = process, "own"
        self.count = 0

    def event(self, **fields: Any) -> Any:
        status, answer = self.process.ask(
            "POST", "/controller/events", {"session_id": self.session, **fields}
        )
        assert status == 201, answer
        return answer["results"][0]

    def read(self) -> None:
        self.count += 1
        path = {"file_path": f"docs/{self.count}.md"}
        self.event(tool="Read", arguments=path, outcome="ok", result=f"{self.count}")

    def failed_edit(self) -> None:
        self.count += 1
        edit = {"file_path": "src/cart.py", "old_string": f"{self.count}", "new_string": "b"}
        self.event(tool="Edit", arguments=edit, outcome="error", result="String not found")

    def failed_line(self, line: str) -> None:
        self.event(tool="Bash", arguments={"command": line}, outcome="error", result="no rule")

    def prompt(self) -> None:
        self.event(kind="prompt", arguments={"prompt": "go on"})

    def hand_over(self, kind: str, text: str) -> None:
        body = {"session_id": self.session, "kind": kind, "text": text}
        status, answer = self.process.ask("POST", "/controller/artifacts", body)
        assert (status, answer["valid"], answer["why"]) == (201, True, None)


class Claude(Own):
    """An agent in Claude Code, whose hooks report."""

    def __init__(self, process: Process) -> None:
        super().__init__(process)
        self.session = "hooked"

    def hook(self, name: str, **fields: Any) -> Any:
        self.count += 1
        payload = {"session_id": self.session, "cwd": "/p", "hook_event_name": name, **fields}
        status, answer = self.process.ask("POST", HOOKS, payload)
        assert status == 200, answer
        return answer

    def read(self) -> None:
        self.hook("PostToolUse", tool_name="Read", tool_input={"file_path": f"/p/{self.count}"},
                  tool_response=f"{self.count}", tool_use_id=f"t{self.count}")  # fmt: skip

    def failed_edit(self) -> None:
        edit = {"file_path": "/p/src/cart.py", "old_string": f"{self.count}", "new_string": "b"}
        text = f"<tool_use_error>String to replace not found in file.\nString: {self.count}"
        call = {"tool_name": "Edit", "tool_input": edit, "tool_use_id": f"t{self.count}"}
        self.hook("PostToolBatch", tool_calls=[{**call, "tool_response": text}])

    def failed_line(self, line: str) -> None:
        self.hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": line},
                  tool_use_id=f"t{self.count}", error="Exit code 2\nno rule")  # fmt: skip

    def prompt(self) -> None:
        self.hook("UserPromptSubmit", prompt="go on", prompt_id=f"p{self.count}")

    def hand_over(self, kind: str, text: str) -> None:
        message = f"I am stuck.\n\n```floorboss {kind}\n{text}\n```"
        self.hook("Stop", stop_hook_active=False, last_assistant_message=message)


def debugging(agent: Own) -> None:
    """Four failed edits, then a look, then what is wrong."""
    for _ in range(4):
        agent.failed_edit()
    assert mode(agent) == "debug"
    agent.read()
    agent.hand_over("diagnosis", "cart.py changed since it was read")


def planning(agent: Own) -> None:
    """One line fails three times; then a plan, and the person goes on."""
    for _ in range(3):
        agent.failed_line(f"make all{agent.count // 100}")
    assert mode(agent) == "plan"
    agent.hand_over("plan", "First the rule, then the build.")
    assert mode(agent) == "plan"
    agent.prompt()


def mode(agent: Own) -> str:
    return str(agent.process.ask("GET", f"/controller/sessions/{agent.session}")[1]["mode"])


@pytest.mark.parametrize("kind", [Own, Claude])
@pytest.mark.parametrize(("stopped", "standing"), [(debugging, "diagnosis"), (planning, "plan")])
def test_three_times_it_goes_on_by_itself_and_the_fourth_time_a_person_says_so(
    process: Process,
    kind: Callable[[Process], Own],
    stopped: Callable[[Own], None],
    standing: str,
) -> None:
    agent = kind(process)
    for _ in range(USES):
        for _ in range(6):  # a change by the machine is followed by a few calls without another
            agent.read()
        stopped(agent)
        assert mode(agent) == "implementation"
    for _ in range(6):
        agent.read()
    stopped(agent)
    assert mode(agent) in ("debug", "plan")

    configured = process.log("&kind=configured")[-1]
    uses = process.log("&kind=approved")
    assert [(use["actor"], use["summary"].partition(",")[0]) for use in uses] == [
        (configured["actor"], f"standing approval {standing}")
    ] * USES
    assert [(use["body"]["use"], use["body"]["of"]) for use in uses] == [(1, 3), (2, 3), (3, 3)]
    assert [entry["body"]["in_force"]["mode"] for entry in uses] == ["implementation"] * USES

    (waiting,) = process.ask("GET", f"/controller/sessions/{agent.session}")[1]["proposals"]
    assert waiting["artifact"]["kind"] == standing
    decision = {"expected_state": waiting["state"]}
    path = f"/controller/approve/{waiting['seq']}"
    status, _ = process.ask("POST", path, decision, bearer(OPERATOR))
    assert (status, mode(agent)) == (200, "implementation")
    assert process.log("&kind=approved")[-1]["actor"].startswith("human:")
    assert process.ask("GET", "/controller/verify")[1]["ok"] is True
