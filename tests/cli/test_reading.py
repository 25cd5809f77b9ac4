"""`floorboss log | show | status | verify | token | config`, as a person reads them."""

from __future__ import annotations

import json
import sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.processes import FAILING, HOSTILE, OPERATOR, Daemon, environment, run, served

OTHER = "0" * 64


def lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.splitlines()]


def unprintable(text: str) -> set[str]:
    return {each for each in text if not each.isprintable()}


def test_the_log_is_the_daemons_table(daemon: Daemon) -> None:
    daemon.loop("table")
    shown = daemon.run("log", "--scope", "table", "--limit", "2").stdout.splitlines()
    assert shown[0].split() == ["SEQ", "AT", "KIND", "SCOPE", "SUMMARY"]
    assert [line.split()[2] for line in shown[1:]] == ["proposed", "applied"]


def test_the_log_as_json_is_one_entry_a_line(daemon: Daemon) -> None:
    daemon.loop("json")
    shown = lines(daemon.run("log", "--scope", "json", "--kind", "applied", "--json").stdout)
    items = daemon.ask("GET", "/controller/log?scope=json&kind=applied")["items"]
    assert shown == items != []


LINES = "x\u2028y\u2029z\x85end"  # what Python takes for ends of lines, and JSON for letters


def test_no_text_of_an_agent_breaks_a_line_of_an_entry(daemon: Daemon) -> None:
    call = {**FAILING, "session_id": "lines", "result": LINES}
    seq = daemon.ask("POST", "/controller/events", [call])["results"][0]["seq"]
    told = daemon.run("log", "--scope", "lines", "--kind", "observed", "--json").stdout
    (entry,) = (json.loads(line) for line in told.removesuffix("\n").split("\n"))
    assert entry["body"]["result"] == LINES
    shown = daemon.run("show", str(seq)).stdout
    assert '  |   "result": "x\\u2028y\\u2029z\\x85end",\n' in shown


def test_filters_that_there_are_not_are_refused_before_anything_is_asked(daemon: Daemon) -> None:
    ended = daemon.run("log", "--kind", "happened")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "observed" in ended.stderr


def test_show_tells_what_followed_and_escapes_what_an_agent_wrote(daemon: Daemon) -> None:
    call = {**FAILING, "session_id": "hostile", "arguments": {"command": HOSTILE}}
    seq = daemon.ask("POST", "/controller/events", [call])["results"][0]["seq"]
    shown = daemon.run("show", str(seq)).stdout
    assert unprintable(shown) == {"\n"}
    assert "\\u001b[2K" in shown
    assert all(line.startswith("  | ") for line in shown.splitlines() if "owned" in line)


def second(daemon: Daemon, seq: object) -> str:
    """The line near the top that says what has become of an entry."""
    shown = daemon.run("show", str(seq)).stdout.splitlines()
    at = next(i for i, line in enumerate(shown) if line.startswith(f"{seq} "))
    return shown[at + 1].strip()


def test_show_says_what_has_become_of_an_entry(daemon: Daemon) -> None:
    applied, back = daemon.loop("become")
    assert second(daemon, applied["seq"]) == "in force now"
    assert second(daemon, back["seq"]) == "open: it waits for a person"
    wish = ("propose", "become", "--mode", "debug", "--reason", "x", "--decide", "--yes")
    daemon.run(*wish, token=OPERATOR)
    newer = daemon.ask("GET", "/controller/sessions/become")["restrictions"]["mode"]["seq"]
    assert second(daemon, applied["seq"]) == f"not in force now: covered by {newer}"
    void = daemon.ask("GET", f"/controller/log/{back['seq']}")["referred_to_by"][-1]["seq"]
    why = "what it would take back is not in force"
    assert second(daemon, back["seq"]) == f"void by {void}: {why}"
    daemon.run("revert", str(newer), "--yes", token=OPERATOR)
    (reverted,) = daemon.ask("GET", f"/controller/log/{newer}")["referred_to_by"]
    assert second(daemon, newer) == f"over: reverted by {reverted['seq']}"
    assert second(daemon, applied["seq"]) == "in force now"
    (again,) = daemon.ask("GET", "/controller/sessions/become")["proposals"]
    daemon.run("dismiss", str(again["seq"]), "--yes", token=OPERATOR)
    assert second(daemon, again["seq"]).startswith("decided: dismissed by ")
    daemon.ask("POST", "/controller/events", [{"session_id": "become", "kind": "session_end"}])
    assert second(daemon, applied["seq"]) == "in force now, though the session ended"


