"""The operator's console, at a real terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.processes import FAILING, HOSTILE, Daemon, Terminal, environment

Start = Callable[..., Terminal]
RETURN = (
    r"(?s)demo  5 applied: implementation -> plan: .*?\n +in force: mode plan.*?\n"
    r" +If you approve, this becomes freer:\n +tools .*?\n +type  a 6  to approve"
)


class Console(Daemon):
    """A daemon on a terminal: asked over HTTP as any other, and typed to."""

    def __init__(self, folder: Path, screen: Terminal) -> None:
        self.folder, self.screen = folder, screen
        self.url = screen.wait_for(r"Serving (\S+);")[1]
        self.token = screen.wait_for(r"shown this once.*:  (\S+)\n")[1]


@pytest.fixture
def console(state: Path, terminal: Start) -> Console:
    """A fresh daemon whose terminal is the operator's."""
    return Console(state, terminal("serve", env=environment(state, USER="ada", LOGNAME="ada")))


def kinds(console: Console) -> list[tuple[str, str]]:
    """The log, oldest first, without what the harness reported."""
    items = console.ask("GET", "/controller/log?after=1")["items"]
    return [(each["kind"], each["actor"]) for each in items if each["kind"] != "observed"]


def test_a_proposal_is_printed_as_it_is_committed_and_a_approves_it(console: Console) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    console.screen.type("a 6")
    said = console.screen.wait_for(r"7 approved; 8 reverted\. In force for demo: ((?s:.*?)yolo)\n")
    assert " ".join(said[1].split()) == "mode implementation, posture yolo"
    assert kinds(console) == [
        ("applied", "machine"),
        ("proposed", "machine"),
        ("approved", "human:ada"),
        ("reverted", "human:ada"),
    ]


def test_a_finds_the_verb_and_r_takes_back_what_it_applied(console: Console) -> None:
    wish = {"scope": "demo", "action": "policy", "value": {"posture": "ask"}, "reason": "slow"}
    seq = console.ask("POST", "/controller/propose", wish)["seq"]
    console.screen.wait_for(rf"type  a {seq}  to apply it")
    console.screen.type(f"a {seq}")
    applied = console.screen.wait_for(r"(\d+) applied\. In force for demo: .*posture ask")[1]
    console.screen.type(f"r {applied}")
    console.screen.wait_for(r"reverted\. In force for demo: .*posture yolo\n")
    assert kinds(console)[1:] == [("applied", "human:ada"), ("reverted", "human:ada")]


def test_d_dismisses(console: Console) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    console.screen.type("d 6")
    console.screen.wait_for(r"7 dismissed\. In force for demo: mode plan")
    assert kinds(console)[-1] == ("dismissed", "human:ada")


def test_a_line_decides_only_for_the_state_that_was_printed(console: Console) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    freeze = {
        "scope": "*", "action": "policy", "value": {"posture": "read-only"}, "reason": "freeze",
        "decide": True,
    }  # fmt: skip
    console.ask("POST", "/controller/propose", freeze, console.token)
    console.screen.wait_for(r"all sessions")
    console.screen.type("a 6")
    console.screen.wait_for(r"in force: mode plan, posture read-only \(by 5, 8\)")
    console.screen.wait_for(r"freer:\n +tools +no longer denied: test runners\n +commands")
    console.screen.wait_for(r"It changed since; then: mode plan, posture yolo \(by 5\)\. Nothing")
    assert "reverted" not in dict(kinds(console))
    console.screen.type("a 6")
    console.screen.wait_for(r"approved; \d+ reverted\. In force for demo: mode implementation")


def test_what_was_never_printed_is_printed_first_and_decided_by_the_second_line(
    console: Console, terminal: Start
) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    console.screen.type("q")
    console.screen.end()
    screen = terminal("serve", env=environment(console.folder))
    screen.wait_for(r"See the log")
    screen.type("a 6")
    screen.wait_for(r"type  a 6  to approve")
    screen.wait_for(r"It was not shown here yet\. Nothing was changed; type it again")
    screen.type("a 6")
    screen.wait_for(r"7 approved; 8 reverted")


def test_what_waits_since_before_the_start_is_counted(console: Console, terminal: Start) -> None:
    console.loop("one")
    console.loop("two")
    console.screen.wait_for(r"type  a 11  to approve")
    console.screen.type("q")
    console.screen.end()
    screen = terminal("serve", env=environment(console.folder))
    screen.wait_for(r"(?m)^2 proposals wait for a person: s shows them$")
    screen.type("s")
    screen.wait_for(r"type  a 6  to approve")
    screen.type("d 6")
    screen.wait_for(r"dismissed")
    screen.type("q")
    screen.end()
    again = terminal("serve", env=environment(console.folder))
    again.wait_for(r"(?m)^1 proposal waits for a person: s shows it$")


def test_s_shows_what_waits(console: Console) -> None:
    console.screen.type("s")
    said = console.screen.wait_for(r"(?s).*Nothing waits for a person\.")[0]
    assert "proposal" not in said
    console.loop()
    console.screen.wait_for(RETURN)
    console.screen.type("s")
    console.screen.wait_for(RETURN)


