"""What floorboss depends on: declared, locked with hashes, explained, the same in every lock."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from app.cli.plots import LACKING

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# What comes with a declared dependency and is imported by its own name; that one picks the version.
COMPANIONS = {
    "pydantic_core": "pydantic",
    "starlette": "fastapi",
    "typing_extensions": "pydantic",
}
RUNTIME = {re.split(r"[<>=]", line)[0] for line in PYPROJECT["project"]["dependencies"]}
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
DRAWING = {re.split(r"[<>=]", line)[0] for line in EXTRAS["plots"]}
ASKING = {re.split(r"[<>=]", line)[0] for line in EXTRAS["proposer"]}
USED = RUNTIME | DRAWING | ASKING
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)")


def entries(lock: str) -> list[str]:
    """The requirements of a lock, each with its hashes and comments."""
    return re.split(r"\n(?=[a-z])", (ROOT / lock).read_text().strip())


def pins(lock: str) -> dict[str, str]:
    matches = (PIN.match(entry) for entry in entries(lock))
    return {match[1]: match[2] for match in matches if match}


def imported_by_app() -> set[str]:
    """Top-level names of everything foreign that the program imports, inside functions too."""
    found: set[str] = set()
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Import(names=names):
                    found |= {alias.name.partition(".")[0] for alias in names}
                case ast.ImportFrom(module=str(module), level=0):
                    found.add(module.partition(".")[0])
                case _:
                    continue
    return found - set(sys.stdlib_module_names) - {"app", "migrations"}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_requirement_is_pinned_and_hashed(lock: str) -> None:
    assert [entry for entry in entries(lock) if "--hash=sha256:" not in entry] == []
    assert len(pins(lock)) == len({entry.partition(" ")[0] for entry in entries(lock)})


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_registry_and_no_path_of_one_machine(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"://|--(?:index-url|find-links)|(?:^|[\s(])/", text)


@pytest.mark.parametrize("lock", LOCKS[:2])
def test_development_uses_the_versions_that_ship(lock: str) -> None:
    assert pins(lock).items() <= pins("requirements-dev.lock").items()


def test_every_declared_dependency_is_locked() -> None:
    assert set(pins("requirements.lock")) >= RUNTIME


def test_what_draws_is_locked_for_development_and_not_needed_to_run() -> None:
    assert set(pins("requirements-dev.lock")) >= DRAWING
    assert pins("requirements.lock").keys() & {*DRAWING, "numpy", "pillow"} == set()


def test_what_asks_a_model_is_locked_for_development_and_not_needed_to_run() -> None:
    assert set(pins("requirements-dev.lock")) >= ASKING
    assert pins("requirements.lock").keys() & ASKING == set()


def test_whoever_lacks_what_draws_is_told_the_version_that_is_declared() -> None:
    assert [line for line in EXTRAS["plots"] if f"pip install '{line}'" not in LACKING] == []


def test_the_program_imports_only_what_it_declares() -> None:
    distributions = packages_distributions()
    modules = {COMPANIONS.get(module, module) for module in imported_by_app()}
    providers = {module: distributions.get(module, [module]) for module in modules}
    undeclared = {
        module
        for module, names in providers.items()
        if not {name.lower().replace("_", "-") for name in names} & USED
    }
    assert undeclared == set()


def test_every_dependency_has_its_reason_written_down() -> None:
    reasons = (ROOT / "docs" / "adr" / "0007-dependencies.md").read_text()
    assert [name for name in sorted(USED) if f"`{name}`" not in reasons] == []
