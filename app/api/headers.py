"""Headers by their lower-case names: raw values, repeats kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

RawHeaders: TypeAlias = Iterable[tuple[bytes, bytes]]  # as ASGI hands them over
Headers: TypeAlias = Mapping[bytes, Sequence[bytes]]


def by_name(raw: RawHeaders) -> Headers:
    """Every value of each header, in order; a header sent twice is two values."""
    found: dict[bytes, list[bytes]] = {}
    for name, value in raw:
        found.setdefault(name, []).append(value)
    return found
