"""A bounded map as a value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.lru import Lru


def test_what_was_put_longest_ago_falls_out_first() -> None:
    lru: Lru[int] = Lru(limit=2)
    lru = lru.put("a", 1).put("b", 2).put("a", 3).put("c", 4)
    assert lru.items() == (("a", 3), ("c", 4))


def test_a_dropped_key_makes_room() -> None:
    lru: Lru[int] = Lru(limit=2)
    lru = lru.put("a", 1).put("b", 2).drop("a").put("c", 3)
    assert [key for key, _ in lru.items()] == ["b", "c"]


def test_an_older_value_stays_as_it_was() -> None:
    before: Lru[int] = Lru(limit=1)
    before = before.put("a", 1)
    before.put("b", 2)
    assert before.get("a") == 1


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans())), st.integers(1, 5))
def test_it_holds_what_an_ordered_dict_of_the_same_size_holds(
    steps: list[tuple[str, bool]], limit: int
) -> None:
    lru: Lru[int] = Lru(limit=limit)
    model: dict[str, int] = {}
    for at, (key, put) in enumerate(steps):
        model.pop(key, None)
        lru = lru.put(key, at) if put else lru.drop(key)
        if put:
            model[key] = at
        if len(model) > limit:
            del model[next(iter(model))]
    assert lru.items() == tuple(model.items())
    assert len(lru.values) == len(model) <= limit
    assert lru.order is None or len(lru.order) == len(model)
