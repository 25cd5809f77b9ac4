"""Asking the person at the controlling terminal, whatever standard input and output are."""

from __future__ import annotations

import getpass
import warnings
from pathlib import Path
from typing import Final

from app.cli.exits import MISUSED, fail

TERMINAL: Final = Path("/dev/tty")


def secret(prompt: str, otherwise: str) -> str:
    """What the person types, never shown; `otherwise` says what to do where there is no terminal.

    Never read from standard input: a token that stands there was written down somewhere.
    """
    _present(otherwise)
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt).strip()
        except (getpass.GetPassWarning, EOFError):
            fail(MISUSED, otherwise)


def agreed(question: str, otherwise: str) -> bool:
    """Whether the person answers yes; anything else is no."""
    _present(otherwise)
    with TERMINAL.open("r+b", buffering=0) as terminal:
        terminal.write(f"{question} [y/N] ".encode())
        return terminal.readline().strip().lower() in (b"y", b"yes")


def _present(otherwise: str) -> None:
    try:
        TERMINAL.open("r+b", buffering=0).close()
    except OSError:
        fail(MISUSED, otherwise)
