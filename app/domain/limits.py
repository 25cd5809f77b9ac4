"""How long an approved loosening holds: for the session, for some minutes, or for some calls.

    {"session": true}   until the session ends
    {"minutes": 30}     by the log's clock, from the applied entry on
    {"calls": 5}        that many attempts answered with none, from then on

What ends it, and when it may not end, is in expiry.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, assert_never

from app.domain.events import Json
from app.domain.modes import Malformed
from app.domain.replacing import replace

MINUTES = 7 * 24 * 60  # a week; what shall hold for longer belongs into the configuration
CALLS = 10_000
EXPECTED = (
    f'limit: expected one of {{"session": true}}, {{"minutes": 1 to {MINUTES}}} and '
    f'{{"calls": 1 to {CALLS}}}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What ends a loosening; `amount` is minutes or calls, 0 where the session's end does."""

    kind: Literal["session", "minutes", "calls"]
    amount: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A limit on an applied entry that nobody took back: since when, and the calls let through."""

    limit: Limit
    scope: str
    since: str  # RFC 3339
    used: int = 0
    restarted: bool = False  # its session began anew since


def parsed_limit(raw: Json) -> Limit | Malformed:
    """The limit somebody wrote down as JSON, or what is wrong with it."""
    match raw:
        case {"session": True, **rest} if not rest:
            return Limit(kind="session")
        case {"minutes": int(amount), **rest} if not rest and _within(amount, MINUTES):
            return Limit(kind="minutes", amount=amount)
        case {"calls": int(amount), **rest} if not rest and _within(amount, CALLS):
            return Limit(kind="calls", amount=amount)
        case _:
            return Malformed(detail=EXPECTED)


def _within(amount: int, most: int) -> bool:
    return not isinstance(amount, bool) and 1 <= amount <= most


def limit_of(raw: Json) -> Limit | None:
    """The limit an entry carries; None where it has none. Raises ValueError on a corrupt row."""
    if raw is None:
        return None
    limit = parsed_limit(raw)
    if isinstance(limit, Malformed):
        raise ValueError(limit.detail)
    return limit


def limit_json(limit: Limit) -> dict[str, Json]:
    """How a limit stands in an entry's body."""
    return {limit.kind: True if limit.kind == "session" else limit.amount}


def worded(limit: Limit) -> str:
    """The limit in plain words, as in "for 30 minutes"."""
    match limit.kind:
        case "session":
            return "until the session ends"
        case "minutes":
            return f"for {_counted(limit.amount, 'minute')}"
        case "calls":
            return f"for {_counted(limit.amount, 'call')}"
        case _:
            assert_never(limit.kind)


def over_because(limit: Limit) -> str:
    """Why a limited entry is over, in plain words."""
    match limit.kind:
        case "session":
            return "the session ended"
        case "minutes" | "calls":
            what = _counted(limit.amount, limit.kind.removesuffix("s"))
            return f"its {what} {'is' if limit.amount == 1 else 'are'} over"
        case _:
            assert_never(limit.kind)


def _counted(amount: int, what: str) -> str:
    return f"{amount} {what}{'' if amount == 1 else 's'}"


def let_through(running: Running) -> Running:
    """The limit after one more call that nothing stood against."""
    return replace(running, used=running.used + 1)


def until(running: Running) -> str | None:
    """The moment, RFC 3339, at which minutes are over; None for other limits."""
    if running.limit.kind != "minutes":
        return None
    moment = datetime.fromisoformat(running.since) + timedelta(minutes=running.limit.amount)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_over(running: Running, at: str, *, ended: bool) -> bool:
    """Whether a limit is over at a time; `ended`: the session has ended and did not go on."""
    match running.limit.kind:
        case "session":
            return ended or running.restarted
        case "minutes":
            return (until(running) or "") <= at
        case "calls":
            return running.used >= running.limit.amount
        case _:
            assert_never(running.limit.kind)
