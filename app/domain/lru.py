"""A bounded map as a value: what was put longest ago is dropped first.

Both halves are persistent maps, so a put costs O(log n) and older values stay as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from immutables import Map

from app.domain.replacing import replace

V = TypeVar("V")


@dataclass(frozen=True, kw_only=True)  # wide: see replacing.py
class Lru(Generic[V]):
    """At most `limit` values by key; a put makes its key the newest one."""

    limit: int
    values: Map[str, tuple[int, V]] = field(default_factory=Map)
    order: Map[int, str] = field(default_factory=Map)  # stamp -> key, one stamp per key
    oldest: int = 0
    newest: int = 0

    def get(self, key: str) -> V | None:
        """The value of `key`, or None; looking does not make it newer."""
        found = self.values.get(key)
        return None if found is None else found[1]

    def put(self, key: str, value: V) -> Lru[V]:
        """This map with `key` at its new value and newest; the oldest key may fall out."""
        stamp = self.newest + 1
        known = self.values.get(key)
        order = self.order if known is None else self.order.delete(known[0])
        grown = replace(
            self,
            values=self.values.set(key, (stamp, value)),
            order=order.set(stamp, key),
            newest=stamp,
        )
        return grown if len(grown.values) <= self.limit else grown._shed()

    def drop(self, key: str) -> Lru[V]:
        """This map without `key`."""
        known = self.values.get(key)
        if known is None:
            return self
        return replace(self, values=self.values.delete(key), order=self.order.delete(known[0]))

    def cleared(self) -> Lru[V]:
        """An empty map of the same size."""
        return Lru(limit=self.limit)

    def items(self) -> tuple[tuple[str, V], ...]:
        """Keys and values, oldest first."""
        return tuple((key, self.values[key][1]) for _, key in sorted(self.order.items()))

    def _shed(self) -> Lru[V]:
        oldest = self.oldest
        while oldest not in self.order:
            oldest += 1
        return replace(
            self,
            values=self.values.delete(self.order[oldest]),
            order=self.order.delete(oldest),
            oldest=oldest + 1,
        )
