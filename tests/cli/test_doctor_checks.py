"""Each check of the doctor by itself, on files of its own."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from app.cli import checkup_claude, checkup_place
from app.cli.facts import Facts, Layer, facts
from app.cli.findings import Finding
from app.cli.switches import NAMELESS, SILENT, switches
from app.config import Settings, load
from app.harness.claude_settings import Target, hooks

URL = "http://127.0.0.1:8737"
ONLY = "allowManagedHooksOnly is true and ours are not among them"
URL_OUT = f"allowedHttpHookUrls leaves out {URL}/hooks/claude-code"
TOKEN_OUT = "httpHookAllowedEnvVars leaves out FLOORBOSS_TOKEN"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a project in it, in which the doctor is asked."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def put(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def ours(token: str | None = "t", **more: Any) -> dict[str, Any]:
    """Settings with our hooks, written by hand."""
    wanted = hooks(Target(url=URL, token=token, header_file="/h"))
    return {"hooks": {event: [{"hooks": [each]}] for event, each in wanted.items()}, **more}


def seen(home: Path) -> Facts:
    found = load({"state_dir": home / "state"}, {"HOME": str(home)})
    assert isinstance(found, Settings)
    return facts(found, None, home / "managed.json")


def stopped(home: Path) -> list[str]:
    """What keeps the hooks from running."""
    found = seen(home)
    return told(switches(found.managed, (*found.project, found.user), found.target))


def told(findings: Any) -> list[str]:
    return [f"{each.level} {each.text}" for each in findings]


@pytest.mark.parametrize(
    ("listener", "caller", "owner", "start"),
    [
        (1000, 1000, None, "warn 0, advisory: the daemon runs as this user"),
        (1000, 1000, 0, "warn 0, advisory: the daemon runs as this user"),
        (0, 0, 0, "warn 0, advisory: the daemon runs as this user"),
        (990, 1000, None, "warn 0, advisory: the daemon runs as uid 990, but this user may write"),
        (990, 1000, 1000, "warn 0, advisory: the daemon runs as uid 990, but this user may write"),
        (990, 1000, 0, "ok 1, managed: the daemon runs as uid 990, root owns the hooks in"),
        (None, 1000, 0, "warn unknown"),
    ],
)
def test_the_tier_is_who_could_stop_it(
    listener: int | None, caller: int, owner: int | None, start: str
) -> None:
    text = "" if owner is None else json.dumps(ours())
    managed = Layer(path=Path("/etc/m.json"), text=text, owner=owner)
    (line,) = told([checkup_place.tier(listener, caller, managed, Path("/home/u/settings.json"))])
    assert line.startswith(start)


def test_the_owner_of_a_port_is_who_listens_there(tmp_path: Path) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        assert checkup_place.owner_of_port(port) is None
        listening.listen()
        assert checkup_place.owner_of_port(port) == os.geteuid()
        assert checkup_place.owner_of_port(port, (tmp_path / "no such table",)) is None


@pytest.mark.parametrize(
    ("free", "level"),
    [(1 << 30, "ok"), ((1 << 30) - 1, "warn"), (100 << 20, "warn"), ((100 << 20) - 1, "fail")],
)
def test_a_disk_is_judged_by_the_bytes_left(free: int, level: str) -> None:
    assert checkup_place.room(free, Path("/s")).level == level


def test_the_disk_of_a_folder_that_does_not_exist_yet_is_its_parents(tmp_path: Path) -> None:
    assert f"free for {tmp_path}/a/b" in checkup_place.disk(tmp_path / "a" / "b").text


@pytest.mark.parametrize("where", [".claude/settings.json", "managed.json"])
def test_a_switch_that_turns_all_hooks_off_is_found_wherever_it_stands(
    home: Path, where: str
) -> None:
    put(home / where, ours(disableAllHooks=True))
    assert stopped(home) == [f"fail {home / where}: disableAllHooks is true: {SILENT}"]


def test_a_switch_in_the_project_is_found_too(home: Path) -> None:
    for name in ("settings.json", "settings.local.json"):
        put(home / "project" / ".claude" / name, {"disableAllHooks": True})
    assert len(stopped(home)) == 2


@pytest.mark.parametrize(
    ("managed", "said"),
    [
        ({"allowManagedHooksOnly": True}, [f"{ONLY}: {SILENT}"]),
        ({"allowManagedHooksOnly": True, **ours()}, []),
        ({"allowedHttpHookUrls": ["https://*"]}, [f"{URL_OUT}: {SILENT}"]),
        ({"allowedHttpHookUrls": []}, [f"{URL_OUT}: {SILENT}"]),
        ({"allowedHttpHookUrls": ["http://127.0.0.1:*"]}, []),
        ({"httpHookAllowedEnvVars": ["A"]}, [f"{TOKEN_OUT}: {NAMELESS}"]),
        ({"httpHookAllowedEnvVars": ["FLOORBOSS_TOKEN"]}, []),
    ],
)
def test_what_an_administrator_does_not_permit_fails(
    home: Path, managed: Any, said: list[str]
) -> None:
    put(home / ".claude" / "settings.json", ours(token=None))
    put(home / "managed.json", managed)
    expected = [f"fail {home / 'managed.json'}: {each}" for each in said]
    assert stopped(home) == expected


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"allowedHttpHookUrls": ["https://x/*"]}, [f"{URL_OUT}: {SILENT}"]),
        ({"allowedHttpHookUrls": []}, [f"{URL_OUT}: {SILENT}"]),
        ({"allowedHttpHookUrls": ["https://x/*", f"{URL}/*"]}, []),
        ({"allowedHttpHookUrls": ["http://127.0.0.1:873?/*"]}, [f"{URL_OUT}: {SILENT}"]),
        ({"httpHookAllowedEnvVars": ["A"]}, [f"{TOKEN_OUT}: {NAMELESS}"]),
        ({"httpHookAllowedEnvVars": ["FLOORBOSS_TOKEN"]}, []),
    ],
)
@pytest.mark.parametrize("where", [".claude/settings.json", "project/.claude/settings.json"])
def test_what_a_persons_own_settings_do_not_permit_fails_too(
    home: Path, where: str, own: Any, said: list[str]
) -> None:
    put(home / ".claude" / "settings.json", ours(token=None))
    put(home / where, ours(token=None, **own))
    assert stopped(home) == [f"fail {home / where}: {each}" for each in said]


def test_lists_of_several_files_permit_together_and_an_administrators_alone(home: Path) -> None:
    put(home / ".claude" / "settings.json", ours(allowedHttpHookUrls=["https://x/*"]))
    put(home / "project" / ".claude" / "settings.json", {"allowedHttpHookUrls": [f"{URL}/*"]})
    assert stopped(home) == []
    put(home / "managed.json", {"allowedHttpHookUrls": ["https://x/*"]})
    assert stopped(home) == [f"fail {home / 'managed.json'}: {URL_OUT}: {SILENT}"]


def test_variables_that_may_be_sent_matter_only_to_a_token_that_is_one(home: Path) -> None:
    put(home / ".claude" / "settings.json", ours(httpHookAllowedEnvVars=[]))
    assert stopped(home) == []


def test_variables_of_ours_that_a_settings_file_sets_are_named(home: Path) -> None:
    put(home / ".claude" / "settings.json", {"env": {"FLOORBOSS_PORT": "1", "A": "b"}})
    (line,) = stopped(home)
    assert line.endswith("its env sets FLOORBOSS_PORT")


def test_hooks_of_an_administrator_are_the_ones_that_count(home: Path) -> None:
    put(home / "managed.json", ours())
    found = seen(home)
    assert found.hooked == found.managed
    assert found.source == f"the hooks of {home / 'managed.json'}"


def test_hooks_of_others_are_counted_and_doubled_reports_are_named(home: Path) -> None:
    by_hand = {"type": "command", "command": f"curl -d @- {URL}/hooks/claude-code"}
    put(home / ".claude" / "settings.json", {"hooks": {"Stop": [{"hooks": [{"url": "x"}]}, 1]}})
    put(home / "project" / ".claude" / "settings.json", {"hooks": {"Stop": [{"hooks": [by_hand]}]}})
    put(home / "project" / ".claude" / "settings.local.json", ours())
    assert [line.partition(": ")[2] for line in told(checkup_claude.foreign(seen(home)))] == [
        f"a hook by hand reports to {URL}/hooks/claude-code too",
        "floorboss's hooks stand here as well",
        "1 hooks of others, left alone",
    ]


def test_other_programs_are_named_with_what_follows(home: Path) -> None:
    for name in (".codex", ".cursor"):
        (home / name).mkdir()
    findings = list(checkup_claude.others(home))
    assert [each.text.split()[0] for each in findings] == ["Codex", "Cursor"]
    assert all(each.level == "warn" and each.do for each in findings)


def test_a_settings_file_that_is_no_text_is_said_to_be(home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_bytes(b"\xff")
    lines = told(checkup_claude.claude(seen(home)))
    assert lines[-1] == f"fail {home / '.claude' / 'settings.json'}: it is not UTF-8"


def test_a_finding_shows_no_control_characters() -> None:
    hostile = Finding(level="fail", check="x", text="a\x1b[2K\u202eb", do="c\rd", details=("\x07",))
    assert all(line.isprintable() for line in hostile.lines())
