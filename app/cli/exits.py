"""How a command ends when it cannot do what it was asked: a status and a sentence."""

from __future__ import annotations

import sys
from typing import Final, NoReturn

import typer

REFUSED: Final = 1  # the daemon said no, or a check did not hold
MISUSED: Final = 2  # wrong arguments or settings; nobody there to ask
HELD: Final = 3  # another daemon has this log
CLOSED: Final = 4  # the state folder, the log or the port cannot be opened, the output written
UNREACHABLE: Final = 5  # no daemon answered
MEANINGS: Final = {
    0: "done",
    REFUSED: "the daemon refused, a check did not hold, or you answered no; nothing was changed"
    " (`replay --post`: what it took before stays)",
    MISUSED: "wrong arguments or settings, nobody there to ask for the operator's token, or no"
    " session files (`replay`, `tune`: not one line that can be read)",
    HELD: "`serve`: another daemon has this log; it is named",
    CLOSED: "the state folder, the log, the port or a harness's settings cannot be used as is,"
    " or the output cannot be written",
    UNREACHABLE: "no daemon answered, or something else did; the address that was tried is named",
}


def fail(status: int, text: str) -> NoReturn:
    """Say why on standard error, and end."""
    print(f"floorboss: {text}", file=sys.stderr)
    raise typer.Exit(status)
