"""NAR-13: one log, read by another process, seed of hashes or version of Python, says the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.running import Running
from tests.domain.refolding import folded
from tests.domain.scenarios import scenarios

ROOT = Path(__file__).parents[2]
OTHERS = ("python3.11", "python3.12", "python3.13", "python3.14")


def works(interpreter: str) -> bool:
    """Whether a name on the path is a Python that runs; some are only placeholders."""
    found = shutil.which(interpreter)
    return (
        found is not None and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0
    )


def interpreters() -> list[str]:
    """The Python that runs the tests, and every other one that this machine has."""
    return [sys.executable, *filter(works, OTHERS)]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon that saw the whole corpus, and a person who decided about some of it."""
    running = Running(tmp_path_factory.mktemp("lived") / "state")
    for case in scenarios():
        events = [{**event, "session_id": case["id"]} for event in case["events"]]
        for event in events:
            if "batch_id" in event:
                event["batch_id"] = str(event["batch_id"])
        running.post("/controller/events", events, "harness")
    for at, proposal in enumerate(running.log("&kind=proposed")):
        decide(running, proposal, ("approve", "dismiss", "")[at % 3])
    yield running
    running.daemon.close()


def decide(running: Running, proposal: dict[str, Any], verb: str) -> None:
    if verb:
        said = {"expected_state": running.state(proposal["scope"]), "reason": "a test"}
        running.ask("POST", f"/controller/{verb}/{proposal['seq']}", said, role="operator")


@pytest.fixture(scope="module")
def exported(lived: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log as a person takes it away, page by page, oldest entry first."""
    lines: list[str] = []
    while not lines or seq_of(lines[0]) > 1:
        before = f"&before={seq_of(lines[0])}" if lines else ""
        page = lived.ask("GET", f"/controller/log?limit=1000{before}", role="operator",
                         headers={"Accept": "application/x-ndjson"})  # fmt: skip
        lines = [*sorted(page.text.splitlines(), key=seq_of), *lines]
    path = tmp_path_factory.mktemp("exported") / "log.ndjson"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def seq_of(line: str) -> int:
    return int(json.loads(line)["seq"])


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_nar_13_the_export_is_whole_and_says_something(lived: Running, exported: Path) -> None:
    kinds = [json.loads(line)["kind"] for line in lines_of(exported)]
    assert len(kinds) == lived.log()[-1]["seq"] > 1_500
    assert {"applied", "proposed", "approved", "dismissed", "reverted", "ended"} <= set(kinds)


def test_nar_13_a_fold_of_the_export_is_what_the_daemon_shows(
    lived: Running, exported: Path
) -> None:
    found = json.loads(folded(lines_of(exported)))
    for scope, there in found.items():
        here = lived.get(f"/controller/sessions/{scope}") if scope != "*" else there["view"]
        assert {key: here[key] for key in there["view"]} == there["view"]


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_nar_13_other_processes_and_other_pythons_say_the_same_bytes(
    seed: str, exported: Path
) -> None:
    here = folded(lines_of(exported))
    for interpreter in interpreters():
        there = subprocess.run(
            [interpreter, "-m", "tests.domain.refolding", str(exported)],
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": sysconfig.get_path("purelib"),
                "PYTHONUTF8": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            check=True,
        )
        assert there.stdout.decode("utf-8") == here, interpreter
