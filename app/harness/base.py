"""What every way in shares: the value that says why an input was not taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why an input was not taken: a stable code, a sentence without any input, an HTTP status."""

    code: str
    detail: str
    status: int = 400
    at: str = ""  # where: a path of known field names, an index or a line; empty: the whole body
