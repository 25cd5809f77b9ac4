"""`floorboss apply | approve | revert | dismiss`: a person decides about one entry.

    fetch the entry and a dry run  ->  show what would change  ->  ask  ->  decide for that state

The decision names the state that was shown; if it has changed meanwhile, nothing happens, and what
changed is shown beside the command to look again.
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
    from app.cli.client import Client, Reply
    from app.cli.rendering import View
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
    """Say yes to a loosening or a way back. It holds for good, or for a while."""
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
    from app.cli.review import done

    client = operator(url, token_fd)
    seen = None
    if expected_state is None or dry_run:
        seen, expected_state = _shown(client, verb, seq, limit)
        if dry_run:
            print(f"Nothing was changed. The state is {expected_state}.")
            return
        if not yes:
            _ask(verb, seq)
    body = {"expected_state": expected_state, **limit, **({"reason": reason} if reason else {})}
    reply = client.ask("POST", f"/controller/{verb}/{seq}", body)
    for line in done(_taken(client, reply, verb, seq, seen), client.there):
        print(line)


def _shown(client: Client, verb: Verb, seq: int, limit: Mapping[str, object]) -> tuple[View, str]:
    """Print what the decision would change; what is in force, and the state of it."""
    from app.cli.review import review

    entry = client.get(f"/controller/log/{seq}")
    cause = client.get(f"/controller/log/{entry['ref']}") if entry["ref"] else None
    now = client.get("/controller/overrides", scope=entry["scope"])
    asked = {"expected_state": now["state"], **limit}  # so that both are about the same
    reply = client.ask("POST", f"/controller/{verb}/{seq}?dry_run=true", asked)
    would = _taken(client, reply, verb, seq, now)
    for line in review(entry, cause, now, would, verb, limit.get("limit")):
        print(line)
    return now, str(would["expected_state"])


def _taken(client: Client, reply: Reply, verb: Verb, seq: int, seen: View | None) -> View:
    """What came of a decision; a refusal ends the command and says what to do next."""
    from app.cli.client import SAME
    from app.cli.exits import REFUSED, fail
    from app.cli.review import refused

    if reply.problem is None:
        return client.object(reply)
    now = None
    if reply.code == "state_changed":
        scope = client.get(f"/controller/log/{seq}")["scope"]
        now = client.get("/controller/overrides", scope=scope)
    further = refused(reply.document, verb, seq, client.there, seen, now)
    fail(REFUSED, "\n".join((f"refused: {client.why(reply)} {SAME}", *further)))


def _ask(verb: Verb, seq: int) -> None:
    from app.cli.exits import REFUSED, fail
    from app.cli.terminal import agreed

    ways = "--yes" if verb == "dismiss" else "--yes or --expected-state STATE"
    otherwise = f"there is no terminal to ask at; say {ways}. Nothing was changed."
    print()
    if not agreed(f"{verb.capitalize()} {seq}?", otherwise):
        fail(REFUSED, "you said no. Nothing was changed.")
