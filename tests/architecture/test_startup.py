"""What each command imports: a person waits for it, so only `serve` may import the server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from app.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
SERVER = frozenset({"fastapi", "starlette", "uvicorn", "uvloop", "prometheus_client", "asyncio"})
DATABASE = frozenset({"sqlalchemy", "alembic", "sqlite3"})
MARKUP = frozenset({"rich", "pygments", "markdown_it"})
DRAWING = frozenset({"matplotlib", "numpy", "PIL"})
RUN = """
import json, sys
from app.cli.main import main
sys.argv = ["floorboss", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    status = ended.code
print()
print(json.dumps([status, sorted(sys.modules)]))
"""
# Each command in a form that it carries out to its end.
ARGUMENTS: dict[str, list[str]] = {
    "serve": ["--help"],
    "replay": ["--help"],
    "tune": ["--help"],
    "simulate": ["storm", "--help"],
    "status": [],
    "log": [],
    "show": ["1"],
    "approve": ["1", "--yes", "--token-fd", "0"],
    "apply": ["1", "--yes", "--token-fd", "0"],
    "revert": ["1", "--yes", "--token-fd", "0"],
    "dismiss": ["1", "--yes", "--token-fd", "0"],
    "propose": ["s", "--mode", "plan", "--reason", "x"],
    "install": ["claude-code", "--token-env", "--dry-run"],
    "uninstall": ["claude-code", "--dry-run"],
    "doctor": ["--help"],
    "config": [],
    "token": ["list", "--token-fd", "0"],
    "verify": [],
}
HELD = {"scope": "s", "mode": "plan", "posture": "yolo", "also": [], "seqs": [1], "state": "0"}
ANSWER = {
    **{"seq": 1, "kind": "applied", "action": "mode", "direction": "tighten", "ref": None},
    **{"at": "", "actor": "machine", "summary": "x", "hash": "0", "body": {}, "in_force": HELD},
    **{"expected_state": "0", "ok": True, "count": 1, "head": 1, "items": [], "proposals": []},
    **{
        "ended": False,
        "advisory": [],
        "not_vouched_for": 0,
        "signals": {},
        "interventions": {"blocked": 0},
    },
    "difference": {
        way: {"tools": [], "paths": [], "commands": []} for way in ("freer", "stricter")
    },
    "entries": [],
    "referred_to_by": [],
    "restrictions": {"mode": {"seq": 1}},
    **HELD,
}


class Stub(BaseHTTPRequestHandler):
    """Answers everything with one document that has what any command looks for."""

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        content = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Type", self.headers["Accept"])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test says what matters."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a daemon that always answers alike."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Stub) as stub:
        threading.Thread(target=stub.serve_forever).start()
        yield stub.server_address[1]
        stub.shutdown()


def imported(name: str, port: int, folder: Path, *arguments: str) -> tuple[int, frozenset[str]]:
    """How a command ended, and the packages that it imported."""
    ended = subprocess.run(
        [sys.executable, "-c", RUN, name, *arguments],
        cwd=ROOT,
        env={"FLOORBOSS_PORT": str(port), "FLOORBOSS_STATE_DIR": str(folder), "HOME": str(folder)},
        input="a token by descriptor\n",
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    status, modules = json.loads(ended.stdout.splitlines()[-1])
    return status, frozenset(module.partition(".")[0] for module in modules)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_imports_nothing_heavy(name: str, port: int, tmp_path: Path) -> None:
    status, packages = imported(name, port, tmp_path, *ARGUMENTS[name])
    assert status == 0
    assert packages & (SERVER | DATABASE | MARKUP | DRAWING) == frozenset()


def test_the_general_help_imports_nothing_heavy_either(port: int, tmp_path: Path) -> None:
    status, packages = imported("--help", port, tmp_path)
    assert status == 0
    assert packages & (SERVER | DATABASE | MARKUP | DRAWING) == frozenset()


def test_the_measure_sees_what_is_imported(port: int, tmp_path: Path) -> None:
    _, packages = imported("verify", port, tmp_path, "--database", __file__)
    assert packages >= {"sqlalchemy", "sqlite3"}


def test_every_command_is_measured() -> None:
    assert set(ARGUMENTS) == set(COMMANDS)
