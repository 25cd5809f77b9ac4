"""A daemon in a process of its own that asks a model server on loopback when a check trips."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.process import COMMAND, OPERATOR, ROOT, Process, bearer, served
from tests.proposer.server import Reply, Scripted, answer, hang, scripted

ANN = bearer(OPERATOR)
CANARY = "kanarienvogel"
ASK = answer(action="tighten_policy", policy={"posture": "ask"}, reason=f"{CANARY} of the model")
KEY = "key-of-this-test-0123456789"
# What a daemon has imported when it ends.
DUMP = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from app.cli.main import main
sys.argv = ["floorboss", *sys.argv[1:]]
main()
"""


@contextmanager
def watched(state: Path, *replies: Reply, **said: Any) -> Iterator[tuple[Process, Scripted]]:
    """A daemon and the model server that it asks."""
    with scripted(*replies) as server, served(state, toml=server.toml(**said)) as process:
        yield process, server


def event(session: str = "s", **more: Any) -> dict[str, Any]:
    call = {"tool": "Bash", "arguments": {"command": "make all"}, "outcome": "error"}
    return {"session_id": session, **call, "result": "no rule", **more}


def trips(process: Process, session: str = "s", **more: Any) -> None:
    """The same failing call three times."""
    for _ in range(3):
        status, _ = process.ask("POST", "/controller/events", event(session, **more))
        assert status == 201


def ended(process: Process, calls: int = 1) -> list[dict[str, Any]]:
    """What the proposer wrote, once so many calls are over; the stream says when."""
    connection = process.connection()
    connection.request(
        "GET", "/controller/stream", headers={**process.harness, "Last-Event-ID": "0"}
    )
    response = connection.getresponse()
    while calls:
        line = response.readline()
        assert line, "the stream ended"
        if line.startswith(b"data:"):
            entry = json.loads(line[5:])
            calls -= entry["kind"] == "ended" and "proposer" in entry["body"]
    connection.close()
    return of_model(process)


def of_model(process: Process) -> list[dict[str, Any]]:
    return [
        entry
        for entry in process.log()
        if "proposer" in entry["body"] or entry["body"].get("by") == "proposer"
    ]


def test_a_tightening_is_told_to_agent_and_person_and_a_person_takes_it_back(
    tmp_path: Path,
) -> None:
    with watched(tmp_path / "state", ASK) as (process, _):
        session = {"session_id": "c", "cwd": str(tmp_path), "hook_event_name": "UserPromptSubmit"}
        trips(process, "c")
        _, change, _ = ended(process)
        assert change["summary"].startswith('posture yolo -> ask: model "watcher" answered')
        (back,) = [e for e in process.log("&kind=proposed") if e["body"]["return"] == change["seq"]]
        hook = {**session, "prompt": "go on", "prompt_id": "p1"}
        status, told = process.ask("POST", "/hooks/claude-code", hook)
        assert status == 200
        assert (
            f"[floorboss {change['seq']}] posture yolo -> ask"
            in (told["hookSpecificOutput"]["additionalContext"])
        )
        assert f"floorboss approve {back['seq']}" in told["systemMessage"]
        assert CANARY not in json.dumps(told)
        assert process.ask("GET", "/controller/sessions/c")[1]["posture"] == "ask"
        state = process.ask("GET", "/controller/overrides?scope=c")[1]["state"]
        decision = {"expected_state": state}
        assert process.ask("POST", f"/controller/approve/{back['seq']}", decision, ANN)[0] == 200
        assert process.ask("GET", "/controller/sessions/c")[1]["posture"] == "yolo"


def test_what_is_sent_holds_nothing_of_what_the_agent_did(tmp_path: Path) -> None:
    """No output, path, argument, prompt or id; and no name of a tool that looks like one."""
    with watched(tmp_path / "state", answer(action="noop")) as (process, server):
        session = f"s-{CANARY}"
        prompt = {"session_id": session, "kind": "prompt", "arguments": {"prompt": CANARY}}
        more: dict[str, Any] = {
            "agent_id": f"a-{CANARY}",
            "cwd": f"/home/{CANARY}",
            "result": f"error in {CANARY}",
            "call_id": None,
        }
        process.ask("POST", "/controller/events", prompt)
        odd = event(session, **more, tool=f"/bin/{CANARY} --all")
        process.ask("POST", "/controller/events", odd)
        run = {"arguments": {"command": f"pytest tests/test_{CANARY}.py"}}
        process.ask("POST", "/controller/events", event(session, **more, **run))
        arguments = {"command": f"cat /etc/{CANARY}", CANARY: CANARY}
        trips(process, session, **more, arguments=arguments)
        ended(process)
        (request,) = server.asked
        sent = json.dumps(request.json) + json.dumps(request.headers)
        assert CANARY not in sent
        outline = json.loads(request.json["messages"][1]["content"])
        assert {call["tool"] for call in outline["last_calls"]} == {"Bash", "other"}
        (asked, _) = of_model(process)
        assert asked["body"]["proposer"]["sent"] == outline


def test_without_a_token_what_was_sent_is_shown_and_no_word_of_the_model(tmp_path: Path) -> None:
    with watched(tmp_path / "state", ASK) as (process, _):
        trips(process)
        ended(process)
        _, page = process.ask("GET", "/controller/log?limit=100", headers={})
        assert CANARY not in json.dumps(page)
        told = [
            e["body"]["proposer"] for e in page["items"] if "sent" in e["body"].get("proposer", {})
        ]
        assert told[0]["sent"]["checks"][0]["rule"] == "repeated"