def test_show_names_the_entries_that_refer_to_it(daemon: Daemon) -> None:
    applied, returns = daemon.loop("refers")
    shown = daemon.run("show", str(applied["seq"])).stdout
    assert f"  then {returns['seq']} proposed: return plan -> implementation" in shown


def test_without_the_harness_token_entries_are_shown_in_outline(
    daemon: Daemon, tmp_path: Path
) -> None:
    call = {**FAILING, "session_id": "outline", "arguments": {"command": "echo secret-words"}}
    seq = str(daemon.ask("POST", "/controller/events", [call])["results"][0]["seq"])
    stranger = run("show", seq, "--url", daemon.url, env=environment(tmp_path / "other"))
    assert "secret-words" in daemon.run("show", seq).stdout
    assert '"Bash"' in stranger.stdout
    assert "secret-words" not in stranger.stdout


def test_status_begins_with_what_waits(state: Path) -> None:
    with served(state) as daemon:
        assert daemon.run("status").stdout.splitlines() == [
            "Nothing waits for a person.",
            "No session was reported yet.",
        ]
        _, returns = daemon.loop("busy")
        daemon.ask("POST", "/controller/events", {**FAILING, "session_id": "calm", "outcome": "ok"})
        shown = daemon.run("status").stdout.splitlines()
        one = lines(daemon.run("status", "busy", "--json").stdout)
    assert shown[0] == "Waits for a person:"
    assert shown[1].startswith(f"  approve {returns['seq']}  busy  return plan")
    assert "calm: mode implementation, posture yolo" in shown
    assert "busy: mode plan, posture yolo, by 5" in shown
    assert (
        "  5 implementation -> plan: same failing call 3 times, nothing changed in between" in shown
    )
    assert [view["scope"] for view in one if isinstance(view, dict)] == ["busy"]


def test_observing_status_tells_what_would_have_been_enforced(state: Path) -> None:
    state.mkdir(mode=0o700, exist_ok=True)
    (state / "floorboss.toml").write_text('enforcement = "observe"\n')
    edit = {"session_id": "busy", "tool": "Edit", "arguments": {"file_path": "/srv/a.py"}}
    with served(state) as daemon:
        first = daemon.run("status").stdout.splitlines()
        applied, _ = daemon.loop("busy")
        verdict = daemon.ask("POST", "/controller/decide", edit)
        shown = daemon.run("status").stdout.splitlines()
    assert first[1:] == ["Only observing: nothing is denied.", "No session was reported yet."]
    assert (verdict["verdict"], verdict["would"]) == ("none", "deny")
    assert f"busy: would be held to mode plan, posture yolo, by {applied['seq']}" in shown
    assert "  1 of 4 calls would have been denied: 1 by mode_tool" in shown


def test_status_of_a_session_that_there_is_not_says_so(daemon: Daemon) -> None:
    ended = daemon.run("status", "nobody")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "knows no such session; `floorboss status` lists those it knows." in ended.stderr


@pytest.mark.parametrize(
    ("url", "like"),
    [
        ("localhost:9737", "http://localhost:9737"),
        ("127.0.0.1:9737", "http://127.0.0.1:9737"),
        ("ftp://localhost", "http://127.0.0.1:8737"),
        ("http://localhost:port", "http://127.0.0.1:8737"),
        ("http://", "http://127.0.0.1:8737"),
    ],
)
@pytest.mark.parametrize("words", [("status",), ("approve", "6", "--yes")])
def test_an_address_that_is_none_is_wrong_usage_and_the_right_form_is_named(
    words: tuple[str, ...], url: str, like: str, state: Path
) -> None:
    ended = run(*words, "--url", url, env=environment(state))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f'floorboss: --url "{url}" is no address; write it like {like}\n'


