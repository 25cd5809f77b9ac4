"""The migrations run from an installed wheel, where they lie inside the package."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from app.store.migrate import migrations_folder

ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path
from app.store import migrate
from app.store.log import Log
assert Path(migrate.__file__).is_relative_to(sys.argv[1]), migrate.__file__
log = Log.open(Path(sys.argv[2]))
print(migrate.migrations_folder().name, log.head_seq)
log.close()
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder as the wheel's mapping fills it; its name has a percent sign in it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    site = tmp_path / "100% site"
    for name in wheel["only-include"]:
        inside = site / wheel["sources"].get(name, name)
        shutil.copytree(ROOT / name, inside, ignore=shutil.ignore_patterns("__pycache__"))
    return site


def test_an_installed_wheel_creates_its_database(site: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START, str(site), str(tmp_path / "controls.db")],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "_migrations 0\n"


def test_an_installed_wheel_has_the_parameters_of_the_simulation(
    site: Path, tmp_path: Path
) -> None:
    code = (
        "from app.cli import simulate; print(simulate.__file__); print(simulate.given().base_rate)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site)},
        check=True,
        capture_output=True,
        text=True,
    )
    where, rate = done.stdout.splitlines()
    assert Path(where).is_relative_to(site)
    assert rate == "0.9"


def test_a_checkout_uses_the_folder_beside_the_package() -> None:
    assert migrations_folder() == ROOT / "migrations"
