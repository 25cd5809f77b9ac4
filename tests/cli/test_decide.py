"""`floorboss approve | apply | revert | dismiss | propose --decide` against a running daemon."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.cli.client import pointer
from tests.cli.processes import OPERATOR, Daemon, Terminal, environment, run, served

Start = Callable[..., Terminal]
WAITS = "return plan -> implementation"


def looped(daemon: Daemon, session: str) -> tuple[str, str]:
    """A session that was dropped to plan: the seqs of the change and of its way back."""
    applied, returns = daemon.loop(session)
    return str(applied["seq"]), str(returns["seq"])


def mode(daemon: Daemon, scope: str) -> str:
    return str(daemon.ask("GET", f"/controller/overrides?scope={scope}")["mode"])


def head(daemon: Daemon) -> int:
    return int(daemon.ask("GET", "/controller/checkpoint")["seq"])


def test_approve_shows_what_would_change_and_does_it(daemon: Daemon) -> None:
    change, seq = looped(daemon, "approve")
    done = daemon.run("approve", seq, "--yes", token=OPERATOR)
    shown = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert shown[:2] == [
        'Session "approve" went from mode implementation to plan: same failing call 3',
        "  times, nothing changed in between.",
    ]
    assert shown[2].startswith(f"That is entry {change}, of ")
    assert shown[3:5] == [
        f"In force now:    mode plan, posture yolo (by {change}).",
        "If you approve:  mode implementation, posture yolo.",
    ]
    assert shown[6:8] == [
        "This would become freer:",
        "  tools     no longer denied: editing tools; writing tools; test runners; tools",
    ]
    assert f"floorboss itself offers this, as the way back from {change}." in shown
    assert shown[-3].startswith("Written: ")
    assert shown[-2] == 'In force for session "approve" now: mode implementation, posture yolo.'
    assert shown[-1].endswith(f"floorboss show {change} --url {daemon.url}")
    assert mode(daemon, "approve") == "implementation"


def test_what_was_applied_is_told_with_the_command_that_takes_it_back(daemon: Daemon) -> None:
    words = ("propose", "pointer", "--mode", "plan", "--reason", "slow down", "--decide", "--yes")
    said = daemon.run(*words, token=OPERATOR).stdout
    *_, line = (each for each in said.splitlines() if each.startswith("To take it back:"))
    _, _, command = line.partition("  floorboss ")
    done = daemon.run(*command.split(), "--yes", token=OPERATOR)
    assert (done.returncode, mode(daemon, "pointer")) == (0, "implementation")


@pytest.mark.parametrize(
    ("url", "added"),
    [
        ("http://127.0.0.1:8737", ""),
        ("http://127.0.0.1:8737/", ""),
        ("http://127.0.0.1:8738", " --url http://127.0.0.1:8738"),
        ("http://localhost:1/a b", " --url 'http://localhost:1/a b'"),
    ],
)
def test_a_printed_command_names_the_daemon_where_it_is_not_the_usual_one(
    url: str, added: str
) -> None:
    assert pointer(url) == added


def test_a_proposal_that_waits_is_shown_with_what_it_would_change(daemon: Daemon) -> None:
    _, seq = looped(daemon, "waits")
    shown = daemon.run("show", seq).stdout
    assert (
        "If you approve, this becomes freer:\n  tools     no longer denied: editing tools" in shown
    )
    assert f"To approve it:   floorboss approve {seq} --url {daemon.url}\n" in shown
    assert f"To dismiss it:   floorboss dismiss {seq} --url {daemon.url}\n" in shown
    daemon.run("dismiss", seq, "--yes", token=OPERATOR)
    assert daemon.run("show", seq).stdout.startswith(f"{seq} proposed: {WAITS}")


def test_a_dry_run_names_the_state_and_changes_nothing(daemon: Daemon) -> None:
    _, seq = looped(daemon, "dry")
    before = head(daemon)
    shown = daemon.run("approve", seq, "--dry-run", token=OPERATOR)
    state = shown.stdout.splitlines()[-1].removeprefix("Nothing was changed. The state is ")
    assert (head(daemon), mode(daemon, "dry")) == (before, "plan")
    done = daemon.run("approve", seq, "--expected-state", state.rstrip("."), token=OPERATOR)
    assert (done.returncode, mode(daemon, "dry")) == (0, "implementation")
    assert done.stdout.startswith("Written: ")


def test_a_state_that_has_changed_decides_nothing(daemon: Daemon) -> None:
    _, seq = looped(daemon, "stale")
    done = daemon.run("approve", seq, "--expected-state", "0123456789abcdef", token=OPERATOR)
    assert (done.returncode, done.stdout) == (1, "")
    said, now, again = done.stderr.splitlines()
    assert "changed since that state was shown" in said
    assert said.endswith("What is in force was not changed.")
    assert now.startswith("In force now:    mode plan, posture yolo (by ")
    assert again == f"To look again:   floorboss approve {seq} --url {daemon.url}"
    assert mode(daemon, "stale") == "plan"


def test_what_changed_between_the_question_and_the_answer_is_shown(
    daemon: Daemon, terminal: Start
) -> None:
    change, seq = looped(daemon, "moved")
    screen = terminal("approve", seq, env=daemon.env)
    screen.wait_for(r"Operator's token \(not shown\): ")
    screen.type(OPERATOR)
    screen.wait_for(r"\[y/N\] ")
    words = ("propose", "moved", "--posture", "ask", "--reason", "careful", "--decide", "--yes")
    assert daemon.run(*words, token=OPERATOR).returncode == 0
    screen.type("y")
    said = screen.end()
    assert screen.process.returncode == 1
    assert f"When you looked: mode plan, posture yolo (by {change})." in said
    assert "In force now:    mode plan, posture ask (by " in said
    assert f"To look again:   floorboss approve {seq} --url" in said
    assert mode(daemon, "moved") == "plan"


def test_a_wish_for_a_way_back_of_an_ended_session_is_void_and_says_so(daemon: Daemon) -> None:
    looped(daemon, "over")
    daemon.ask("POST", "/controller/events", [{"session_id": "over", "kind": "session_end"}])
    said = daemon.run("propose", "over", "--return", "mode", "--reason", "x").stdout
    waits, wrote, _, why = said.splitlines()
    seq = waits.split()[1].rstrip(";")
    assert wrote.startswith(f"Written: {seq} proposed, ")
    assert why == f"{seq} is void, as the session ended."


def test_a_wish_for_what_is_in_force_says_that_it_changes_nothing(daemon: Daemon) -> None:
    words = ("propose", "same", "--reason", "x", "--mode")
    said = daemon.run(*words, "implementation").stdout.splitlines()
    assert said[-1] == "It would change nothing that a call is judged by now."
    assert "change nothing" not in daemon.run(*words, "plan").stdout


def test_the_wrong_verb_names_the_right_one(daemon: Daemon) -> None:
    _, seq = looped(daemon, "verb")
    done = daemon.run("apply", seq, "--yes", token=OPERATOR)
    assert done.returncode == 1
    assert f"use approve {seq}" in done.stderr
    assert "This would become freer:\n  tools     no longer denied: editing tools" in done.stderr
    assert done.stderr.endswith(f"To decide it:    floorboss approve {seq} --url {daemon.url}\n")
    assert mode(daemon, "verb") == "plan"


def test_revert_puts_back_what_lay_beneath(daemon: Daemon) -> None:
    change, _ = looped(daemon, "revert")
    done = daemon.run("revert", change, "--yes", "--reason", "I know", token=OPERATOR)
    assert 'In force for session "revert" now: mode implementation, posture yolo.' in done.stdout
    assert mode(daemon, "revert") == "implementation"


def test_dismiss_leaves_things_as_they_are(daemon: Daemon) -> None:
    _, seq = looped(daemon, "dismiss")
    done = daemon.run("dismiss", seq, "--yes", token=OPERATOR)
    assert 'In force for session "dismiss" now: mode plan, posture yolo.' in done.stdout


def test_a_decision_without_anybody_to_ask_is_not_taken(daemon: Daemon) -> None:
    _, seq = looped(daemon, "nobody")
    unasked = daemon.run("approve", seq, token=OPERATOR)
    unknown = daemon.run("approve", seq, "--yes")
    assert (unasked.returncode, unknown.returncode) == (2, 2)
    assert "say --yes or --expected-state STATE. Nothing was changed." in unasked.stderr
    assert "hand it in with --token-fd N. Nothing was changed." in unknown.stderr
    assert mode(daemon, "nobody") == "plan"


@pytest.mark.parametrize("wrong", ["harness", "unknown"])
def test_another_token_than_the_operators_decides_nothing(daemon: Daemon, wrong: str) -> None:
    _, seq = looped(daemon, wrong)
    token = daemon.harness() if wrong == "harness" else "x" * 40
    done = daemon.run("approve", seq, "--expected-state", "0123456789abcdef", token=token)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("floorboss: refused: ")
    assert "The operator's token is the one that `serve` printed" in done.stderr
    assert "harness.token" not in done.stderr
    assert mode(daemon, wrong) == "plan"


@pytest.mark.parametrize(
    ("answer", "status", "after"), [("y", 0, "implementation"), ("", 1, "plan")]
)
def test_at_a_terminal_token_and_answer_are_asked_for_and_the_token_is_not_shown(
    daemon: Daemon, terminal: Start, answer: str, status: int, after: str
) -> None:
    session = f"asked-{status}"
    _, seq = looped(daemon, session)
    screen = terminal("approve", seq, env=daemon.env)
    said = screen.wait_for(r"(?s).*Operator's token \(not shown\): ")[0]
    screen.type(OPERATOR)
    said += screen.wait_for(r"(?s).*\[y/N\] ")[0]
    screen.type(answer)
    said += screen.end()
    assert screen.process.returncode == status
    assert OPERATOR not in said
    assert mode(daemon, session) == after


def test_no_option_and_no_variable_takes_a_token(daemon: Daemon) -> None:
    env = {**daemon.env, "FLOORBOSS_TOKEN": OPERATOR}
    by_variable = run("approve", "6", "--yes", env=env)
    by_option = daemon.run("approve", "6", "--yes", "--token", OPERATOR)
    assert (by_variable.returncode, by_option.returncode) == (2, 2)
    assert "there is no terminal to ask for the operator's token" in by_variable.stderr


def test_the_operators_token_is_not_sent_to_another_machine_in_the_clear(state: Path) -> None:
    url = "http://192.0.2.1:8737"
    done = run("approve", "6", "--yes", "--url", url, env=environment(state), token=OPERATOR)
    assert done.returncode == 2
    assert f"{url} is not encrypted" in done.stderr


def test_a_person_tightens_in_one_command(daemon: Daemon) -> None:
    words = ("propose", "freeze", "--posture", "read-only", "--reason", "lunch")
    done = daemon.run(*words, "--decide", "--yes", token=OPERATOR)
    assert done.stdout.splitlines()[:2] == [
        "In force now:    mode implementation, posture yolo.",
        "If you decide:   mode implementation, posture read-only.",
    ]
    held = 'In force for session "freeze" now: mode implementation, posture read-only.\n'
    assert f"{held}To take it back:  floorboss revert " in done.stdout


def test_a_person_loosens_in_one_command_for_the_state_that_was_shown(daemon: Daemon) -> None:
    looped(daemon, "open")
    words = ("propose", "open", "--return", "mode", "--reason", "it is fine")
    done = daemon.run(*words, "--decide", "--yes", token=OPERATOR)
    assert (done.returncode, mode(daemon, "open")) == (0, "implementation")


def test_an_agent_may_ask_but_not_decide(daemon: Daemon) -> None:
    words = ("propose", "agent", "--mode", "plan", "--reason", "I am lost")
    asked = daemon.run(*words)
    decided = daemon.run(*words, "--decide", "--yes", token=daemon.harness())
    assert (asked.returncode, decided.returncode) == (0, 1)
    assert asked.stdout.startswith("Proposal ")
    assert mode(daemon, "agent") == "implementation"


SOFT = '[soft.push]\nprograms = ["git push"]\nverdict = "ask"\nbase_rate = 0.5\nfloor = 0.1\n'


@pytest.fixture
def soft(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with one soft rule."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    (state / "floorboss.toml").write_text(SOFT)
    with served(state) as running:
        yield running


def test_lifting_a_soft_rule_for_a_session_is_shown_as_what_becomes_freer(soft: Daemon) -> None:
    words = ("propose", "lifted", "--lift", "push", "--session", "--reason", "x", "--decide")
    tried = soft.run(*words, "--dry-run", token=OPERATOR).stdout
    assert 'what the soft rule "push" stops' in tried
    done = soft.run(*words, "--yes", token=OPERATOR)
    assert (done.returncode, done.stderr) == (0, "")
    shown = soft.ask("GET", "/controller/overrides?scope=lifted")
    assert shown["policy"]["lifted"] == ["push"]
    assert shown["overrides"]["policy"]["body"]["limit"] == {"session": True}
    wrong = soft.run("propose", "lifted", "--lift", "pusj", "--reason", "x")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert 'there is no soft rule "pusj"; there are: push' in wrong.stderr


def test_a_dry_run_of_asking_does_not_pass_for_one_of_a_yes(daemon: Daemon) -> None:
    before = head(daemon)
    words = ("propose", "try", "--posture", "read-only", "--reason", "x", "--dry-run")
    for asked in (daemon.run(*words), daemon.run(*words, token=OPERATOR)):
        assert asked.stdout.splitlines() == [
            "Nothing was changed. It would wait for a person; mode implementation, posture yolo "
            "stays.",
            "What a yes would change:  add --decide, which needs the operator's token.",
        ]
    decided = daemon.run(*words, "--decide", token=OPERATOR).stdout
    assert "In force would be mode implementation, posture read-only." in decided
    assert "This would become stricter:" in decided
    assert head(daemon) == before


@pytest.mark.parametrize("words", [[], ["--mode", "plan", "--posture", "ask"]])
def test_a_wish_is_for_one_thing(daemon: Daemon, words: list[str]) -> None:
    done = daemon.run("propose", "demo", "--reason", "x", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "one of --mode, --posture, --return and --lift" in done.stderr


def test_a_wish_for_a_mode_that_there_is_not_names_those_there_are(daemon: Daemon) -> None:
    done = daemon.run("propose", "demo", "--mode", "god", "--reason", "x")
    assert done.returncode == 1
    assert "debug, implementation, plan, review, test_development" in done.stderr


@pytest.mark.parametrize("word", ["abc", "0", "-1", "1.5", "\u0666", "9" * 17])
def test_what_is_no_number_of_an_entry_is_told_what_one_is(daemon: Daemon, word: str) -> None:
    done = daemon.run("show", "--", word)
    assert (done.returncode, done.stdout) == (2, "")
    assert "an entry is named by its number, the first column of the log." in done.stderr


def test_a_session_that_the_log_does_not_know_is_told_from_one_without_such_entries(
    daemon: Daemon,
) -> None:
    looped(daemon, "known")
    unknown, unread = (
        daemon.run("log", "--scope", "nope"),
        daemon.run("log", "--scope", "nope", "--json"),
    )
    assert {(each.returncode, each.stdout) for each in (unknown, unread)} == {(1, "")}
    assert 'the log knows no session "nope"; `floorboss status` names them.' in unknown.stderr
    bare = daemon.run("log", "--scope", "known", "--kind", "gap")
    assert (bare.returncode, bare.stdout) == (0, "The log has no such entries.\n")


def test_an_entry_that_there_is_not_is_named(daemon: Daemon) -> None:
    done = daemon.run("approve", "999999", "--yes", token=OPERATOR)
    assert (done.returncode, done.stdout) == (1, "")


def test_without_a_daemon_the_address_that_was_tried_and_the_next_step_are_named(
    state: Path,
) -> None:
    env = environment(state, FLOORBOSS_PORT="1")
    commands: list[tuple[str, ...]] = [
        ("log",), ("show", "1"), ("status",), ("verify",),
        ("propose", "s", "--mode", "plan", "--reason", "x"),
    ]  # fmt: skip
    ended: list[Any] = [run(*words, env=env) for words in commands]
    ended.append(run("approve", "1", "--yes", env=env, token=OPERATOR))
    assert {each.returncode for each in ended} == {5}
    for each in ended:
        assert "no daemon answered at http://127.0.0.1:1 (Connection refused)" in each.stderr
        assert "`make run` or `floorboss serve`" in each.stderr
    assert not os.path.lexists(state)
