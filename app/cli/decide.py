"""`floorboss apply | approve | revert | dismiss`: a person decides about one entry.

    fetch the entry and a dry run  ->  show what would change  ->  ask  ->  decide for that state

The decision names the state that was shown; if it has changed meanwhile, nothing happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from app.cli.limit import limit_body
from app.cli.options import (
    Calls,
    DryRun,
    ExpectedState,
    ForSession,
    Minutes,
    Reason,
    Seq,
    TokenFd,
    Url,
    Yes,
)

if TYPE_CHECKING:
    from app.cli.client import Client
    from app.domain.decisions import Verb

_FOR_GOOD: Final[Mapping[str, object]] = MappingProxyType({})


def apply(
    seq: Seq,
    reason: Reason = "",
    yes: Yes = False,
    expected_state: ExpectedState = None,
    dry_run: DryRun = False,
    token_fd: TokenFd = None,
    url: Url = None,
) -> None:
    """Put a proposal in force that does not loosen."""
    _decide("apply", seq, reason, yes, expected_state, dry_run, token_fd, url)


def approve(
    seq: Seq,
    reason: Reason = "",
    minutes: Minutes = None,
    calls: Calls = None,
    session: ForSession = False,
    yes: Yes = False,
    expected_state: ExpectedState = None,
    dry_run: DryRun = False,
    token_fd: TokenFd = None,
    url: Url = None,
) -> None:
    """Say yes to a loosening, or to a way back; for good, or for a while."""
    limit = limit_body(minutes, calls, session)
    _decide("approve", seq, reason, yes, expected_state, dry_run, token_fd, url, limit)


def revert(
    seq: Seq,
    reason: Reason = "",
    yes: Yes = False,
    expected_state: ExpectedState = None,
    dry_run: DryRun = False,
    token_fd: TokenFd = None,
    url: Url = None,
) -> None:
    """Take an applied entry back."""
    _decide("revert", seq, reason, yes, expected_state, dry_run, token_fd, url)


def dismiss(
    seq: Seq,
    reason: Reason = "",
    yes: Yes = False,
    dry_run: DryRun = False,
    token_fd: TokenFd = None,
    url: Url = None,
) -> None:
    """Say no to a proposal; what is in force stays."""
    _decide("dismiss", seq, reason, yes, None, dry_run, token_fd, url)


def _decide(
    verb: Verb,
    seq: int,
    reason: str,
    yes: bool,
    expected_state: str | None,
    dry_run: bool,
    token_fd: int | None,
    url: str | None,
    limit: Mapping[str, object] = _FOR_GOOD,
) -> None:
    from app.cli.client import operator

    client = operator(url, token_fd)
    if expected_state is None or dry_run:
        expected_state = _shown(client, verb, seq, limit)
        if dry_run:
            print(f"Nothing was changed. The state is {expected_state}.")
            return
        if not yes:
            _ask(verb, seq)
    body = {"expected_state": expected_state, **limit, **({"reason": reason} if reason else {})}
    print(client.change("POST", f"/controller/{verb}/{seq}", body)["summary"])


def _shown(client: Client, verb: Verb, seq: int, limit: Mapping[str, object]) -> str:
    """Print what the decision would change; the state that it would change."""
    from app.cli.rendering import review

    entry = client.get(f"/controller/log/{seq}")
    cause = client.get(f"/controller/log/{entry['ref']}") if entry["ref"] else None
    would = client.change("POST", f"/controller/{verb}/{seq}?dry_run=true", dict(limit))
    now = client.get("/controller/overrides", scope=entry["scope"])
    for line in review(entry, cause, now, would["in_force"]):
        print(line)
    return str(would["expected_state"])


def _ask(verb: Verb, seq: int) -> None:
    from app.cli.exits import REFUSED, fail
    from app.cli.terminal import agreed

    ways = "--yes" if verb == "dismiss" else "--yes or --expected-state STATE"
    otherwise = f"there is no terminal to ask at; say {ways}. Nothing was changed."
    if not agreed(f"{verb} {seq}?", otherwise):
        fail(REFUSED, "you said no. Nothing was changed.")
