"""What stands in deploy/ says what the program understands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.config.load import load
from app.config.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
EXAMPLE = (DEPLOY / "floorboss.example.toml").read_text()
# Reliability is promised by these lines and not by comments beside them.
SYSTEM_UNIT = (
    "User=floorboss",
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "StateDirectory=floorboss",
    "StateDirectoryMode=0700",
    "UMask=0077",
    "CapabilityBoundingSet=",
    "IPAddressDeny=any",
)
USER_UNIT = ("NoNewPrivileges=yes", "UMask=0077", "RestrictSUIDSGID=yes")


def settings(text: str, folder: Path, **environ: str) -> Settings:
    """The settings of a daemon whose file holds `text`."""
    (folder / "floorboss.toml").write_text(text)
    loaded = load({"state_dir": str(folder)}, {"HOME": str(folder), **environ})
    assert isinstance(loaded, Settings), loaded
    return loaded


def uncommented(text: str) -> str:
    """The example with every default spelled out."""
    return re.sub(r"(?m)^# (?=[a-z_]+ = |\[)", "", text)


def test_the_example_changes_nothing_as_it_stands(tmp_path: Path) -> None:
    assert settings(EXAMPLE, tmp_path).values() == settings("", tmp_path).values()


def test_the_example_shows_the_defaults(tmp_path: Path) -> None:
    assert settings(uncommented(EXAMPLE), tmp_path).values() == settings("", tmp_path).values()


def test_the_example_shows_every_setting_that_is_not_a_path_or_a_threshold() -> None:
    shown = tomllib.loads(uncommented(EXAMPLE))
    paths = {"state_dir", "database_url", "config"}
    assert set(shown) >= set(Settings.model_fields) - paths - {"rules", "sources"}


def test_the_image_may_bind_every_address_and_shows_nothing_without_a_token(tmp_path: Path) -> None:
    inside = settings((DEPLOY / "container.toml").read_text(), tmp_path, FLOORBOSS_HOST="0.0.0.0")
    assert (inside.host, inside.exposed, inside.reads) == ("0.0.0.0", False, "token")


def test_the_image_copies_only_what_exists() -> None:
    lines = re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text())
    sources = [name for line in lines for name in line.split()]
    assert sources != []
    assert [name for name in sources if not (ROOT / name).exists()] == []


def test_the_image_does_not_run_as_root() -> None:
    stages = (DEPLOY / "Dockerfile").read_text().split("\nFROM ")
    assert re.search(r"(?m)^USER floorboss$", stages[-1])


@pytest.mark.parametrize(
    ("unit", "promised"),
    [("floorboss.service", SYSTEM_UNIT), ("floorboss.user.service", USER_UNIT)],
)
def test_a_unit_keeps_its_promises(unit: str, promised: tuple[str, ...]) -> None:
    lines = (DEPLOY / unit).read_text().splitlines()
    assert [line for line in promised if line not in lines] == []


@pytest.mark.parametrize("unit", ["floorboss.service", "floorboss.user.service"])
def test_a_unit_sets_only_variables_that_the_program_reads(unit: str, tmp_path: Path) -> None:
    said = re.findall(r"(?m)^Environment=(FLOORBOSS_\w+)=", (DEPLOY / unit).read_text())
    given: Mapping[str, str] = dict.fromkeys(said, str(tmp_path / "floorboss.toml"))
    settings("", tmp_path, **given)
