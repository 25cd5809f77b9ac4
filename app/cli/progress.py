"""How far long work is: one line on a terminal, gone before anything else is printed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO, TypeVar

Item = TypeVar("Item")
AFTER: Final = 1.0  # seconds; what is over sooner needs no line
EVERY: Final = 0.1  # seconds between two looks of the line
BAR: Final = 20  # characters
CLEAR: Final = "\r\x1b[K"


class Progress:
    """A bar over `total` pieces of work; where `stream` is no terminal it writes nothing.

    `counting` says what the items are that pass; where it is empty they are not counted.
    `after` is how many seconds pass before it is shown, and `every` between two looks.
    """

    def __init__(
        self,
        total: int,
        what: str,
        stream: TextIO | None = None,
        *,
        after: float = AFTER,
        every: float = EVERY,
        counting: str = "events read",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.done, self.total = 0, total  # pieces
        self._what, self._every, self._clock = what, every, clock
        self._counting = counting
        self._stream = sys.stderr if stream is None else stream
        self._next = clock() + after if self._stream.isatty() else float("inf")
        self._events, self._shown = 0, False

    def watching(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items, each counted as it passes."""
        for item in items:
            self._events += 1
            if self._clock() >= self._next:
                self._show()
            yield item

    def step(self) -> None:
        """One more piece is done, and what is printed next finds a clean line."""
        self.done += 1
        self.clear()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            print(CLEAR, end="", file=self._stream, flush=True)

    def _show(self) -> None:
        self._shown, self._next = True, self._clock() + self._every
        full = BAR * self.done // max(1, self.total)
        bar = "#" * full + "-" * (BAR - full)
        text = f"[{bar}] {self.done:,} of {self.total:,} {self._what}"
        if self._counting:
            text = f"{text}, {self._counting}: {self._events:,}"
        print(f"{CLEAR}{text}", end="", file=self._stream, flush=True)
