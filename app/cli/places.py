"""From flags to settings, or to the reasons why there are none."""

from __future__ import annotations

import os
from pathlib import Path

from app.cli.exits import MISUSED, fail
from app.config import ConfigFault, Settings, load


def settings(
    host: str | None = None,
    port: str | None = None,
    state_dir: Path | None = None,
    config: Path | None = None,
    database_url: str | None = None,
) -> Settings:
    """The settings of this process; wrong ones end the command, each with its reason."""
    flags = {
        "host": host,
        "port": port,
        "state_dir": state_dir,
        "config": config,
        "database_url": database_url,
    }
    found = load(flags, os.environ)
    if isinstance(found, ConfigFault):
        fail(MISUSED, f"the settings are wrong:\n{found.message}")
    return found
