"""Headers as ASGI hands them over: lower-case names, raw values, repeats kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

RawHeaders: TypeAlias = Iterable[tuple[bytes, bytes]]


def values(headers: RawHeaders, name: bytes) -> list[bytes]:
    """Every value of the header `name`, in order; a header sent twice is two values."""
    return [value for found, value in headers if found == name]