@pytest.mark.parametrize(
    ("kind", "text"),
    [("text/html", "<html>"), ("application/json", "[]"), ("application/json", "no json")],
)
@pytest.mark.parametrize("words", [("status",), ("show", "5"), ("verify",)])
def test_another_service_on_the_port_is_no_traceback(
    words: tuple[str, ...], kind: str, text: str, state: Path
) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that the library calls
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        Thread(target=server.handle_request, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        ended = run(*words, "--url", url, env=environment(state))
    assert (ended.returncode, ended.stdout) == (5, "")
    assert ended.stderr.startswith(f"floorboss: what answers at {url} is not floorboss")


def test_a_made_token_works_and_a_revoked_one_does_not(daemon: Daemon) -> None:
    made = daemon.run("token", "new", "dash", "--role", "reader", token=OPERATOR)
    token = made.stdout.strip()
    daemon.ask("GET", "/controller/log", token=token)["items"]
    listed = daemon.run("token", "list", token=OPERATOR).stdout
    again = daemon.run("token", "new", "dash", "--role", "reader", token=OPERATOR)
    revoked = daemon.run("token", "revoke", "dash", token=OPERATOR)
    assert daemon.ask("GET", "/controller/log", token=token)["status"] == 401
    assert listed.splitlines()[0].split() == ["NAME", "ROLE", "ID"]
    assert "dash" in listed
    assert token not in listed
    assert (again.returncode, "There is a token named dash" in again.stderr) == (1, True)
    assert (revoked.returncode, revoked.stdout) == (0, "Revoked: dash.\n")


def test_only_the_operator_makes_tokens_and_an_attempt_is_logged(daemon: Daemon) -> None:
    ended = daemon.run("token", "new", "me", "--role", "operator", token=daemon.harness())
    newest = daemon.ask("GET", "/controller/log?kind=refused&limit=1")["items"][0]
    assert ended.returncode == 1
    assert newest["body"]["attempted"] == "token new"
    assert newest["body"]["by"] == "harness:harness"


def test_the_daemon_verifies_and_a_checkpoint_kept_earlier_is_compared(daemon: Daemon) -> None:
    daemon.loop("verify")
    kept = daemon.run("verify").stdout.splitlines()[-1]
    daemon.loop("verify-later")
    same = daemon.run("verify", "--checkpoint", kept)
    other = daemon.run("verify", "--checkpoint", f"{kept.partition(':')[0]}:{OTHER}")
    beyond = daemon.run("verify", "--checkpoint", f"999999:{OTHER}")
    assert (same.returncode, other.returncode, beyond.returncode) == (0, 1, 1)
    assert "is another one now" in other.stderr
    assert "is missing" in beyond.stderr


def test_a_file_is_verified_without_a_daemon_and_a_changed_entry_is_named(state: Path) -> None:
    database = state / "controls.db"
    words = ("verify", "--database", str(database))
    with served(state) as daemon:
        daemon.loop()
    whole = run(*words, env=environment(state))
    kept = whole.stdout.splitlines()[-1]
    same = run(*words, "--checkpoint", kept, env=environment(state))
    with sqlite3.connect(database) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE controls SET actor = 'harness:other' WHERE seq = 4")
    connection.close()
    broken = run(*words, env=environment(state))
    assert (whole.returncode, same.returncode, broken.returncode) == (0, 0, 1)
    assert kept.startswith("6:")
    assert "the chain is broken: entry 4" in broken.stderr


def test_a_file_that_is_no_log_is_not_called_a_whole_one(state: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("no database\n" * 1000)
    for name, status in (("gone.db", 4), ("empty.db", 4), ("text.db", 4)):
        ended = run("verify", "--database", str(tmp_path / name), env=environment(state))
        assert (name, ended.returncode, ended.stdout) == (name, status, "")
        assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("text", ["12", "12:abc", f"x:{OTHER}"])
def test_a_checkpoint_is_a_seq_and_a_hash(daemon: Daemon, text: str) -> None:
    ended = daemon.run("verify", "--checkpoint", text)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "expected SEQ:HASH" in ended.stderr


def test_config_tells_each_value_and_where_it_was_said(state: Path) -> None:
    state.mkdir()
    (state / "floorboss.toml").write_text('profile = "strict"\n')
    shown = run("config", "--host", "localhost", env=environment(state, FLOORBOSS_PORT="9000"))
    rows = [line.split() for line in shown.stdout.splitlines()]
    assert rows[0] == ["KEY", "VALUE", "SOURCE"]
    assert ["host", '"localhost"', "--host"] in rows
    assert ["port", "9000", "FLOORBOSS_PORT"] in rows
    assert ["profile", '"strict"', "floorboss.toml"] in rows
    assert ["ceiling", '"yolo"', "default"] in rows


def test_config_fits_a_terminal_and_writes_numbers_as_the_docs_do(state: Path) -> None:
    shown = run("config", env=environment(state)).stdout.splitlines()
    paths = ("state_dir", "config", "database_url")
    assert [each for each in shown if len(each) > 80 and not each.startswith(paths)] == []
    assert ["rules.repeated.failed", "3", "default"] in map(str.split, shown)
    at = next(i for i, line in enumerate(shown) if line.startswith("modes.implementation.tools"))
    below = next(i for i, line in enumerate(shown) if line.startswith("modes.implementation.wri"))
    whole = " ".join(" ".join(shown[at:below]).split())
    assert whole.endswith('"web", "subagent", "talk", "mcp", "other"] default')


def test_config_and_show_tell_what_is_in_force_and_what_waits(state: Path) -> None:
    state.mkdir()
    file = state / "floorboss.toml"
    file.write_text('ceiling = "ask"\n[modes.mine]\ntools = ["read"]\n')
    Daemon(state).stop()
    file.write_text('ceiling = "auto"\n[modes.debug]\nwrites = ["temporary"]\n'
                    'shell = {write = "scope_or_deny"}\n')  # fmt: skip
    daemon = Daemon(state)
    try:
        rows = [line.split() for line in daemon.run("config").stdout.splitlines()]
        waits = ["waits", "for", "approval", "as", "3"]
        assert ["ceiling", '"auto"', "floorboss.toml;", "in", "force", '"ask",', *waits] in rows
        assert ["modes.debug.writes", '["temporary"]', "floorboss.toml;", "in", "force", "[],",
                *waits] in rows  # fmt: skip
        assert ["modes.debug.handoff", '"diagnosis"', "default"] in rows
        shown = daemon.run("show", "3").stdout
        assert "  ceiling: in force: ask; asked for: auto\n" in shown
        assert "  modes.debug.writes: in force: nothing; asked for: temporary\n" in shown
        assert "What names no mode is about mode implementation, which is in force now." in shown
        assert "Also changed, for sessions" in " ".join(shown.split())
        assert "temporary files (in mode debug)" in " ".join(shown.split())
        assert "mode debug, as listed above." in shown
        assert "settings that may free a call wait for a person" in daemon.run("status").stdout
        assert "  modes.mine: a mode of its own before, nothing from then on\n" in (
            daemon.run("show", "2").stdout
        )
        daemon.run("dismiss", "3", "--yes", token=OPERATOR)
        assert '"ask", dismissed as 3' in daemon.run("config").stdout
        assert "  ceiling: ask was in force, auto was asked for\n" in daemon.run("show", "3").stdout
    finally:
        daemon.stop()
    alone = [line.split() for line in run("config", env=daemon.env).stdout.splitlines()]
    assert ["ceiling", '"auto"', "floorboss.toml"] in alone


def test_wrong_settings_are_told_one_by_one(state: Path) -> None:
    state.mkdir()
    (state / "floorboss.toml").write_text('profle = "strict"\nceiling = "high"\n')
    for words in (("config",), ("log",), ("serve",)):
        ended = run(*words, env=environment(state))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert 'unknown key "profle"; the nearest known one is "profile"' in ended.stderr


@pytest.mark.parametrize("word", ["run", "set", "mode"])
def test_there_is_no_command_that_switches_a_mode(daemon: Daemon, word: str) -> None:
    ended = daemon.run(word)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"No such command '{word}'" in ended.stderr
