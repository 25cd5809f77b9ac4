"""`floorboss serve`: how it starts, what it prints, whom it trusts, how it ends."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.processes import OPERATOR, ROOT, Daemon, Terminal, environment, run, served

Start = Callable[..., Terminal]
STARTED = """
import json, sys
from pathlib import Path
from app.config import load
from app.main import start
daemon = start(load({"state_dir": Path(sys.argv[1])}, {}), alone=True)
print(json.dumps([daemon.reader.head(), sorted(sys.modules)]))
daemon.close()
"""
TOKEN = r"floorboss_o_[0-9a-f]{8}_[A-Za-z0-9_-]{43}"


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_it_prints_three_lines_and_no_more(state: Path) -> None:
    with served(state) as daemon:
        status, said, _ = daemon.stop()
    assert status == 0
    assert [line.split()[0] for line in said.splitlines()] == ["Serving", "Post", "See"]


def test_the_printed_call_is_accepted_as_it_stands(state: Path) -> None:
    with served(state) as daemon:
        words = shlex.split(daemon.line().partition("curl")[2])
        log = shlex.split(daemon.line().partition("curl")[2].partition("Decide")[0])
        for _ in range(3):
            answer = subprocess.run(["curl", "-sS", *words], capture_output=True, text=True)
            assert '"results"' in answer.stdout, answer
        table = subprocess.run(["curl", "-sS", *log], capture_output=True, text=True).stdout
    assert "applied     demo   implementation -> plan" in table


def test_the_third_line_names_the_daemon_only_where_the_commands_would_not_find_it(
    state: Path,
) -> None:
    with served(state, "--port", "0", FLOORBOSS_PORT="8737") as daemon:
        daemon.line()
        assert daemon.line().rstrip().endswith(f"floorboss approve SEQ --url {daemon.url}")


def test_without_a_terminal_no_operators_token_is_made_and_a_line_says_how(state: Path) -> None:
    with served(state, token=None) as daemon:
        _, said, errors = daemon.stop()
    assert "floorboss_o_" not in said + errors
    assert "--operator-token-fd" in said
    assert b"operator" not in (state / "tokens.json").read_bytes()


@pytest.mark.parametrize("marker", ["CLAUDECODE", "CODEX_SANDBOX", "CI"])
def test_a_terminal_of_an_agent_is_given_neither_token_nor_console(
    state: Path, terminal: Start, marker: str
) -> None:
    screen = terminal("serve", env=environment(state, **{marker: "1"}))
    said = screen.wait_for(r"(?s).*No operator's token was made:.*\n")[0]
    screen.type("q")
    screen.process.terminate()
    said += screen.end()
    assert screen.process.returncode == 0
    assert "floorboss_o_" not in said
    assert "a SEQ" not in said
    assert marker in said


def test_a_terminal_is_shown_the_operators_token_once_and_only_its_digest_is_kept(
    state: Path, terminal: Start
) -> None:
    first = terminal("serve", env=environment(state))
    token = first.wait_for(TOKEN)[0]
    first.type("q")
    first.end()
    again = terminal("serve", env=environment(state))
    said = again.wait_for(r"(?s).*See the log:.*\n")[0]
    assert "Decide what waits:  type `a SEQ` here (`?` explains)\n" in said
    again.type("q")
    said += again.end()
    kept = everything_in(state)
    assert (first.process.returncode, again.process.returncode) == (0, 0)
    assert "The operator's token that was made at an earlier start still holds" in said
    assert "floorboss_o_" not in said
    assert token.encode() not in kept
    assert token[-43:].encode() not in kept
    assert sha256(token.encode()).hexdigest().encode() in kept


def test_an_operators_token_that_was_handed_in_is_neither_printed_nor_stored(state: Path) -> None:
    with served(state) as daemon:
        daemon.loop()
        daemon.run("approve", "6", "--yes", token=OPERATOR)
        arguments = Path(f"/proc/{daemon.process.pid}/cmdline").read_bytes()
        _, said, errors = daemon.stop()
    for secret in (OPERATOR, daemon.harness()):
        assert secret not in said + errors
        assert secret.encode() not in arguments
    assert OPERATOR.encode() not in everything_in(state)


def test_a_service_managers_credential_is_an_operators_token(state: Path, tmp_path: Path) -> None:
    (tmp_path / "operator-token").write_text(f"{OPERATOR}\n")
    with served(state, token=None, CREDENTIALS_DIRECTORY=str(tmp_path)) as daemon:
        items = daemon.ask("GET", "/controller/tokens", token=OPERATOR)["items"]
    assert {item["role"] for item in items} == {"harness", "operator"}


def test_a_weak_operators_token_ends_the_start(state: Path, tmp_path: Path) -> None:
    (tmp_path / "operator-token").write_text("secret\n")
    ended = run("serve", env=environment(state, CREDENTIALS_DIRECTORY=str(tmp_path)))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "not started: The operator's token must be 32 or more" in ended.stderr


def test_no_variable_hands_in_an_operators_token(state: Path) -> None:
    ended = run("serve", env=environment(state, FLOORBOSS_OPERATOR_TOKEN=OPERATOR))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "FLOORBOSS_OPERATOR_TOKEN is not known" in ended.stderr
    assert OPERATOR not in ended.stderr


def test_a_second_daemon_names_the_first_and_leaves_it_alone(state: Path) -> None:
    with served(state) as first:
        second = run("serve", env=first.env)
        assert (second.returncode, second.stdout) == (3, "")
        assert f"process {first.process.pid} " in second.stderr
        assert first.ask("GET", "/healthz") == {"ok": True}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_open_address_without_encryption_is_refused_before_anything_is_made(
    state: Path, host: str
) -> None:
    ended = run("serve", "--host", host, env=environment(state))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "can be reached from other machines" in ended.stderr
    assert not state.exists()


def test_a_port_that_is_taken_is_named(state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        ended = run("serve", "--port", port, env=environment(state))
    assert (ended.returncode, ended.stdout) == (4, "")
    assert f"127.0.0.1 port {port}: Address already in use" in ended.stderr


def test_a_state_folder_that_cannot_be_trusted_is_named(state: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    state.symlink_to(tmp_path / "elsewhere")
    ended = run("serve", env=environment(state))
    assert ended.returncode == 4
    assert f"{state} is a symbolic link" in ended.stderr


def test_what_it_makes_is_closed_to_others_whatever_the_mask_was(state: Path) -> None:
    before = os.umask(0)
    try:
        with served(state):
            found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()}
    finally:
        os.umask(before)
    assert {"controls.db", "controls.db-wal", "harness.token", "tokens.json"} <= set(found)
    assert {mode & 0o077 for mode in found.values()} == {0}
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


def test_at_the_end_everything_acknowledged_lies_in_one_file_with_a_whole_chain(
    state: Path,
) -> None:
    with served(state) as daemon:
        daemon.loop()
        head = daemon.ask("GET", "/controller/checkpoint")
        assert daemon.stop()[0] == 0
    assert sorted(path.name for path in state.glob("controls.db*")) == [
        "controls.db",
        "controls.db.lock",
    ]
    checked = run("verify", "--database", str(state / "controls.db"), env=environment(state))
    assert checked.stdout.splitlines()[-1] == f"{head['seq']}:{head['hash']}"


def test_it_tells_its_service_manager_when_it_serves(state: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        with served(state, NOTIFY_SOCKET=str(tmp_path / "notify")) as daemon:
            assert manager.recv(100) == b"READY=1"
            daemon.stop()
            assert manager.recv(100) == b"STOPPING=1"


def test_an_answer_does_not_say_what_serves_it(daemon: Daemon) -> None:
    answer = subprocess.run(
        ["curl", "-sSi", f"{daemon.url}/healthz"], capture_output=True, text=True
    ).stdout.lower()
    assert answer.startswith("http/1.1 200")
    assert "\nserver:" not in answer


def test_a_forwarded_address_is_not_believed(daemon: Daemon) -> None:
    answer = subprocess.run(
        ["curl", "-sS", "-H", "X-Forwarded-Proto: https", f"{daemon.url}/controller/log/"],
        capture_output=True,
        text=True,
    ).stdout
    assert "https" not in answer


def test_what_only_a_migration_needs_does_not_stay_in_the_daemon(state: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STARTED, str(state)], cwd=ROOT, capture_output=True, text=True
    )
    head, modules = json.loads(ended.stdout)
    assert head == 1
    assert "app.store.migrate" in modules
    assert {"alembic", "mako"}.isdisjoint(modules)


def test_a_newer_log_is_named_once_and_left_alone(state: Path) -> None:
    with served(state):
        pass
    with closing(sqlite3.connect(state / "controls.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = (state / "controls.db").read_bytes()
    ended = run("serve", env=environment(state))
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.count("the database is at revision 9999") == 1
    assert "Traceback" not in ended.stderr
    assert (state / "controls.db").read_bytes() == before
