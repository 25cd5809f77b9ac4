"""Other settings at a restart: a stricter file holds at once, a freer one waits for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.process import OPERATOR, Process, bearer, served

ANN = bearer(OPERATOR)
ATTEMPT = {
    "session_id": "s",
    "tool": "Bash",
    "arguments": {"command": "frobnicate --all"},  # of unknown effect
}
CLOSED = '[modes.implementation.shell]\nunknown = "deny"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def written(folder: Path, text: str) -> None:
    (folder / "floorboss.toml").write_text(text)


def verdict(daemon: Process) -> str:
    status, answer = daemon.ask("POST", "/controller/decide", ATTEMPT)
    assert status == 200, answer
    return str(answer["verdict"])


def told(daemon: Process, first: str) -> list[str]:
    """What the start prints from one line on, as far as the line that says what to type."""
    lines: list[str] = []
    assert daemon.popen.stdout
    while not lines or "  type  " not in lines[-1]:
        line = daemon.popen.stdout.readline().decode().rstrip()
        assert line or daemon.popen.poll() is None
        if lines or line.startswith(first):
            lines.append(line)
    return lines


def kinds(daemon: Process) -> list[str]:
    return [e["kind"] for e in daemon.log("&action=configuration")]


def decided(daemon: Process, verb: str, seq: int, **body: Any) -> tuple[int, Any]:
    return daemon.ask("POST", f"/controller/{verb}/{seq}", body, ANN)


def test_a_freer_file_judges_by_the_older_values_until_a_person_approves(folder: Path) -> None:
    with served(folder, toml=CLOSED) as daemon:
        assert verdict(daemon) == "deny"
        daemon.end()
    written(folder, "")
    with served(folder) as daemon:
        first, change, ask = told(daemon, "Settings that may")
        (asked,) = daemon.log("&kind=proposed")
        seq = asked["seq"]
        assert first == (
            f"Settings that may free a call wait for your approval ({seq}); until then the older"
            " ones are in force:"
        )
        assert change == "  modes.implementation.shell.unknown: in force: deny; asked for: none"
        assert f"floorboss approve {seq} --url http://127.0.0.1:" in ask
        assert verdict(daemon) == "deny"
        status, dry = daemon.ask("POST", f"/controller/approve/{seq}?dry_run=true", {}, ANN)
        assert status == 200
        assert any(item["name"] == "unknown" for item in dry["difference"]["freer"]["commands"])
        assert decided(daemon, "apply", seq, expected_state=dry["expected_state"])[0] == 409
        status, _ = decided(daemon, "approve", seq, expected_state=dry["expected_state"])
        assert status == 200
        assert verdict(daemon) == "none"
        assert kinds(daemon)[-2:] == ["approved", "configured"]
        daemon.end()
    with served(folder) as daemon:
        assert verdict(daemon) == "none"
        assert kinds(daemon)[-2:] == ["approved", "configured"]


def test_a_stricter_file_holds_at_once(folder: Path) -> None:
    with served(folder) as daemon:
        assert verdict(daemon) == "none"
        daemon.end()
    written(folder, CLOSED)
    with served(folder) as daemon:
        assert verdict(daemon) == "deny"
        assert kinds(daemon) == ["configured", "configured"]
        daemon.end()
    with served(folder) as daemon:
        assert kinds(daemon) == ["configured", "configured"]


def test_what_was_dismissed_is_not_asked_for_again_until_the_file_changes(folder: Path) -> None:
    with served(folder):
        pass
    loose = 'enforcement = "observe"\n'
    for text, expected in (
        (loose, ["configured", "proposed", "dismissed"]),
        (loose, ["configured", "proposed", "dismissed"]),
        ("", ["configured", "proposed", "dismissed", "ended"]),
        (loose, ["configured", "proposed", "dismissed", "ended", "proposed"]),
    ):
        written(folder, text)
        with served(folder) as daemon:
            for entry in daemon.log("&kind=proposed")[:1]:
                decided(daemon, "dismiss", entry["seq"])
            assert kinds(daemon) == expected


def test_settings_are_not_reverted_and_the_answer_says_what_to_do(folder: Path) -> None:
    with served(folder) as daemon:
        status, answer = decided(daemon, "revert", 1, expected_state="x")
        assert status == 409
        assert "settings are not reverted" in answer["detail"]
        assert "floorboss.toml" in answer["detail"]


def test_a_limit_on_settings_is_refused(folder: Path) -> None:
    with served(folder):
        pass
    written(folder, 'enforcement = "observe"\n')
    with served(folder) as daemon:
        (asked,) = daemon.log("&kind=proposed")
        status, answer = decided(
            daemon, "approve", asked["seq"], expected_state="x", limit={"minutes": 5}
        )
        assert status in (409, 422)
        assert "settings hold until the file changes" in answer["detail"]