def test_what_somebody_else_decided_is_told(console: Console) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    console.ask("POST", "/controller/dismiss/6", {}, console.token)
    console.screen.wait_for(r"demo  7 dismissed: .*, by human:operator\n")


def test_what_a_standing_approval_decided_is_told_with_what_is_in_force(console: Console) -> None:
    call = {"session_id": "demo", "tool": "Edit", "outcome": "error", "result": "not found"}
    for text in "abcd":
        edit = {"file_path": "app.py", "old_string": text, "new_string": "x"}
        console.ask("POST", "/controller/events", {**call, "arguments": edit})
    console.screen.wait_for(r"type  a 7  to approve")
    read = {"tool": "Read", "arguments": {"file_path": "app.py"}, "outcome": "ok"}
    console.ask("POST", "/controller/events", {"session_id": "demo", **read})
    handed = {"session_id": "demo", "kind": "diagnosis", "text": "app.py has no such text"}
    console.ask("POST", "/controller/artifacts", handed)
    console.screen.wait_for(r"10 approved: standing approval diagnosis, use 1 of 3")
    console.screen.wait_for(r"11 reverted: 6 taken back: standing approval diagnosis")
    console.screen.wait_for(r"in force: mode implementation, posture yolo\n")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("a 6000", "The log has no entry 6000"),
        ("a 1", "there is nothing to decide about it. Nothing was changed."),
        ("approve", "approve is none of a SEQ, d SEQ, r SEQ"),
        ("?", "a SEQ   say yes to a proposal"),
    ],
)
def test_a_line_that_decides_nothing_says_so(console: Console, line: str, answer: str) -> None:
    console.screen.type(line)
    console.screen.wait_for(re.escape(answer))
    assert kinds(console) == []


def test_what_was_only_observed_is_never_offered_to_be_taken_back(console: Console) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    for line in ("r 4", "a 4", "d 4"):
        console.screen.type(line)
        said = console.screen.wait_for(r"(?s)4 observed: .*?\n.*?\n")[0]
        assert "there is nothing to decide about it. Nothing was changed." in said
        assert "type" not in said
    console.screen.type("r 5")
    console.screen.wait_for(r"reverted.*In force for demo: mode implementation")
    assert "refused" not in dict(kinds(console))


def test_without_more_input_the_daemon_goes_on(console: Console) -> None:
    console.screen.type("\x04")
    console.screen.wait_for(r"The console is closed; floorboss goes on")
    assert console.ask("GET", "/healthz") == {"ok": True}


def test_ctrl_c_ends_it_with_everything_in_the_log(console: Console) -> None:
    console.loop()
    console.screen.wait_for(RETURN)
    console.screen.type("\x03")
    console.screen.end()
    assert console.screen.process.returncode == 0
    assert not (console.folder / "controls.db-wal").exists()


def test_what_an_agent_wrote_cannot_rewrite_the_screen(console: Console) -> None:
    call = {**FAILING, "arguments": {"command": HOSTILE}, "result": HOSTILE, "outcome": "error"}
    console.ask("POST", "/controller/events", [call, call, call])
    wish = {"scope": "demo", "action": "mode", "value": {"mode": "debug"}, "reason": HOSTILE}
    console.ask("POST", "/controller/propose", wish)
    said = console.screen.wait_for(r"(?s).*type  a 6  .*type  a \d+  to .*\n")[0]
    assert {each for each in said if not each.isprintable()} == {"\n"}


def test_settings_that_wait_are_told_at_the_start_and_a_approves_them(
    state: Path, terminal: Start
) -> None:
    Daemon(state).stop()
    (state / "floorboss.toml").write_text('enforcement = "observe"\n')
    screen = terminal("serve", env=environment(state, USER="ada", LOGNAME="ada"))
    screen.wait_for(r"Settings that may free a call wait for your approval \(2\)")
    screen.wait_for(r"  enforcement: in force: enforce; asked for: observe\n")
    screen.wait_for(r"type  a 2  to approve them, or  d 2  to keep the older ones\n")
    screen.wait_for("1 proposal waits for a person")
    screen.type("a 2")
    screen.wait_for(r"3 approved; 4 configured\. In force for all sessions: (?s:.*)observing")


def test_an_agent_that_waits_for_an_answer_comes_first_and_r_says_that_it_has_one(
    console: Console,
) -> None:
    guarded = {"file_path": "/shop/.git/hooks/pre-push", "content": "x"}
    call = {"session_id": "demo", "cwd": "/shop", "tool": "Write", "arguments": guarded}
    for _ in range(2):
        answer = console.ask("POST", "/controller/decide", call)
    console.screen.wait_for(r"one step blocked 2 times")
    console.screen.type("s")
    told = console.screen.wait_for(
        r'An agent waits for an answer:\n  demo  (\d+) "Write" was blocked by guarded again\n'
        r" +it was told to say what it needs: answer it in its session\n"
        r" +r (\d+)  when it is dealt with\nNothing waits for a person\."
    )
    assert int(told[1]) == answer["seq"]
    console.screen.type(f"r {told[2]}")
    console.screen.wait_for(r"reverted\. In force for demo")
    assert console.ask("GET", "/controller/sessions/demo")["escalations"] == []
