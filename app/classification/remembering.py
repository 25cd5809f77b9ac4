"""A cache for answers that hang on one short text alone: a tool's name, a key, a usual line."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

Answer = TypeVar("Answer")

SHORT: Final = 500  # characters of a text whose answer is kept
KEPT: Final = 1_024  # answers of one function: half a megabyte of texts at most


def remembered(function: Callable[[str], Answer]) -> Callable[[str], Answer]:
    """Keep the answers about the latest short texts; of a long one the answer is found anew.

    Only for what the text alone decides: never for anything that the disk has a say in.
    """
    kept = lru_cache(KEPT)(function)

    @wraps(function)
    def answer(text: str) -> Answer:
        return kept(text) if len(text) <= SHORT else function(text)

    return answer
