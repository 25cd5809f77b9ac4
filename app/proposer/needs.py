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
    return None if name is None else _keyless(name, environ.get(name, ""))


def _keyless(name: str, key: str) -> str | None:
    """Why a variable holds no key that could be sent; none of it is repeated."""
    if not key:
        return (
            f"proposer.key_variable names {name}, and the environment of this process has no such"
            " variable. Set it where floorboss is started."
        )
    if not (key.isascii() and key.isprintable() and key == key.strip()):
        return (
            f"proposer.key_variable names {name}, whose value no request can carry: it has a line"
            " break, a blank at an end or a sign beyond ASCII. Set it to the key and nothing else."
        )
    return None
