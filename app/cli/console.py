"""The operator's console: the terminal that `serve` runs in, one thread beside the event loop.

    a proposal is committed  ->  two lines are printed, and the state they show is kept
    a line is typed          ->  it decides for the state printed last for that seq, or for nothing

Who sits here needs no token: this is the process itself. The thread only prints, reads and asks;
what it asks for is done by the same service as a request's, and logged as `human:<login>`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from app.cli import announcements
from app.cli.announcements import Shown, shown
from app.cli.answers import awaited
from app.cli.keys import Decide, Help, Overview, Quit, Typed, Unclear, typed
from app.domain.decisions import Command, Refusal, Verb
from app.domain.entries import EVERYWHERE, Entry
from app.domain.events import Json
from app.domain.state import Book
from app.domain.views import escalations
from app.service.archive import Archive, LogUnavailable
from app.service.control import Control, Decided, DecisionAnswer
from app.service.feed import Feed
from app.service.writer import Unavailable

Result = TypeVar("Result")
_log = logging.getLogger("floorboss.console")

KEPT: Final = 1_000  # entries that wait to be printed while the terminal is stopped (Ctrl-S)
SESSIONS: Final = 20  # newest sessions that `s` looks through
LAST_LINE: Final = 1.0  # seconds the line under way has at the end
BACKGROUND: Final = 1.0  # seconds between looks at whether this is the terminal's foreground
KEY: Final = "r {seq}"
HELP: Final = (
    "  a SEQ   say yes to a proposal (apply or approve, whichever it is)",
    "  d SEQ   dismiss a proposal",
    "  r SEQ   revert an applied entry: what lay beneath is in force again",
    "  s       show what waits",
    "  q       end floorboss, like Ctrl-C",
)


class Console:
    """Prints what waits for a person and takes what they decide; `start` and `stop` it once."""

    def __init__(
        self,
        control: Control,
        archive: Archive,
        loop: asyncio.AbstractEventLoop,
        actor: str,
        end: Callable[[], None],
    ) -> None:
        self._control, self._archive, self._loop = control, archive, loop
        self._actor, self._end = actor, end
        self._news: deque[tuple[Book, Entry]] = deque(maxlen=KEPT)
        self._shown: dict[int, Shown] = {}
        self._ended = False
        self._ear, self._mouth = os.pipe()  # wakes the thread
        self._thread = threading.Thread(target=self._run, name="floorboss-console", daemon=True)

    def start(self, feed: Feed) -> None:
        """Listen to what is committed, and to the terminal."""
        # Typed to a shell while this is in the background, a line must not stop the daemon.
        signal.signal(signal.SIGTTIN, signal.SIG_IGN)
        os.set_blocking(self._mouth, False)
        feed.listen(self._hear)
        self._thread.start()

    def stop(self) -> None:
        """Take no more lines."""
        self._ended = True
        self._wake()
        self._thread.join(LAST_LINE)

    def _hear(self, book: Book, entries: tuple[Entry, ...]) -> None:
        """In the writer's thread: remember, and leave the printing to ours."""
        self._news.extend((book, entry) for entry in entries if entry.kind != "observed")
        self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # full: it is awake already
            os.write(self._mouth, b".")

    def _run(self) -> None:
        typing = b""
        with suppress(CancelledError, OSError):  # the loop, or the terminal, is gone
            self._guarded(self._greet)
            while not self._ended:
                ready = self._wait()
                if self._ear in ready:
                    os.read(self._ear, 4096)
                    self._print_news()
                if sys.stdin.fileno() not in ready:
                    continue
                got = os.read(sys.stdin.fileno(), 4096)
                if not got:
                    self._say("The console is closed; floorboss goes on. Ctrl-C ends it.")
                    return
                *lines, typing = (typing + got).split(b"\n")
                for line in lines:
                    self._guarded(partial(self._do, typed(line.decode("utf-8", "replace"))))

    def _wait(self) -> list[int]:
        terminal = sys.stdin.fileno()
        if _in_foreground(terminal):
            return select.select([terminal, self._ear], [], [])[0]
        return select.select([self._ear], [], [], BACKGROUND)[0]

    def _say(self, *lines: str) -> None:
        print("\n".join(lines), flush=True)

    def _ask(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _print_news(self) -> None:
        while self._news:
            book, entry = self._news.popleft()
            if entry.kind == "proposed":
                self._show(book, entry)
            else:
                self._print(announcements.told(entry, self._actor, self._shown.__contains__))

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

    def _show(self, book: Book, entry: Entry) -> None:
        """Print a proposal; its seq, and that of what it takes back, mean this state now."""
        configuration = self._control.configuration
        self._print(announcements.proposal(book, entry, configuration, self._archive.get))
        seen = shown(book, entry.scope, configuration)
        for seq in (entry.seq, entry.ref):
            if seq is not None:
                self._shown[seq] = seen

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except LogUnavailable as fault:
            self._say(f"The log cannot be read: {fault}. Nothing was changed.")
        except Exception as fault:  # the console must outlive any fault of one line
            _log.exception("a line at the console failed")
            self._say(f"That failed ({type(fault).__name__}); s shows what still waits.")

    def _do(self, wish: Typed) -> None:
        match wish:
            case Decide(verb=verb, seq=seq):
                self._decide(verb, seq)
            case Overview():
                self._overview()
            case Help():
                self._say(*HELP)
            case Quit():
                self._loop.call_soon_threadsafe(self._end)
            case Unclear(text=text):
                self._say(f"{text} is none of a SEQ, d SEQ, r SEQ, s, q; ? explains them.")
            case None:
                pass

    def _greet(self) -> None:
        """Tell how much waits since before this start; settings were told when it began."""
        self._print(self._awaited())
        waiting = self._waiting()
        for book, entry in waiting:
            if entry.action == "configuration":
                self._shown[entry.seq] = shown(book, entry.scope, self._control.configuration)
        if waiting:
            self._say(announcements.greeting(len(waiting)))

    def _awaited(self) -> Iterable[str]:
        """The agents that were told to say what they need."""
        names = [row.session for row in self._archive.sessions(SESSIONS)]
        found: list[dict[str, Json]] = []
        for name in names:
            book = self._book(name)
            for each in escalations(book.session(name)) if book is not None else ():
                found.append(each)
                if book is not None and isinstance(each["notice"], int):
                    now = shown(book, str(each["scope"]), self._control.configuration)
                    self._shown[each["notice"]] = now
        return awaited(found, KEY)

    def _waiting(self) -> list[tuple[Book, Entry]]:
        rows = self._archive.sessions(SESSIONS)
        return [
            each for name in (EVERYWHERE, *(r.session for r in rows)) for each in self._open(name)
        ]

    def _overview(self) -> None:
        self._print(self._awaited())
        waiting = self._waiting()
        for book, entry in waiting:
            self._show(book, entry)
        if not waiting:
            self._say("Nothing waits for a person.")

    def _open(self, scope: str) -> list[tuple[Book, Entry]]:
        book = self._book(scope)
        if book is None:
            return []
        found = map(self._archive.get, sorted(book.session(scope).proposals))
        return [(book, entry) for entry in found if entry is not None]

    def _book(self, scope: str) -> Book | None:
        """The book with the session of `scope` in it; None, and a line, when it cannot be had."""
        found = self._ask(self._control.session(scope))
        if isinstance(found, Unavailable):
            self._say(f"The log cannot be read now: {found.cause}. Nothing was changed.")
            return None
        return found[0]

    def _decide(self, wanted: Verb | None, seq: int) -> None:
        entry = self._archive.get(seq)
        if entry is None:
            self._say(f"The log has no entry {seq}.")
            return
        if entry.kind not in announcements.DECIDED_ON:
            self._print(announcements.undecidable(entry))
            return
        book = self._book(entry.scope)
        if book is None:
            return
        seen = self._shown.get(seq)
        if seen is None:
            self._again(book, entry, "It was not shown here yet.")
            return
        verb = wanted or announcements.verb(book, entry, self._control.configuration) or "approve"
        command = Command(verb=verb, seq=seq, actor=self._actor, expected_state=seen.state)
        self._answer(entry, seen, self._ask(self._control.command(command)))

    def _answer(self, entry: Entry, seen: Shown, answer: DecisionAnswer) -> None:
        match answer:
            case Decided(entries=entries, book=book, scope=scope):
                configuration = self._control.configuration
                self._print(announcements.outcome(entries, book, scope, configuration))
                now = shown(book, scope, configuration)
                self._shown |= {each.seq: now for each in entries if each.kind == "applied"}
            case Refusal(why="state_changed"):
                book_now = self._book(entry.scope)
                if book_now is not None:
                    self._again(book_now, entry, f"It changed since; then: {seen.held}.")
            case Unavailable(cause=cause):
                self._say(f"The log cannot be written: {cause}. Nothing was changed.")
            case _:
                self._say(f"Refused: {answer.detail}. Nothing was changed.")

    def _again(self, book: Book, entry: Entry, why: str) -> None:
        """Show an entry as it is now, and wait for the line again."""
        if entry.kind == "proposed":
            self._show(book, entry)
            if announcements.verb(book, entry, self._control.configuration) is None:
                self._say(f"{announcements.INDENT}Nothing was changed; s shows what waits.")
                return
        else:
            self._shown[entry.seq] = shown(book, entry.scope, self._control.configuration)
            self._print(announcements.applied(book, entry, self._control.configuration))
        self._say(f"{announcements.INDENT}{why} Nothing was changed; type it again if you mean it.")


def _in_foreground(terminal: int) -> bool:
    """Whether what is typed at the terminal is meant for this process; without job control, yes."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return True