def test_the_key_is_sent_and_stands_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_THE_MODEL", KEY)
    with watched(tmp_path / "state", answer(action="noop"), key_variable="KEY_OF_THE_MODEL") as (
        process,
        server,
    ):
        trips(process)
        ended(process)
        assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
        assert KEY not in json.dumps(process.log())
        process.end()
    written = [path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert [content for content in written if KEY.encode() in content] == []


def test_events_are_answered_while_the_model_says_nothing_and_an_end_waits_for_nobody(
    tmp_path: Path,
) -> None:
    with watched(tmp_path / "state", hang, timeout=60.0) as (process, server):
        trips(process)
        assert server.arrived.acquire(timeout=60)
        for number in range(20):
            body = event(arguments={"command": f"look {number}"}, outcome="ok")
            assert process.ask("POST", "/controller/events", body)[0] == 201
        decision = {"session_id": "s", "tool": "Read", "arguments": {"file_path": "a"}}
        assert process.ask("POST", "/controller/decide", decision)[0] == 200
        assert [entry["kind"] for entry in of_model(process)] == ["applied"]
        assert process.end() == 0
        server.released.set()
        with served(tmp_path / "state", toml="") as again:
            assert [(e["kind"], e["body"].get("why")) for e in of_model(again)][1:] == [
                ("refused", "stopped"),
                ("ended", "the model's answer led nowhere (stopped)"),
            ]


def test_a_call_that_a_kill_cut_off_is_over_at_the_next_start(tmp_path: Path) -> None:
    with watched(tmp_path / "state", hang, timeout=60.0) as (process, server):
        trips(process)
        assert server.arrived.acquire(timeout=60)
        process.end(signal.SIGKILL)
        with served(tmp_path / "state") as again:
            (question, refused, _) = ended(again)
            assert refused["body"]["why"] == "stopped"
            assert refused["ref"] == question["seq"]


def test_a_text_for_a_person_lies_in_the_proposals_folder_and_no_agent_may_write_there(
    tmp_path: Path,
) -> None:
    text = answer(action="propose_instruction", title="Run one", text="One test at a time.")
    texts = tmp_path / "texts"
    with watched(tmp_path / "state", text, folder=str(texts)) as (process, _):
        trips(process)
        _, notice, _ = ended(process)
        process.end()
        file = texts / f"{notice['seq']}-instruction.md"
        assert "One test at a time." in file.read_text()
        with served(tmp_path / "state") as again:
            wanted = {"file_path": str(file), "content": "x"}
            call = {"session_id": "t", "tool": "Write", "arguments": wanted, "cwd": str(tmp_path)}
            verdict = again.ask("POST", "/controller/decide", call)[1]
            assert (verdict["verdict"], verdict["rule"]) == ("deny", "guarded")


def started(folder: Path, toml: str, code: str = "") -> tuple[int, str]:
    """How a start ended that must fail, and what it said."""
    folder.mkdir(mode=0o700)
    (folder / "floorboss.toml").write_text(toml)
    command = [sys.executable, "-c", code] if code else [*COMMAND]
    done = subprocess.run(
        [*command, "serve", "--port", "0", "--state-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


ON = '[proposer]\nenabled = true\nmodel = "watcher"\n'


def test_without_httpx_the_start_says_what_installs_it(tmp_path: Path) -> None:
    code = f"import sys\nsys.modules['httpx'] = None\n{DUMP}"
    status, said = started(tmp_path / "state", ON, code)
    assert status == 2
    assert "proposer.enabled needs the package httpx" in said
    assert "-m pip install 'httpx>=0.28'" in said
    assert "Traceback" not in said


def test_without_its_key_the_start_says_which_variable_is_missing(tmp_path: Path) -> None:
    status, said = started(tmp_path / "state", f'{ON}key_variable = "NO_SUCH_KEY"\n')
    assert status == 2
    assert "NO_SUCH_KEY" in said


@pytest.mark.parametrize("key", ["k\r\nX-Evil: 1", "k\n", " k", "ключ"])
def test_a_key_that_no_request_can_carry_is_told_at_start_and_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("KEY_OF_THE_MODEL", key)
    status, said = started(tmp_path / "state", f'{ON}key_variable = "KEY_OF_THE_MODEL"\n')
    assert status == 2
    assert "KEY_OF_THE_MODEL, whose value no request can carry" in said
    assert "Evil" not in said


def imported(folder: Path, toml: str, rounds: int) -> frozenset[str]:
    """All that a daemon has imported by its end, checks that trip included."""
    folder.mkdir(mode=0o700)
    (folder / "floorboss.toml").write_text(toml)
    command = [sys.executable, "-c", DUMP, "serve", "--port", "0", "--state-dir", str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as popen:
        assert popen.stdout
        assert popen.stderr
        first = popen.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", first)
        assert found, first
        process = Process(popen, folder, int(found[1]), first)
        for number in range(rounds):
            trips(process, f"s{number}")
        assert [e["kind"] for e in process.log("&kind=applied")] != []
        popen.terminate()
        said = popen.stderr.read().decode()
    return frozenset(json.loads(said.splitlines()[-1]))


THE_PROPOSERS = {"app.domain.advice", "app.domain.advised", "app.domain.briefing", "httpx"}


def test_off_nothing_of_the_proposer_is_imported(tmp_path: Path) -> None:
    modules = imported(tmp_path / "state", "", 1)
    assert "app.main" in modules
    assert [name for name in sorted(modules) if name.startswith("app.proposer")] == []
    assert modules & THE_PROPOSERS == frozenset()


def test_on_the_measure_sees_what_is_imported(tmp_path: Path) -> None:
    with scripted(answer(action="noop")) as server:
        modules = imported(tmp_path / "state", server.toml(), 1)
    assert modules >= THE_PROPOSERS | {"app.proposer.gate"}
