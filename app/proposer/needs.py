"""What the proposer needs beside floorboss itself; looked for before anything is opened."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec

from app.config import Settings


def lacking(settings: Settings, environ: Mapping[str, str]) -> str | None:
    """What is missing, and what to do about it; None: nothing."""
    if find_spec("httpx") is None:
        return (
            "proposer.enabled needs the package httpx, which is not installed. Install it with"
            f" {sys.executable} -m pip install 'httpx>=0.28', or set proposer.enabled = false."
        )
    name = settings.proposer.key_variable
    if name is not None and not environ.get(name):
        return (
            f"proposer.key_variable names {name}, and the environment of this process has no such"
            " variable. Set it where floorboss is started."
        )
    return None
