"""The import contracts of pyproject.toml hold, and each of them notices when it is broken.

A contract that can never fail proves nothing. So each one is also run on a copy of the tree into
which exactly one violation was planted, and must name it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Files that break one contract, and words its report must contain."""

    contract: str
    why: str
    files: dict[str, str]
    named: str


VIOLATIONS = (
    Violation(
        contract="layers",
        why="a lower layer imports a higher one",
        files={"app/classification/planted.py": "import app.service\n"},
        named="app.classification.planted -> app.service",
    ),
    Violation(
        contract="layers",
        why="two modules of one layer know each other",
        files={"app/harness/planted.py": "import app.store\n"},
        named="app.harness.planted -> app.store",
    ),
    Violation(
        contract="layers",
        why="a new top-level module has no layer",
        files={"app/planted.py": ""},
        named="planted",
    ),
    Violation(
        contract="pure-domain",
        why="the domain draws a random number, hidden inside a function",
        files={"app/domain/planted.py": "def draw():\n    import random\n"},
        named="app.domain.planted -> random",
    ),
    Violation(
        contract="pure-domain",
        why="the domain reads the clock",
        files={"app/domain/planted.py": "from time import monotonic\n"},
        named="app.domain.planted -> time",
    ),
    Violation(
        contract="pure-domain",
        why="the domain uses a framework",
        files={"app/domain/planted.py": "import pydantic\n"},
        named="app.domain.planted -> pydantic",
    ),
    Violation(
        contract="pure-simulation",
        why="a run draws by chance, so that nobody sees it twice",
        files={"app/simulation/planted.py": "def draw():\n    import random\n"},
        named="app.simulation.planted -> random",
    ),
    Violation(
        contract="harness-independence",
        why="one adapter leans on another",
        files={
            "app/harness/planted_one.py": "import app.harness.planted_two\n",
            "app/harness/planted_two.py": "",
        },
        named="app.harness.planted_one -> app.harness.planted_two",
    ),
    Violation(
        contract="protected-store",
        why="a route reaches past the service into the log",
        files={"app/api/planted.py": "import app.store\n"},
        named="app.api.planted -> app.store",
    ),
    Violation(
        contract="database-in-store",
        why="the service writes SQL of its own",
        files={"app/service/planted.py": "def write():\n    import sqlalchemy\n"},
        named="app.service.planted -> sqlalchemy",
    ),
    Violation(
        contract="database-in-store",
        why="the command line opens the database file",
        files={"app/cli/planted.py": "import sqlite3\n"},
        named="app.cli.planted -> sqlite3",
    ),
    Violation(
        contract="drawing-apart",
        why="a route draws, by way of a chart of the replay",
        files={"app/api/planted.py": "def draw():\n    import app.replay.tuning_charts\n"},
        named="app.replay.tuning_charts -> app.charts",
    ),
    Violation(
        contract="drawing-apart",
        why="the service draws by itself",
        files={"app/service/planted.py": "import matplotlib\n"},
        named="app.service.planted -> matplotlib",
    ),
    Violation(
        contract="protected-proposer",
        why="a route starts a call to the model",
        files={"app/api/planted.py": "import app.proposer.gate\n"},
        named="app.api.planted -> app.proposer.gate",
    ),
    Violation(
        contract="protected-proposer",
        why="a command starts a call to the model",
        files={"app/cli/planted.py": "def run():\n    import app.proposer.client\n"},
        named="app.cli.planted -> app.proposer.client",
    ),
    Violation(
        contract="httpx-in-proposer",
        why="the service asks another server",
        files={"app/service/planted.py": "import httpx\n"},
        named="app.service.planted -> httpx",
    ),
    Violation(
        contract="acyclic",
        why="two modules of the domain import each other",
        files={
            "app/domain/planted_one.py": "import app.domain.planted_two\n",
            "app/domain/planted_two.py": "import app.domain.planted_one\n",
        },
        named="planted_one",
    ),
)


def lint_imports(tree: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and report of import-linter on `tree`, in a process of its own.

    A process of its own because this one has already imported `app` from the checkout.
    """
    code = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache", *arguments],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of everything import-linter reads."""
    shutil.copytree(ROOT / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_tree_keeps_every_contract() -> None:
    code, report = lint_imports(ROOT)
    assert code == 0, report


def test_every_contract_has_a_planted_violation() -> None:
    assert {violation.contract for violation in VIOLATIONS} == set(CONTRACTS)


@pytest.mark.parametrize("violation", VIOLATIONS, ids=lambda violation: violation.why)
def test_a_planted_violation_is_named(violation: Violation, copy: Path) -> None:
    for name, text in violation.files.items():
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text)
    code, report = lint_imports(copy, "--contract", violation.contract)
    assert code == 1, report
    assert f"{CONTRACTS[violation.contract]} BROKEN" in report
    assert violation.named in report
