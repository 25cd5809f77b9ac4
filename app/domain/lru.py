"""A bounded map as a value: what was put longest ago is dropped first.

Its halves are persistent maps, so a put costs O(log n) and older values stay as they were. The
order is kept only once the map was full: until then nothing has to be dropped.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from immutables import Map

V = TypeVar("V")
_made = tuple.__new__  # what a named tuple's own constructor calls, at a third of its price


class Lru(NamedTuple, Generic[V]):
    """At most `limit` values by key; a put makes its key the newest one."""

    limit: int
    values: Map[str, tuple[int, V]] = Map()  # key -> stamp, value
    newest: int = 0  # the stamp of the last put
    order: Map[int, str] | None = None  # stamp -> key, one stamp per key
    oldest: int = 0  # no stamp in `order` is smaller

    def get(self, key: str) -> V | None:
        """The value of `key`, or None; looking does not make it newer."""
        found = self.values.get(key)
        return None if found is None else found[1]

    def put(self, key: str, value: V) -> Lru[V]:
        """This map with `key` at its new value and newest; the oldest key may fall out."""
        limit, before, newest, order, oldest = self
        stamp = newest + 1
        values = before.set(key, (stamp, value))
        if order is not None:
            known = before.get(key)
            order = (order if known is None else order.delete(known[0])).set(stamp, key)
        elif len(values) > limit:
            order = Map({at: each for each, (at, _) in values.items()})
        else:
            return _made(Lru, (limit, values, stamp, None, oldest))
        grown = Lru(limit, values, stamp, order, oldest)
        return grown if len(values) <= limit else grown._shed()

    def drop(self, key: str) -> Lru[V]:
        """This map without `key`."""
        known = self.values.get(key)
        if known is None:
            return self
        order = None if self.order is None else self.order.delete(known[0])
        return self._replace(values=self.values.delete(key), order=order)

    def cleared(self) -> Lru[V]:
        """An empty map of the same size."""
        return Lru(self.limit) if self.newest else self

    def items(self) -> tuple[tuple[str, V], ...]:
        """Keys and values, oldest first."""
        by_stamp = sorted((stamp, key) for key, (stamp, _) in self.values.items())
        return tuple((key, self.values[key][1]) for _, key in by_stamp)

    def _shed(self) -> Lru[V]:
        order, oldest = self.order, self.oldest
        assert order is not None
        while oldest not in order:
            oldest += 1
        values = self.values.delete(order[oldest])
        return self._replace(values=values, order=order.delete(oldest), oldest=oldest + 1)
